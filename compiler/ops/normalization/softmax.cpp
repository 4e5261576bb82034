// Softmax and LogSoftmax: exp(x) divided by its sum along one axis, and the logarithm of that.
// Hardmax: 1 at the first largest element, 0 elsewhere.
#include <array>

#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::softmax {
namespace {

// Before version 13 the input is flattened to a matrix at `axis` (default 1).
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

// Extents before, along and after the axis.
std::array<Dim, 3> split_at_axis(const Lower& n) {
  const Shape& x = n.shape(0);
  const std::size_t axis = x.empty() ? 0 : n.axis(n.attr_int("axis"), x.size());
  const std::size_t end = std::min(axis + 1, x.size());
  return {product(x, 0, axis), product(x, axis, end), product(x, end, x.size())};
}

void lower_softmax(Lower& n, bool logarithm) {
  const auto [outer, count, inner] = split_at_axis(n);
  Call call = n.elem(0) == ElemType::float32
                  ? n.call("softmax", SoftmaxShape<Dim>{outer, count, inner, logarithm}).divisible()
                  : n.call("softmax_axis", SoftmaxAxisShape<Dim>{outer, count, inner, logarithm});
  call.in(0).out(0).may_share(0);
}

void lower_plain(Lower& n) { lower_softmax(n, false); }
void lower_logarithm(Lower& n) { lower_softmax(n, true); }

Term sum_along_axis(const Gradient& n, Term v) { return sum_over(v, {n.attr_int("axis")}, true); }

void gradient_of_plain(Gradient& n) {
  const Term weighted = n.dy() * n.y();
  n.dx(0, weighted - n.y() * sum_along_axis(n, weighted));
}

void gradient_of_logarithm(Gradient& n) {
  n.dx(0, n.dy() - apply("Exp", n.y()) * sum_along_axis(n, n.dy()));
}

void lower_hardmax(Lower& n) {
  const auto [outer, count, inner] = split_at_axis(n);
  n.call("hardmax", HardmaxShape<Dim>{outer, count, inner}).in(0).out(0);
}

constexpr Op row_of(std::string_view name, void (*lower)(Lower&), void (*gradient)(Gradient&)) {
  return {
      .name = name,
      .versions = "1 11 13",
      .inputs = "input:T",
      .outputs = "output:T",
      .types = "T: floats",
      .attributes = "axis:int=-1",
      .upgrade = upgrade_softmax,
      .infer = infer_softmax,
      .axes = axes_but_one,
      .lower = lower,
      .sweep = true,
      .gradient = gradient,
  };
}

constexpr Op rows[] = {row_of("Softmax", lower_plain, gradient_of_plain),
                       row_of("LogSoftmax", lower_logarithm, gradient_of_logarithm),
                       row_of("Hardmax", lower_hardmax, gradient_is_zero)};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::softmax
