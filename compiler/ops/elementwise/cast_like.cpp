// CastLike: a Cast to the element type of the second input.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::cast_like {
namespace {

// Becomes a Cast as soon as the type is known.
void infer(Infer& n) {
  if (!n.input(1).is_tensor() || n.elem(1) == ElemType::undefined) return;
  Node& node = n.mutable_node();
  node.op = &get("Cast");
  node.attributes["to"] = static_cast<std::int64_t>(n.elem(1));
  node.inputs.resize(1);
  node.op->infer(n);
}

constexpr Op rows[] = {{
    .name = "CastLike",
    .versions = "15 19 21 23 24 25",
    .inputs = "input:T1 target_type:T2",
    .outputs = "output:T2",
    .types = "T1: numeric bool string small; T2: numeric bool string small",
    .attributes = "saturate:int=1@19- round_mode:string=up@24-",
    .infer = infer,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::cast_like
