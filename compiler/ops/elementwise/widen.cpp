// onnxc::Widen: float16 and bfloat16 as float32, everything else as it is.
#include "compiler/ops/infer.hpp"

namespace onnxc::ops::widen {
namespace {

// Becomes a Cast or nothing as soon as the type is known.
void infer(Infer& n) {
  if (n.elem(0) == ElemType::undefined) return;
  const bool narrow = n.elem(0) == ElemType::float16 || n.elem(0) == ElemType::bfloat16;
  Node& node = n.mutable_node();
  node.op = &get(narrow ? "Cast" : "Identity");
  if (narrow) node.attributes["to"] = static_cast<std::int64_t>(ElemType::float32);
  node.op->infer(n);
}

constexpr Op rows[] = {{
    .name = "Widen",
    .domain = "onnxc",
    .versions = "1",
    .inputs = "input:T",
    .outputs = "output:any",
    .types = "T: floats",
    .infer = infer,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::widen
