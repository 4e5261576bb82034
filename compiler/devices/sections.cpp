// Parts of values as nodes of a graph.
#include "compiler/devices/local_graph.hpp"

#include <algorithm>

namespace onnxc::devices {

Value* join(GraphEditor& editor, const std::vector<Value*>& pieces, std::size_t axis) {
  if (pieces.size() == 1) return pieces[0];
  return editor.emit("Concat", pieces, pieces[0]->type.elem, pieces[0]->name,
                     {{"axis", static_cast<std::int64_t>(axis)}});
}

namespace {

// Bounds of a slice, as numbers or as run-time values.
struct Bounds {
  Dim low, high;
  const Interval* part = nullptr;  // of a dynamic dimension
};

// extent * part / parts, from the value's own shape.
Value* dynamic_bound(GraphEditor& editor, Value* value, std::size_t axis, int part, int parts) {
  Value* shape = editor.emit("Shape", {value}, ElemType::int64, value->name + "_shape");
  Value* extent =
      editor.emit("Gather", {shape, editor.ints({static_cast<std::int64_t>(axis)}, "axis")},
                  ElemType::int64, value->name + "_extent");
  Value* begin = editor.emit("Mul", {extent, editor.ints({part}, "part")}, ElemType::int64,
                             value->name + "_begin");
  return editor.emit("Div", {begin, editor.ints({parts}, "parts")}, ElemType::int64,
                     value->name + "_begin");
}

Value* slice(GraphEditor& editor, Value* value, const Bounds& b, std::size_t axis) {
  Value *low = nullptr, *high = nullptr;
  if (b.low.is_const() && b.high.is_const()) {
    low = editor.ints({b.low.value()}, "starts");
    high = editor.ints({b.high.value()}, "ends");
  } else {
    low = dynamic_bound(editor, value, axis, b.part->part, b.part->parts);
    high = dynamic_bound(editor, value, axis, b.part->part + 1, b.part->parts);
  }
  Value* axes = editor.ints({static_cast<std::int64_t>(axis)}, "axes");
  return editor.emit("Slice", {value, low, high, axes}, value->type.elem, value->name + "_part");
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

Value* axis_section(GraphEditor& editor, Value* value, const AxisRegion& have,
                    const AxisRegion& want, const Dim& extent, std::size_t axis) {
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
                                                              : slice(editor, value, b, axis));
  if (pieces.empty()) pieces.push_back(slice(editor, value, {0, 0, nullptr}, axis));
  return join(editor, pieces, axis);
}

}  // namespace

Value* section(GraphEditor& editor, Value* value, const Region& have, const Region& want,
               const Shape& shape) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (!same(have[axis], want[axis]))
      value = axis_section(editor, value, have[axis], want[axis], shape[axis], axis);
  return value;
}

}  // namespace onnxc::devices
