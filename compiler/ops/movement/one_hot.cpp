// OneHot: the "on" value at an index, the "off" value elsewhere.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/movement/given_extents.hpp"

namespace onnxc::ops::one_hot {
namespace {

std::optional<std::int64_t> depth_of(const NodeView& n) {
  const Tensor* t = n.constant(1);
  if (!t) return std::nullopt;
  std::int64_t depth = -1;
  with_number(t->elem(), [&](auto tag) {
    using T = decltype(tag);
    const auto v = static_cast<compute_t<T>>(t->as<T>()[0]);
    if constexpr (std::is_integral_v<compute_t<T>>)
      depth = static_cast<std::int64_t>(v);
    else
      depth = v >= 0 && v < 1e9f ? static_cast<std::int64_t>(v) : -1;
  });
  n.require(depth >= 0, "input 1 \"depth\"", "is not a size");
  return depth;
}

std::size_t axis_of(const NodeView& n, std::size_t rank) {
  return n.axis(n.attr_int("axis"), rank + 1, "attribute \"axis\"");
}

void infer(Infer& n) {
  n.output(0, n.elem(2), std::nullopt);
  if (n.has_rank(2)) n.require(n.rank(2) == 1, "input 2 \"values\"", "must be [2]");
  if (n.has_rank(2)) n.same(n.shape(2)[0], 2, "input 2 \"values\"");
  n.one_value(1, "input 1 \"depth\"");
  if (!n.has_rank(0)) return;
  Shape out = n.shape(0);
  const auto depth = depth_of(n);
  const auto symbolic = n.extents(1);
  const Dim count = depth ? Dim(*depth) : symbolic ? (*symbolic)[0] : n.unknown_extent();
  n.at_least(count, 0, "input 1 \"depth\"");
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis_of(n, out.size())), count);
  n.output(0, n.elem(2), out);
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  const std::size_t axis = axis_of(n, x.size());
  lower_given_extents(n, 1, {y[axis]});
  n.call("one_hot", OneHotShape<Dim>{product(x, 0, axis), y[axis], product(x, axis, x.size())})
      .in({0, 2})
      .out(0);
}

// [off, on]: the sums over where each was written.
void gradient(Gradient& n) {
  const ElemType elem = n.dy().type().elem;
  const Term marks = convert(n.list({0, 1}), elem);
  const Term on = n.emit("OneHot", {n.x(0), n.x(1), marks}, {{"axis", n.attr_int("axis")}});
  const Term sums[] = {sum_over(choose(on == 0.0, n.dy(), 0.0), {}, false),
                       sum_over(choose(on == 0.0, 0.0, n.dy()), {}, false)};
  const Term first = n.list({0});
  n.dx(2, n.emit("Concat",
                 {n.emit("Unsqueeze", {sums[0], first}), n.emit("Unsqueeze", {sums[1], first})},
                 {{"axis", std::int64_t{0}}}));
}

constexpr Op rows[] = {{
    .name = "OneHot",
    .versions = "9 11",
    .inputs = "indices:T1 depth:T2 values:T3",
    .outputs = "output:T3",
    .types = "T1: numeric; T2: numeric; T3: numeric complex bool string",
    .attributes = "axis:int=-1",
    .infer = infer,
    .lower = lower,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::one_hot
