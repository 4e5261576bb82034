// GroupNormalization: normalises groups of channels, then scales and shifts the channels.
// InstanceNormalization: every channel of every sample.
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/normalization/normalize.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::group_normalization {
namespace {

void lower_any(Lower& n, NormalizeNdShape<Dim> z) {
  z.epsilon = n.attr_float("epsilon");
  const ElemType elem = n.elem(0);
  normalize(n, z).in({0, 1, 2}).out(0).null(elem, true).null(elem, true);
}

std::int64_t groups(const NodeView& n) {
  const std::int64_t g = n.attr_int("num_groups");
  n.require(g >= 1, "attribute \"num_groups\"", "{} is not positive", g);
  return g;
}

// Version 18 has one scale and bias for each group.
bool per_group(const NodeView& n) { return n.node().version < 21; }

void infer_groups(Infer& n) {
  infer_like_first(n);
  const std::int64_t g = groups(n);
  if (n.has_attr("stash_type")) require_float_stash(n);
  if (!n.has_rank(0)) return;
  n.require(n.rank(0) >= 2, input_field(0, "X"), "rank {}, needs at least 2", n.rank(0));
  const Dim& channels = n.shape(0)[1];
  n.require(!channels.is_const() || channels.value() % g == 0, "attribute \"num_groups\"",
            "{} does not divide the {} channels", g, channels.to_string());
  n.same(Dim::floor_div(channels, g) * g, channels, "attribute \"num_groups\"");
  require_vector(n, 1, "scale", per_group(n) ? Dim(g) : channels);
  require_vector(n, 2, "bias", per_group(n) ? Dim(g) : channels);
}

void lower_float_groups(Lower& n, const Dim& groups, const Dim& width, const Dim& positions) {
  Call call = n.call("group_norm",
                     GroupNormShape<Dim>{n.shape(0)[0], groups, width, positions,
                                         n.attr_float("epsilon"), n.channels_last(), per_group(n)});
  add_epilogue(call.in({0, 1, 2}).out(0).divisible(), n);
}

void lower_groups(Lower& n) {
  const Shape& x = n.shape(0);
  const Dim g = groups(n), each = Dim::floor_div(x[1], g), positions = product(x, 2, x.size());
  if (n.elem(0) == ElemType::float32) return lower_float_groups(n, g, each, positions);
  NormalizeNdShape<Dim> z = split_axes({x[0], g, each, positions}, {false, false, true, true});
  z.scale_outer = z.bias_outer = {0, per_group(n) ? Dim(1) : each};
  z.scale_inner = z.bias_inner = {per_group(n) ? 0 : 1, 0};
  lower_any(n, z);
}

void gradient_by_groups(Gradient& n) { gradient_of_channels(n, {groups(n), per_group(n)}); }

LayoutRule layout_of_floats(const Node& node) {
  return {.accepts = node.inputs[0]->type.elem == ElemType::float32};
}

void infer_instances(Infer& n) {
  infer_like_first(n);
  if (!n.has_rank(0)) return;
  n.require(n.rank(0) >= 2, input_field(0, "input"), "rank {}, needs at least 2", n.rank(0));
  require_vector(n, 1, "scale", n.shape(0)[1]);
  require_vector(n, 2, "B", n.shape(0)[1]);
}

void lower_float_instances(Lower& n, const Dim& positions) {
  Call call =
      n.call("instance_norm", InstanceNormShape<Dim>{n.shape(0)[0], n.shape(0)[1], positions,
                                                     n.attr_float("epsilon"), n.channels_last()});
  add_epilogue(call.in({0, 1, 2}).out(0).divisible(), n);
}

void lower_instances(Lower& n) {
  const Shape& x = n.shape(0);
  const Dim positions = product(x, 2, x.size());
  if (n.elem(0) == ElemType::float32) return lower_float_instances(n, positions);
  const bool last = n.channels_last();
  NormalizeNdShape<Dim> z;
  z.outer = {x[0], x[1]};
  z.inner = {positions};
  z.x_outer = {x[1] * positions, last ? Dim(1) : positions};
  z.x_inner = {last ? x[1] : Dim(1)};
  z.scale_outer = z.bias_outer = {0, 1};
  z.scale_inner = z.bias_inner = {0};
  lower_any(n, z);
}

void gradient_by_instances(Gradient& n) { gradient_of_channels(n, {}); }

void axes_of_instances(Axes& n) {
  n.same_but(2, n.rank(0));
  n.input(1, 0, n.inputs()[0][1]);
  n.input(2, 0, n.inputs()[0][1]);
}

constexpr Op rows[] = {{
                           .name = "GroupNormalization",
                           .versions = "18 21",
                           .inputs = "X:T scale:T bias:T",
                           .outputs = "Y:T",
                           .types = "T: floats",
                           .attributes = "epsilon:float=1e-5 num_groups:int! stash_type:int=1@21-",
                           .infer = infer_groups,
                           .lower = lower_groups,
                           .layout = layout_of_floats,
                           .epilogue = Epilogue::channel_is_axis_1,
                           .gradient = gradient_by_groups,
                       },
                       {
                           .name = "InstanceNormalization",
                           .versions = "1 6 22",
                           .inputs = "input:T scale:T B:T",
                           .outputs = "output:T",
                           .types = "T: floats",
                           .attributes = "epsilon:float=1e-5 consumed_inputs:ints@1-5",
                           .infer = infer_instances,
                           .axes = axes_of_instances,
                           .lower = lower_instances,
                           .layout = layout_of_floats,
                           .epilogue = Epilogue::channel_is_axis_1,
                           .gradient = gradient_by_instances,
                       }};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::group_normalization
