// Upgrade, inference and lowering of Softmax and LogSoftmax.
#include "compiler/ops/normalization/softmax_lowering.hpp"

#include "compiler/ops/window.hpp"
#include "templates/normalization/normalization_calls.hpp"

namespace onnxc::ops {

void upgrade_softmax(Upgrade& n) {
  if (n.version() >= 13) return;
  const Attribute* given = n.node().find("axis");
  const std::int64_t axis = given ? n.attr_int("axis") : 1;
  const Type& x = n.input(0);
  n.set("axis", std::int64_t{-1});
  const bool last = axis == -1 || (x.has_rank() && axis == static_cast<std::int64_t>(x.rank()) - 1);
  if (last) return;
  Value* data = n.mutable_node().inputs[0];
  Value* shape = n.emit("Shape", {data});
  n.set_input(0, n.emit("Flatten", {data}, {{"axis", axis}}));
  Value* out = n.mutable_node().outputs[0];
  n.emit_after("Reshape", {n.detach_output(0), shape}, out, {{"allowzero", std::int64_t{1}}});
}

void infer_softmax(Infer& n) {
  infer_like_first(n);
  if (n.has_rank(0) && n.rank(0) > 0) n.axis(n.attr_int("axis"), n.rank(0), "attribute \"axis\"");
}

void lower_softmax(Lower& n, bool logarithm) {
  const Shape& x = n.shape(0);
  const std::size_t axis = x.empty() ? 0 : n.axis(n.attr_int("axis"), x.size());
  const std::size_t end = std::min(axis + 1, x.size());
  const Dim outer = product(x, 0, axis), count = product(x, axis, end);
  const Dim inner = product(x, end, x.size());
  Call call = n.elem(0) == ElemType::float32
                  ? n.call("softmax", SoftmaxShape<Dim>{outer, count, inner, logarithm}).divisible()
                  : n.call("softmax_axis", SoftmaxAxisShape<Dim>{outer, count, inner, logarithm});
  call.in(0).out(0).may_share(0);
}

}  // namespace onnxc::ops
