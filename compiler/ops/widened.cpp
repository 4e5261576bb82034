#include "compiler/ops/widened.hpp"

namespace onnxc::ops {

Value* widened(Upgrade& n, Value* x) { return x ? n.emit("onnxc::Widen", {x}) : nullptr; }

void narrow_output(Upgrade& n, Value* like) {
  Value* out = n.node().outputs[0];
  n.emit_after("CastLike", {n.detach_output(0), like}, out);
}

}  // namespace onnxc::ops
