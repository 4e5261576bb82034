// com.microsoft QLinearAdd, QLinearMul, QLinearSigmoid and QLinearLeakyRelu: element-wise functions
// of int8 or uint8.
#include "compiler/kernels/quantization_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::qlinear_map {
namespace {

void need_scalars(const NodeView& n, std::initializer_list<std::size_t> inputs) {
  const Signature& signature = ops::signature(*n.node().op);
  for (std::size_t i : inputs)
    n.one_value(i, input_field(i, std::string(signature.input(i)->name)));
}

void infer_binary(Infer& n) {
  need_scalars(n, {1, 2, 4, 5, 6, 7});
  if (!n.has_rank(0) || !n.has_rank(3)) return n.output(0, n.elem(0), std::nullopt);
  n.output(0, n.elem(0), broadcast(n, n.shape(0), n.shape(3)));
}

void infer_unary(Infer& n) {
  need_scalars(n, {1, 2, 3, 4});
  infer_like_first(n);
}

Shape steps(const Shape& own, const Shape& out) {
  Shape result(out.size(), Dim(0));
  Dim step = 1;
  for (std::size_t i = own.size(); i-- > 0;) {
    const std::size_t at = out.size() - own.size() + i;
    result[at] = own[i] == out[at] ? step : Dim::broadcast_stride(own[i], step);
    step = step * own[i];
  }
  return result;
}

// Merges neighbouring axes that are contiguous, or broadcast, in both operands.
void merge_axes(Shape& dims, Shape& a_steps, Shape& b_steps) {
  const auto follows = [&](const Shape& steps, std::size_t i) {
    return steps[i] == steps[i + 1] * dims[i + 1];
  };
  for (std::size_t i = dims.size() - 1; i-- > 0;) {
    if (!follows(a_steps, i) || !follows(b_steps, i)) continue;
    dims[i] = dims[i] * dims[i + 1];
    a_steps[i] = a_steps[i + 1];
    b_steps[i] = b_steps[i + 1];
    for (Shape* s : {&dims, &a_steps, &b_steps})
      s->erase(s->begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

void lower_binary(Lower& n, bool multiply) {
  const Shape &a = n.shape(0), &b = n.shape(3), &out = n.out_shape(0);
  Shape dims = out, a_steps = steps(a, out), b_steps = steps(b, out);
  const bool one_row = (a == out || product(a).is(1)) && (b == out || product(b).is(1));
  if (one_row || out.empty()) {
    dims = {product(out)};
    a_steps = {a == out ? 1 : 0};
    b_steps = {b == out ? 1 : 0};
  }
  merge_axes(dims, a_steps, b_steps);
  Call call = n.call("qlinear_binary", QlinearBinaryShape<Dim>{dims, a_steps, b_steps, multiply});
  call.template_arg(std::to_string(dims.size()));
  call.in({0, 1}).in(2, n.elem(0)).in({3, 4}).in(5, n.elem(0)).in(6).in(7, n.elem(0)).out(0);
  if (a == out) call.may_share(0);
  if (b == out) call.may_share(3);
}
void lower_add(Lower& n) { lower_binary(n, false); }
void lower_mul(Lower& n) { lower_binary(n, true); }

void lower_unary(Lower& n, bool sigmoid, float alpha) {
  Call call = n.call("qlinear_unary", QlinearUnaryShape<Dim>{product(n.shape(0)), sigmoid, alpha});
  call.in({0, 1}).in(2, n.elem(0)).in(3).in(4, n.elem(0)).out(0).may_share(0);
}
void lower_sigmoid(Lower& n) { lower_unary(n, true, 0); }
void lower_leaky(Lower& n) { lower_unary(n, false, n.attr_float("alpha")); }

constexpr std::string_view kBinary =
    "A:T A_scale:float A_zero_point:T? B:T B_scale:float B_zero_point:T? C_scale:float "
    "C_zero_point:T?";
constexpr std::string_view kUnary =
    "X:T X_scale:float X_zero_point:T? Y_scale:float Y_zero_point:T?";

constexpr Op rows[] = {contrib({
                           .name = "QLinearAdd",
                           .inputs = kBinary,
                           .outputs = "C:T",
                           .types = "T: int8 uint8",
                           .infer = infer_binary,
                           .lower = lower_add,
                       }),
                       contrib({
                           .name = "QLinearMul",
                           .inputs = kBinary,
                           .outputs = "C:T",
                           .types = "T: int8 uint8",
                           .infer = infer_binary,
                           .lower = lower_mul,
                       }),
                       contrib({
                           .name = "QLinearSigmoid",
                           .inputs = kUnary,
                           .outputs = "Y:T",
                           .types = "T: int8 uint8",
                           .infer = infer_unary,
                           .lower = lower_sigmoid,
                       }),
                       contrib({
                           .name = "QLinearLeakyRelu",
                           .inputs = kUnary,
                           .outputs = "Y:T",
                           .types = "T: int8 uint8",
                           .attributes = "alpha:float=0.01",
                           .infer = infer_unary,
                           .lower = lower_leaky,
                       })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::qlinear_map
