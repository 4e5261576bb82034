// onnxc::ChannelNormGrad: the derivatives of InstanceNormalization, GroupNormalization, and
// BatchNormalization in training.
#include "compiler/ops/normalization/normalize.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops {
namespace {

// X, scale and dY of one type; the derivatives by the three operands of the normalisation.
std::vector<Term> by_formula(Term x, Term scale, Term dy, const ChannelGroups& g, double epsilon) {
  NodeBuilder& b = *x.builder;
  const auto reshaped = [&](Term v, std::vector<std::int64_t> dims) {
    return b.emit("Reshape", {v, b.ints(std::move(dims))});
  };
  const bool is_list = x.type().rank() == 1;
  const auto split = [&](Term v, std::int64_t groups) {
    return is_list ? reshaped(v, {-1, 1, 1}) : reshaped(v, {0, groups, -1});
  };
  const std::vector<std::int64_t> axes = {0, 2};
  const Normalized z =
      normalized(split(x, g.groups), g.of_batch ? axes : axis_numbers_from(2, 3), epsilon, true);
  // One row for each element of the scale.
  const auto rows = [&](Term v) { return split(v, g.per_group ? g.groups : 0); };
  const Term slopes = rows(dy);
  const Term scaled = split(b.reshape(slopes * reshaped(scale, {1, -1, 1}), x), g.groups);
  return {b.reshape(gradient_of_normalized(z, scaled), x),
          sum_over(slopes * rows(b.reshape(z.values, x)), axes, false),
          sum_over(slopes, axes, false)};
}

}  // namespace

void gradient_of_channels(Gradient& n, const ChannelGroups& g) {
  n.shape(0);
  const double epsilon = double{n.attr_float("epsilon")};
  const ElemType elem = n.x().type().elem;
  const Term scale = convert(n.x(1), elem);
  std::vector<Term> found;
  if (elem == ElemType::float32 || elem == ElemType::float64) {
    const Attributes attributes = {{"groups", g.groups},
                                   {"per_group", std::int64_t{g.per_group}},
                                   {"of_batch", std::int64_t{g.of_batch}},
                                   {"epsilon", n.attr_float("epsilon")}};
    for (Value* v :
         n.builder().add(get("ChannelNormGrad", "onnxc"), {n.x(), scale, n.dy()}, 3, attributes))
      found.push_back(n.builder().term(v));
  } else {
    found = by_formula(n.x(), scale, n.dy(), g, epsilon);
  }
  for (std::size_t i = 0; i < 3; ++i)
    if (n.wants(i)) n.dx(i, convert(found[i], n.x(i).type().elem));
}

namespace channel_norm_grad {
namespace {

ChannelGroups groups_of(const NodeView& n) {
  return {n.attr_int("groups"), n.attr_int("per_group") != 0, n.attr_int("of_batch") != 0};
}

void infer(Infer& n) {
  n.output(0, n.input(0));
  n.output(1, n.input(1));
  n.output(2, n.input(1));
}

bool is_read(const NodeView& n, std::size_t i) {
  return n.has_output(i) && !n.output_value(i).users().empty();
}

LayoutRule layout(const Node& node) {
  return {.accepts = node.inputs[0]->type.elem == ElemType::float32, .all_inputs = true};
}

ChannelNormShape<Dim> shape_of(const Lower& n) {
  const Shape& x = n.shape(0);
  const ChannelGroups g = groups_of(n);
  ChannelNormShape<Dim> s;
  s.outer = x[0], s.pieces = 1;
  s.channels = x.size() > 1 ? x[1] : Dim(1);
  s.positions = x.size() > 1 ? product(x, 2, x.size()) : Dim(1);
  s.width = g.groups == 0 ? Dim(1) : Dim::floor_div(s.channels, g.groups);
  s.epsilon = n.attr_float("epsilon");
  s.per_group = g.per_group;
  s.channels_last = n.channels_last() || s.positions.is(1);
  if (g.of_batch) std::swap(s.outer, s.pieces);
  return s;
}

void lower(Lower& n) {
  const ChannelNormShape<Dim> s = shape_of(n);
  const ElemType elem = n.elem(0);
  const Dim count = Dim::max(s.outer * s.channels * 4, 1);
  const BufferId sums = n.scratch(elem, count, "sums"), factors = n.scratch(elem, count, "factors");
  n.call("channel_norm_sums", s).in({0, 2}).write(sums).divisible();
  Call each = n.call("channel_norm_factors", s);
  each.in(1).read(sums).write(factors);
  for (std::size_t i = 1; i < 3; ++i) {
    if (is_read(n, i))
      each.out(i);
    else
      each.null(elem, true);
  }
  if (!is_read(n, 0)) return;
  Call data = n.call("channel_norm_grad", s);
  data.in({0, 2}).read(factors).out(0).divisible();
  data.may_share(0).may_share(2);
}

void gradient(Gradient& n) {
  const auto found =
      by_formula(n.x(0), n.x(1), n.x(2), groups_of(n), double{n.attr_float("epsilon")});
  n.by_definition({found.begin(), found.end()});
}

constexpr Op rows[] = {internal({
    .name = "ChannelNormGrad",
    .inputs = "X:T scale:T dY:T",
    .outputs = "dX:T dScale:T dBias:T",
    .types = "T: float double",
    .attributes = "groups:int! per_group:int! of_batch:int! epsilon:float!",
    .infer = infer,
    .lower = lower,
    .layout = layout,
    .gradient = gradient,
})};

}  // namespace
extern const Family family{rows};
}  // namespace channel_norm_grad
}  // namespace onnxc::ops
