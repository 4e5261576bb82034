// Emits the casts to float32 and back.
#include "compiler/ops/to_float32.hpp"

namespace onnxc::ops {

Value* to_float32(Upgrade& n, Value* x) { return x ? n.emit("onnxc::ToFloat32", {x}) : nullptr; }

void cast_output_like(Upgrade& n, Value* like) {
  Value* out = n.node().outputs[0];
  n.emit_after("CastLike", {n.detach_output(0), like}, out);
}

}  // namespace onnxc::ops
