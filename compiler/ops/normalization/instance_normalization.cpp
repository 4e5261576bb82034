// InstanceNormalization: normalises every channel of every sample, then scales and shifts it.
#include "compiler/ops/normalization/normalize.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/ops/window.hpp"
#include "templates/normalization/normalization_calls.hpp"

namespace onnxc::ops::instance_normalization {
namespace {

void infer(Infer& n) {
  infer_like_first(n);
  if (!n.has_rank(0)) return;
  n.require(n.rank(0) >= 2, input_field(0, "input"), "rank {}, needs at least 2", n.rank(0));
  require_vector(n, 1, "scale", n.shape(0)[1]);
  require_vector(n, 2, "B", n.shape(0)[1]);
}

void lower_float(Lower& n, const Dim& positions) {
  Call call =
      n.call("instance_norm", InstanceNormShape<Dim>{n.shape(0)[0], n.shape(0)[1], positions,
                                                     n.attr_float("epsilon"), n.channels_last()});
  add_epilogue(call.in({0, 1, 2}).out(0).divisible(), n);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const Dim positions = product(x, 2, x.size());
  if (n.elem(0) == ElemType::float32) return lower_float(n, positions);
  const bool last = n.channels_last();
  NormalizeNdShape<Dim> z;
  z.outer = {x[0], x[1]};
  z.inner = {positions};
  z.x_outer = {x[1] * positions, last ? Dim(1) : positions};
  z.x_inner = {last ? x[1] : Dim(1)};
  z.scale_outer = z.bias_outer = {0, 1};
  z.scale_inner = z.bias_inner = {0};
  z.epsilon = n.attr_float("epsilon");
  const ElemType elem = n.elem(0);
  normalize(n, z).in({0, 1, 2}).out(0).null(elem, true).null(elem, true);
}

void gradient(Gradient& n) { gradient_of_groups(n, 0, true); }

LayoutRule layout(const Node& node) {
  return {.accepts = node.inputs[0]->type.elem == ElemType::float32};
}

constexpr Op rows[] = {{
    .name = "InstanceNormalization",
    .versions = "1 6 22",
    .inputs = "input:T scale:T B:T",
    .outputs = "output:T",
    .types = "T: floats",
    .attributes = "epsilon:float=1e-5 consumed_inputs:ints@1-5",
    .infer = infer,
    .lower = lower,
    .layout = layout,
    .epilogue = Epilogue::channel_is_axis_1,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::instance_normalization
