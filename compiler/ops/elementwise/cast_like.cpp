// CastLike: Cast to the element type of the second input. onnxc::ToFloat32: float16 and bfloat16 as
// float32, other types as they are. Both become a Cast as soon as the types are known.
#include "compiler/ops/infer.hpp"

namespace onnxc::ops::cast_like {
namespace {

void become(Infer& n, const char* op, std::optional<ElemType> to = std::nullopt) {
  Node& node = n.mutable_node();
  node.op = &get(op);
  if (to) node.attributes["to"] = static_cast<std::int64_t>(*to);
  node.inputs.resize(1);
  node.op->infer(n);
}

void infer_like(Infer& n) {
  if (n.input(1).is_tensor() && n.elem(1) != ElemType::undefined) become(n, "Cast", n.elem(1));
}

void infer_float32(Infer& n) {
  const ElemType elem = n.elem(0);
  if (elem == ElemType::undefined) return;
  const bool narrow = elem == ElemType::float16 || elem == ElemType::bfloat16;
  if (narrow)
    become(n, "Cast", ElemType::float32);
  else
    become(n, "Identity");
}

constexpr Op rows[] = {{.name = "CastLike",
                        .versions = "15 19 21 23 24 25",
                        .inputs = "input:T1 target_type:T2",
                        .outputs = "output:T2",
                        .types = "T1: numeric bool string small; T2: numeric bool string small",
                        .attributes = "saturate:int=1@19- round_mode:string=up@24-",
                        .infer = infer_like},
                       internal({.name = "ToFloat32",
                                 .inputs = "input:T",
                                 .outputs = "output:any",
                                 .types = "T: floats",
                                 .infer = infer_float32})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::cast_like
