// Type and shape inference: rules shared by operators.
#include "compiler/ops/infer.hpp"

#include <algorithm>
#include <cmath>

#include "compiler/ops/contents.hpp"

namespace onnxc::ops {

namespace {

// A size of several results, one of which is declared: the constant holds for the later ones, too.
// `recent`: as many relations as the earlier results can have added.
void take_declared(const std::vector<Relation>& relations, std::size_t recent, Shape& shape) {
  for (std::size_t k = relations.size() - std::min(recent, relations.size()); k < relations.size();
       ++k) {
    const Relation& r = relations[k];
    if (r.may_broadcast || !r.a.as_symbol() || !r.b.is_const()) continue;
    for (Dim& d : shape)
      if (d == r.a) d = r.b;
  }
}

}  // namespace

void Infer::output(std::size_t i, Type type) {
  if (!has_output(i)) return;
  Value& v = *mutable_node_->outputs[i];
  std::size_t earlier = 0;
  for (std::size_t j = 0; j < i; ++j)
    if (has_output(j) && output_value(j).type.has_rank()) earlier += output_value(j).type.rank();
  constexpr std::size_t kEach = 2;  // relations that output() adds for a dimension
  if (earlier > 0 && type.is_tensor() && type.shape)
    take_declared(graph_->relations, kEach * earlier, *type.shape);
  if (type.is_tensor() && type.shape)
    for (const Dim& d : *type.shape) at_least(d, 0, fmt::format("output {}", i));
  type = reconciled(i, std::move(type));
  if (type.shape)
    for (Dim& d : *type.shape) d = named(d);
  v.type = std::move(type);
}

void Infer::output_extents(std::size_t i, std::vector<Dim> contents) {
  output_some_extents(i, {contents.begin(), contents.end()});
}

void Infer::output_some_extents(std::size_t i, std::vector<std::optional<Dim>> contents) {
  if (!has_output(i)) return;
  Value& v = *mutable_node_->outputs[i];
  v.extent.reset();
  v.partial_extent.clear();
  for (std::optional<Dim>& d : contents) {
    if (d) d = stored_value(*d, v.type.elem);
    if (d) d = named_value(*d);
    if (d && v.type.elem == ElemType::int32) require_int32(*d, i);
  }
  const auto known = [](const std::optional<Dim>& d) { return d.has_value(); };
  if (std::none_of(contents.begin(), contents.end(), known) && !contents.empty()) return;
  if (!std::all_of(contents.begin(), contents.end(), known)) {
    v.partial_extent = std::move(contents);
    return;
  }
  v.extent.emplace();
  for (std::optional<Dim>& d : contents) v.extent->push_back(std::move(*d));
}

// Larger sizes than stored_value() expects end with a status in place of wrapping.
void Infer::require_int32(const Dim& value, std::size_t output) const {
  const Dim::Interval range = promised_interval(value);
  const std::string field = fmt::format("output {}", output);
  if (!range.high || *range.high > INT32_MAX) at_most(value, INT32_MAX, field);
  if (!range.low || *range.low < INT32_MIN) at_least(value, INT32_MIN, field);
}

void Infer::output_before_rounding(std::size_t i, std::vector<Dim> contents) {
  if (!has_output(i)) return;
  for (Dim& d : contents) {
    const auto value = named_value(d);
    if (!value) return;
    d = *value;
  }
  mutable_node_->outputs[i]->before_rounding = std::move(contents);
}

namespace {

// The type holds all integers up to this size exactly.
std::int64_t largest_exact(ElemType type) {
  const bool single = type == ElemType::float32;
  return single ? std::int64_t{1} << 24 : type == ElemType::float64 ? std::int64_t{1} << 53 : 0;
}

template <class T>
std::optional<std::vector<Dim>> exact_numbers(const Tensor& t) {
  std::vector<Dim> out;
  const auto limit = static_cast<T>(largest_exact(t.elem()));
  for (T v : t.as<T>()) {
    if (!(v >= -limit && v <= limit) || std::trunc(v) != v) return std::nullopt;
    out.push_back(static_cast<std::int64_t>(v));
  }
  return out;
}

}  // namespace

std::optional<std::vector<Dim>> Infer::before_rounding(std::size_t i) const {
  if (!has_input(i)) return std::nullopt;
  const Tensor* t = constant(i);
  if (!t || t->dims().size() > 1) return input_value(i).before_rounding;
  if (t->elem() == ElemType::float32) return exact_numbers<float>(*t);
  if (t->elem() == ElemType::float64) return exact_numbers<double>(*t);
  return std::nullopt;
}

Dim::Interval Infer::promised_interval(const Dim& d) const {
  const auto& ranges = graph_->root().ranges;
  const auto largest = [&](const std::string& symbol) -> std::optional<std::int64_t> {
    const auto range = ranges.find(symbol);
    return range == ranges.end() ? std::nullopt : range->second.high;
  };
  const auto zero = [](const std::string&) { return std::optional<std::int64_t>(0); };
  return d.interval(largest, zero);
}

bool Infer::is_exact(const Dim& d, ElemType type) const {
  const Dim::Interval range = promised_interval(d);
  const std::int64_t limit = largest_exact(type);
  return range.high && range.low && *range.high <= limit && *range.low >= -limit;
}

// Symbols are extents, so that only what is never negative can be named by one.
std::optional<Dim> Infer::named_value(const Dim& given) {
  const auto& limits = graph_->root().limits;
  const Dim d = limits.empty() || given.is_const() ? given : given.under(limits);
  if (d.is_const() || d.is_never_below(0)) return named(d);
  constexpr std::size_t kLongest = 4 * kLongestDim;
  return d.to_string().size() <= kLongest ? std::optional(d) : std::nullopt;
}

Dim Infer::named(const Dim& given) {
  Graph& root = graph_->root();
  const Dim d = root.limits.empty() || given.is_const() ? given : given.under(root.limits);
  if (d.is_const() || d.as_symbol() || d.to_string().size() <= kLongestDim) return d;
  for (const auto& [name, definition] : root.definitions)
    if (definition == d) return Dim::symbol(name);
  const Dim symbol = unknown_extent(d);
  root.definitions.emplace_back(*symbol.as_symbol(), d);
  return symbol;
}

Dim Infer::unknown_extent(std::optional<Dim> at_most) {
  Graph& root = graph_->root();
  const std::string name = root.fresh_name({kInnerSize});
  root.ranges[name].at_most = std::move(at_most);
  return Dim::symbol(name);
}

Shape broadcast(const NodeView& n, const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const std::size_t skip = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const Dim &x = out[skip + i], &y = shorter[i];
    n.require(x == y || x.is(1) || y.is(1) || !x.is_const() || !y.is_const(), "inputs",
              "shapes {} and {} do not broadcast", to_string(a), to_string(b));
    out[skip + i] = n.broadcast(x, y, "inputs");
  }
  return out;
}

void infer_like_first(Infer& n) {
  n.output(0, n.input(0));
  if (const auto contents = n.some_extents(0)) n.output_some_extents(0, *contents);
}

namespace {

void broadcast_all(Infer& n, ElemType elem) {
  std::optional<Shape> shape = n.has_rank(0) ? std::optional(n.shape(0)) : std::nullopt;
  for (std::size_t i = 1; i < n.input_count() && shape; ++i) {
    if (!n.has_rank(i))
      shape.reset();
    else
      shape = broadcast(n, *shape, n.shape(i));
  }
  n.output(0, elem, shape);
}

}  // namespace

void infer_broadcast(Infer& n) { broadcast_all(n, n.elem(0)); }
void infer_broadcast_bool(Infer& n) { broadcast_all(n, ElemType::boolean); }

void warn_zero_divisor(Infer& n) {
  const Tensor* divisor = n.constant(1);
  if (!divisor || !is_integer(divisor->elem())) return;
  const auto values = divisor->to_int64s();
  if (std::find(values.begin(), values.end(), 0) != values.end())
    n.warn("division-by-zero", "input 1 \"B\"",
           "has a zero among its integers; dividing by it gives 0");
}

void propagate_selection(Infer& n, Dim (*f)(const Dim&, const Dim&)) {
  if (is_integer(n.elem(0))) return propagate_contents(n, f);
  const auto a = n.before_rounding(0), b = n.before_rounding(1);
  if (!a || !b || !n.has_rank(0) || !n.has_rank(1)) return;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return;
  std::vector<Dim> out;
  const std::size_t size = a->empty() || b->empty() ? 0 : std::max(a->size(), b->size());
  for (std::size_t i = 0; i < size; ++i)
    out.push_back(f((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]));
  n.output_before_rounding(0, std::move(out));
}

}  // namespace onnxc::ops
