// LayerNormalization: normalises over the last axes, then scales and shifts element-wise.
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/normalization/normalize.hpp"

namespace onnxc::ops::layer_normalization {
namespace {

ElemType stash_elem(const NodeView& n) {
  const ElemType elem = n.attr_elem_type("stash_type");
  n.require(elem == ElemType::float32 || elem == ElemType::bfloat16, "attribute \"stash_type\"",
            "{} is no type for statistics", info(elem).onnx_name);
  return elem;
}

void infer(Infer& n) {
  infer_like_first(n);
  const ElemType stash = stash_elem(n);
  if (!n.has_rank(0)) {
    n.output(1, stash, std::nullopt);
    return n.output(2, stash, std::nullopt);
  }
  Shape statistics = n.shape(0);
  require_broadcast(n, 1, "Scale", statistics);
  require_broadcast(n, 2, "B", statistics);
  for (std::size_t i = first_axis(n); i < statistics.size(); ++i) statistics[i] = 1;
  n.output(1, stash, statistics);
  n.output(2, stash, statistics);
}

bool lower_rows(Lower& n, const Shape& x, std::size_t first) {
  const Dim size = product(x, first, x.size());
  if (n.elem(0) != ElemType::float32 || n.has_output(1) || n.has_output(2)) return false;
  const bool scales = !is_one(n, 1);
  if (scales && !covers_axes(n.shape(1), x, first)) return false;
  if (n.has_input(2) && !covers_axes(n.shape(2), x, first)) return false;
  Call call =
      n.call("layer_norm", RowNormShape<Dim>{product(x, 0, first), size, n.attr_float("epsilon")});
  call.divisible().in({0});
  (scales ? call.in({1}) : call.null()).in({2}).out(0).may_share(0);
  return true;
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  if (lower_rows(n, x, first_axis(n))) return;
  const std::vector<bool> inner = axes_from(first_axis(n), x.size());
  NormalizeNdShape<Dim> z = split_axes(x, inner);
  z.epsilon = n.attr_float("epsilon");
  add_operand(n.shape(1), x, inner, z.scale_outer, z.scale_inner);
  if (n.has_input(2)) add_operand(n.shape(2), x, inner, z.bias_outer, z.bias_inner);
  const ElemType stash = stash_elem(n);
  normalize(n, z).in({0, 1}).in(2, n.elem(1)).out(0).out(1, stash).out(2, stash);
}

void gradient(Gradient& n) {
  if (gradient_of_rows(n, true)) return;
  const auto axes = axis_numbers_from(first_axis(n), n.shape(0).size());
  const Normalized z = normalized(n.x(), axes, n.attr_float("epsilon"), true);
  const ElemType stash = stash_elem(n);
  if (n.has_dy(1) || n.has_dy(2))
    n.by_definition({nullptr, convert(z.mean, stash), convert(z.inverse, stash)});
  if (n.wants(0)) n.dx(0, gradient_of_normalized(z, n.dy_or_zero(0) * n.x(1)));
  if (n.wants(1)) n.dx_summed(1, n.dy_or_zero(0) * z.values);
  if (n.wants(2)) n.dx_summed(2, n.dy_or_zero(0));
}

void axes(Axes& n) {
  const std::size_t first = n.axis(n.attr_int("axis"), n.rank(0));
  n.same_but(first, n.rank(0));
  for (const std::size_t i : {1, 2}) axes_broadcast_to_first(n, i);
  for (std::size_t i = 1; i < n.output_count(); ++i)
    for (std::size_t axis = 0; n.has_output(i) && axis < first; ++axis)
      n.output(i, axis, n.outputs()[0][axis]);
}

constexpr Op rows[] = {{
    .name = "LayerNormalization",
    .versions = "1 17",  // 1 is ONNX Runtime's, with the same meaning
    .inputs = "X:T Scale:T B:T?",
    .outputs = "Y:T Mean:U? InvStdDev:U?",
    .types = "T: floats; U: float bfloat16",
    .attributes = "axis:int=-1 epsilon:float=1e-5 stash_type:int=1",
    .infer = infer,
    .axes = axes,
    .lower = lower,
    .sweep = true,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::layer_normalization
