// Parts of values as nodes of a graph.
#include "compiler/devices/local_graph.hpp"

#include <algorithm>

#include "compiler/ops/new_nodes.hpp"

namespace onnxc::devices {

using ops::add_ints;
using ops::add_node;

Value* join(Graph& graph, const std::vector<Value*>& pieces, std::size_t axis) {
  if (pieces.size() == 1) return pieces[0];
  return add_node(graph, "Concat", pieces, pieces[0]->type.elem, pieces[0]->name,
                  {{"axis", static_cast<std::int64_t>(axis)}});
}

namespace {

// Bounds of a slice, as numbers or as run-time values.
struct Bounds {
  Dim low, high;
  const Interval* part = nullptr;  // of a dynamic dimension
};

// extent * part / parts, from the value's own shape.
Value* dynamic_bound(Graph& graph, Value* value, std::size_t axis, int part, int parts) {
  Value* shape = add_node(graph, "Shape", {value}, ElemType::int64, value->name + "_shape");
  Value* extent =
      add_node(graph, "Gather", {shape, add_ints(graph, {static_cast<std::int64_t>(axis)}, "axis")},
               ElemType::int64, value->name + "_extent");
  Value* begin = add_node(graph, "Mul", {extent, add_ints(graph, {part}, "part")}, ElemType::int64,
                          value->name + "_begin");
  return add_node(graph, "Div", {begin, add_ints(graph, {parts}, "parts")}, ElemType::int64,
                  value->name + "_begin");
}

Value* slice(Graph& graph, Value* value, const Bounds& b, std::size_t axis) {
  Value *low = nullptr, *high = nullptr;
  if (b.low.is_const() && b.high.is_const()) {
    low = add_ints(graph, {b.low.value()}, "starts");
    high = add_ints(graph, {b.high.value()}, "ends");
  } else {
    low = dynamic_bound(graph, value, axis, b.part->part, b.part->parts);
    high = dynamic_bound(graph, value, axis, b.part->part + 1, b.part->parts);
  }
  Value* axes = add_ints(graph, {static_cast<std::int64_t>(axis)}, "axes");
  return add_node(graph, "Slice", {value, low, high, axes}, value->type.elem,
                  value->name + "_part");
}

// The position of an interval in a value that holds `have` of the axis.
Dim position(const AxisRegion& have, const Interval& want, const Dim& extent) {
  Dim before = 0;
  for (const Interval& h : have) {
    const auto both = common(h, want, extent);
    if (both && both->low == want.low && both->high == want.high) return before + want.low - h.low;
    before = before + h.high - h.low;
  }
  throw std::logic_error("a device lacks a part that it needs");
}

bool same(const AxisRegion& a, const AxisRegion& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const Interval& x, const Interval& y) {
           return x.low == y.low && x.high == y.high;
         });
}

// An interval may overlap neighbours of what is there.
AxisRegion split_at(const AxisRegion& have, const AxisRegion& want, const Dim& extent) {
  AxisRegion pieces;
  for (const Interval& w : want)
    for (const Interval& h : have)
      if (const auto both = common(h, w, extent)) pieces.push_back(*both);
  return pieces;
}

Value* axis_section(Graph& graph, Value* value, const AxisRegion& have, const AxisRegion& want,
                    const Dim& extent, std::size_t axis) {
  std::vector<Bounds> runs;
  const AxisRegion wanted = split_at(have, want, extent);
  for (const Interval& w : wanted) {
    const Dim low = position(have, w, extent), high = low + w.high - w.low;
    if (!runs.empty() && runs.back().high == low)
      runs.back().high = high;
    else
      runs.push_back({low, high, &w});
  }
  std::vector<Value*> pieces;
  for (const Bounds& b : runs)
    pieces.push_back(b.low.is(0) && b.high == extent_of(have) ? value
                                                              : slice(graph, value, b, axis));
  if (pieces.empty()) pieces.push_back(slice(graph, value, {0, 0, nullptr}, axis));
  return join(graph, pieces, axis);
}

}  // namespace

Value* section(Graph& graph, Value* value, const Region& have, const Region& want,
               const Shape& shape) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (!same(have[axis], want[axis]))
      value = axis_section(graph, value, have[axis], want[axis], shape[axis], axis);
  return value;
}

}  // namespace onnxc::devices
