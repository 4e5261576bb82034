// Where, Max, Min, Clip and onnxc::WherePositive: one of the operands.
#include "compiler/ops/elementwise/rows.hpp"

#include "templates/fn/selection.hpp"

namespace onnxc::ops::selection {
namespace {

void choose_extents(Infer& n) {
  const auto x = n.extents(1), y = n.extents(2);
  std::optional<std::vector<Dim>> condition = n.input_value(0).extent;
  if (const Tensor* t = n.constant(0)) {
    const auto bools = t->to_int64s();
    condition = std::vector<Dim>(bools.begin(), bools.end());
  }
  if (!x || !y || !condition) return;
  const std::size_t size = std::max({x->size(), y->size(), condition->size()});
  const auto at = [](const std::vector<Dim>& v, std::size_t i) { return v[v.size() == 1 ? 0 : i]; };
  for (std::size_t own : {x->size(), y->size(), condition->size()})
    if (own != size && own != 1) return;
  std::vector<Dim> out;
  for (std::size_t i = 0; i < size; ++i) {
    const Dim c = at(*condition, i);
    if (!c.is_const()) return;
    out.push_back(at(c.is(0) ? *y : *x, i));
  }
  n.output_extents(0, std::move(out));
}

void infer_where(Infer& n) {
  std::optional<Shape> shape;
  if (n.has_rank(0) && n.has_rank(1) && n.has_rank(2))
    shape = broadcast(n, broadcast(n, n.shape(0), n.shape(1)), n.shape(2));
  n.output(0, n.elem(1), shape);
  if (shape && shape->size() <= 1) choose_extents(n);
}

void fold_where(Fold& n) {
  with_type(n.in(1).elem(), join(kNumeric, kBool), [&](auto tag) {
    using T = decltype(tag);
    fold_mixed<T, bool, T, T>(n, [](bool c, auto x, auto y) { return fn::where(c, x, y); });
  });
}

void gradient_of_where(Gradient& n) {
  if (n.wants(1)) n.dx_summed(1, choose(n.x(0), n.dy(), 0.0));
  if (n.wants(2)) n.dx_summed(2, choose(n.x(0), 0.0, n.dy()));
}

void gradient_of_where_positive(Gradient& n) {
  const Term x = n.x(0), dy = n.dy(), zero = n.scalar(0);
  if (n.wants(0)) n.zero(0);
  if (n.wants(1)) n.dx_summed(1, choose_positive(x, dy, zero));
  if (n.wants(2)) n.dx_summed(2, choose_positive(x, zero, dy));
}

// A Max or Min that stands for a Clip without the other bound, or without both, whose type is not
// known yet.
constexpr const char* kIsClip = "is_clip";

void use_scalar(Upgrade& u, std::size_t i, const std::string& field) {
  u.set_input(i, u.emit("onnxc::Scalar", {u.node().inputs[i]}, {{"field", field}}));
}

// The bounds of opsets 1 to 10 stay attributes: they have the type of the input, which is unknown
// yet. There are no default bounds in opset 1; in opset 6 they are the largest floats. With bounds
// as inputs, only the form with both remains a Clip.
void upgrade_clip(Upgrade& u) {
  u.remove("consumed_inputs");
  if (u.version() < 11) {
    using Limits = std::numeric_limits<float>;
    const float bound = u.version() < 6 ? Limits::infinity() : Limits::max();
    if (!u.has_attr("min")) u.set("min", -bound);
    if (!u.has_attr("max")) u.set("max", bound);
    return;
  }
  const bool low = u.has_input(1), high = u.has_input(2);
  if (low) use_scalar(u, 1, "input 1 \"min\"");
  if (high) use_scalar(u, 2, "input 2 \"max\"");
  auto& inputs = u.mutable_node().inputs;
  if (low && high) return;
  u.set(kIsClip, std::int64_t{1});
  u.set(kFirstWins, std::int64_t{1});
  if (low) {
    inputs.resize(2);
    u.to("Max");
  } else if (high) {
    inputs.erase(1);
    u.to("Min");
  } else {
    inputs.resize(1);
    u.to("Max");
  }
}

// The largest finite number of a type, or the lowest.
template <class T, class V>
Tensor largest(ElemType elem, V v, bool lowest) {
  const T values[] = {T(lowest ? -v : v)};
  return Tensor::of<T>(elem, {}, values);
}

Tensor finite_bound(ElemType elem, bool lowest) {
  switch (elem) {
    case ElemType::float64:
      return largest<double>(elem, std::numeric_limits<double>::max(), lowest);
    case ElemType::float16:
      return largest<float16>(elem, 65504.0f, lowest);
    case ElemType::bfloat16:
      return largest<bfloat16>(elem, 0x1.fep127f, lowest);
    default:
      return largest<float>(elem, std::numeric_limits<float>::max(), lowest);
  }
}

// Floats take the largest finite numbers as bounds. The largest integers bound nothing.
void settle_clip(Infer& n) {
  Node& node = n.mutable_node();
  const ElemType elem = n.elem(0);
  if (!node.find(kIsClip) || elem == ElemType::undefined) return;
  const bool is_max = node.op->name == "Max", both = node.inputs.size() == 1;
  node.attributes.erase(kIsClip);
  if (!is_float(elem)) {
    if (!both) return;
    node.op = &get("Identity");
    node.attributes.clear();
    return;
  }
  Graph& graph = n.graph();
  const auto bound = [&](const char* name, bool lowest) {
    return graph.add_constant(graph.fresh_name(name), finite_bound(elem, lowest));
  };
  node.op = &get("Clip");
  node.attributes.clear();
  if (!is_max || both) node.inputs.insert(1, bound("lowest", true));
  if (is_max) node.inputs.push_back(bound("largest", false));
}

template <auto f>
void infer_extremum(Infer& n) {
  const Op* const before = n.node().op;
  settle_clip(n);
  if (n.node().op != before) return n.node().op->infer(n);
  infer_selection<f>(n);
}

void fold_clip(Fold& n) {
  const auto clip = [](auto x, auto low, auto high) { return fn::clip(x, low, high); };
  if (n.has_attr("min"))
    fold_elements<1>(n, kFloats, clip, std::array{n.attr_float("min"), n.attr_float("max")});
  else
    fold_elements<3>(n, kNumeric, clip);
}

ScalarFn scalar_clip(const Node& n) {
  return n.find("min") ? scalar_fn<"clip", true, "min", "max">(n) : scalar_fn<"clip">(n);
}

// 1 at a bound. The upper bound wins where it is below the lower one.
void gradient_of_clip(Gradient& n) {
  const bool fixed_bounds = n.has_attr("min");
  const Term low = fixed_bounds ? n.scalar(n.attr_float("min")) : n.x(1);
  const Term high = fixed_bounds ? n.scalar(n.attr_float("max")) : n.x(2);
  const Term above = n.emit("Max", {n.x(), low}) > high;
  const Term below = n.x() < low;
  n.dx_summed(0, choose(above || below, 0.0, n.dy()));
  if (fixed_bounds) return;
  if (n.wants(1)) n.dx_summed(1, choose(below && !above, n.dy(), 0.0));
  if (n.wants(2)) n.dx_summed(2, choose(above, n.dy(), 0.0));
}

constexpr Op rows[] = {
    elementwise({.name = "Where",
                 .versions = "9 16",
                 .inputs = "condition:B X:T Y:T",
                 .outputs = "output:T",
                 .types = "B: bool; T: numeric complex bool string",
                 .infer = infer_where,
                 .fold = fold_where,
                 .scalar = scalar_fn<"where", false>,
                 .gradient = gradient_of_where}),
    elementwise(with_function<3, "where_positive">(
        kFloats,
        {.name = "WherePositive",
         .domain = "onnxc",
         .versions = "1",
         .inputs = "X:T A:T B:T",
         .outputs = "Y:T",
         .infer = infer_broadcast,
         .gradient = gradient_of_where_positive},
        [](auto x, auto a, auto b) { return fn::where_positive(x, a, b); })),
    variadic<"max">(kNumeric,
                    {.name = "Max",
                     .versions = "1 6 8 12 13",
                     .outputs = "max:T",
                     .attributes = "consumed_inputs:ints@1-5",
                     .infer = infer_extremum<Dim::max>,
                     .quick = true,
                     .gradient = gradient_of_selection},
                    [](auto a, auto b) { return fn::max(a, b); }),
    variadic<"min">(kNumeric,
                    {.name = "Min",
                     .versions = "1 6 8 12 13",
                     .outputs = "min:T",
                     .attributes = "consumed_inputs:ints@1-5",
                     .infer = infer_extremum<Dim::min>,
                     .quick = true,
                     .gradient = gradient_of_selection},
                    [](auto a, auto b) { return fn::min(a, b); }),
    elementwise({.name = "Clip",
                 .versions = "1 6 11 12 13",
                 .inputs = "input:T min:T? max:T?",
                 .outputs = "output:T",
                 .types = "T: numeric",
                 .attributes = "min:float@1-10 max:float@1-10 consumed_inputs:ints@1-5",
                 .settings = "min max",
                 .upgrade = upgrade_clip,
                 .infer = infer_unary,
                 .fold = fold_clip,
                 .scalar = scalar_clip,
                 .quick = true,
                 .gradient = gradient_of_clip})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::selection
