// Loops of operators, and rules that several of them share.
#include "compiler/ops/axes.hpp"

#include <algorithm>
#include <numeric>

#include "compiler/ops/node_builder.hpp"

namespace onnxc::ops {
namespace {

std::vector<Axes::Operand> whole(const std::vector<Value*>& values) {
  std::vector<Axes::Operand> list(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] && values[i]->type.is_tensor() && values[i]->type.has_rank())
      list[i].resize(values[i]->type.rank());
  return list;
}

}  // namespace

Axes::Axes(const Node& node)
    : NodeView(node), inputs_(whole(node.inputs)), outputs_(whole(node.outputs)) {}

int Axes::loop(const Dim& extent, Kind kind) {
  loops_.push_back({kind, extent});
  return static_cast<int>(loops_.size()) - 1;
}

void Axes::window(std::size_t i, std::size_t axis, int over, Window w) {
  inputs_[i][axis] = {over};
  windows_[{i, axis}] = w;
}

const Axes::Window* Axes::window_of(std::size_t i, std::size_t axis) const {
  const auto it = windows_.find({i, axis});
  return it == windows_.end() ? nullptr : &it->second;
}

void Axes::same_but(std::size_t first, std::size_t last) {
  for (std::size_t axis = 0; axis < rank(0); ++axis) {
    if (axis >= first && axis < last) continue;
    const int over = loop(shape(0)[axis]);
    input(0, axis, {over});
    output(0, axis, {over});
  }
}

bool Axes::Part::cut(int loop) const {
  const auto l = static_cast<std::size_t>(loop);
  return !(extents[l] == whole.loops()[l].extent);
}

void Axes::Part::set_ints(std::size_t i, const std::vector<std::int64_t>& list) {
  node.inputs.set(i, editor.ints(list, node.outputs[0]->name + "_shape"));
}

std::vector<std::int64_t> Axes::Part::output_extents() const {
  const Operand& out = whole.outputs()[0];
  std::vector<std::int64_t> list;
  for (std::size_t axis = 0; axis < out.size(); ++axis) {
    Dim extent = out[axis].empty() ? whole.out_shape(0)[axis] : Dim(1);
    for (const int l : out[axis]) extent = extent * extents[static_cast<std::size_t>(l)];
    list.push_back(extent.constant().value_or(-1));
  }
  return list;
}

std::vector<std::int64_t> Axes::Part::extents_for_reshape() const {
  std::vector<std::int64_t> list = output_extents();
  const auto open = std::count(list.begin(), list.end(), -1);
  for (std::size_t axis = 0; open > 1 && axis < list.size(); ++axis)
    if (list[axis] == -1 && axis < whole.rank(0) &&
        whole.inputs()[0][axis] == whole.outputs()[0][axis] &&
        whole.shape(0)[axis] == whole.out_shape(0)[axis])
      list[axis] = 0;
  return list;
}

Value* Axes::Part::with_extents(Value* shape, const Extents& known) {
  std::vector<Value*> entries;
  for (std::size_t axis = 0; axis < known.size(); ++axis) {
    Value* number = editor.ints({known[axis].value_or(static_cast<std::int64_t>(axis))}, "extent");
    entries.push_back(known[axis] ? number
                                  : editor.emit("Gather", {shape, number}, ElemType::int64,
                                                shape->name + "_extent"));
  }
  return editor.emit("Concat", entries, ElemType::int64, shape->name, {{"axis", std::int64_t{0}}});
}

void Axes::Part::set_extents(std::size_t i) {
  const std::vector<std::int64_t> part = output_extents();
  if (std::count(part.begin(), part.end(), -1) == 0) return set_ints(i, part);
  Extents known;
  for (std::size_t axis = 0; axis < part.size(); ++axis) {
    const std::vector<int>& over = whole.outputs()[0][axis];
    if (part[axis] >= 0)
      known.emplace_back(part[axis]);
    else if (!over.empty() && cut(over[0]))
      known.emplace_back(1);
    else
      known.emplace_back();
  }
  node.inputs.set(i, with_extents(inputs[i], known));
}

Value* Axes::Part::scaled(Value* value, double factor) {
  if (factor == 1) return value;
  Value* by = editor.constant(scalar_of(factor, value->type.elem), "factor");
  return editor.emit("Mul", {value, by}, value->type.elem, value->name);
}

Value* Axes::Part::with_trailing_axes(Value* vector, std::size_t count) {
  std::vector<std::int64_t> axes(count);
  std::iota(axes.begin(), axes.end(), 1);
  return editor.emit("Unsqueeze", {vector, editor.ints(axes, "axes")}, vector->type.elem,
                     vector->name);
}

Value* Axes::Part::add_scaled(Value* sum, Value* addend, float factor) {
  return editor.emit("Add", {sum, scaled(addend, static_cast<double>(factor))}, sum->type.elem,
                     sum->name);
}

Value* Axes::Part::with_whole_extents(Value* shape) {
  Extents known(whole.rank(0));
  for (std::size_t axis = 0; axis < known.size(); ++axis) {
    const std::vector<int>& over = whole.inputs()[0][axis];
    if (!over.empty() && cut(over[0])) known[axis] = whole.shape(0)[axis].value();
  }
  return with_extents(shape, known);
}

namespace {

// Axis `axis` of a result, to which operands broadcast that have `trailing` further axes of their
// own: whole where it is known only at run time whether an operand has one element there or all.
Axes::Kind broadcast_kind(const Shape& out, std::size_t axis, std::size_t trailing,
                          std::initializer_list<const Shape*> operands) {
  for (const Shape* shape : operands) {
    const std::size_t from_end = out.size() - axis + trailing;
    if (shape->size() < from_end) continue;
    const Dim& own = (*shape)[shape->size() - from_end];
    if (!own.is(1) && !(own == out[axis])) return Axes::Kind::whole;
  }
  return Axes::Kind::parallel;
}

}  // namespace

void axes_broadcast(Axes& n) {
  const Shape& out = n.out_shape(0);
  for (std::size_t axis = 0; axis < out.size(); ++axis) {
    Axes::Kind kind = Axes::Kind::parallel;
    for (std::size_t i = 0; i < n.input_count() && kind == Axes::Kind::parallel; ++i)
      if (n.ranked(i)) kind = broadcast_kind(out, axis, 0, {&n.shape(i)});
    n.output(0, axis, {n.loop(out[axis], kind)});
  }
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    if (!n.ranked(i)) continue;
    const std::size_t missing = out.size() - n.rank(i);
    for (std::size_t axis = 0; axis < n.rank(i); ++axis)
      if (n.shape(i)[axis] == out[axis + missing])
        n.input(i, axis, {static_cast<int>(axis + missing)});
  }
}

void axes_like_first(Axes& n) { n.same_but(0, 0); }

void axes_but_one(Axes& n) {
  if (n.rank(0) == 0) return;
  const std::size_t axis = n.axis(n.attr_int("axis"), n.rank(0));
  n.same_but(axis, axis + 1);
}

void axes_before(Axes& n) { n.same_but(n.axis(n.attr_int("axis"), n.rank(0)), n.rank(0)); }

void axes_broadcast_to_first(Axes& n, std::size_t i) {
  if (!n.ranked(i)) return;
  const std::size_t missing = n.rank(0) - n.rank(i);
  for (std::size_t axis = 0; axis < n.rank(i); ++axis)
    if (n.shape(i)[axis] == n.shape(0)[axis + missing])
      n.input(i, axis, n.inputs()[0][axis + missing]);
}

namespace {

// Takes the next loop of both sides; false where the extents have no common factor.
bool regroup(Axes& n, Dim& from, Dim& to, std::vector<int>& over_from, std::vector<int>& over_to) {
  Dim extent;
  if (from == to) {
    extent = from;
  } else if (!from.is_const() || !to.is_const() || from.is(0) || to.is(0)) {
    return false;
  } else if (from.value() % to.value() == 0) {
    extent = to;
  } else if (to.value() % from.value() == 0) {
    extent = from;
  } else {
    return false;
  }
  const int over = n.loop(extent);
  over_from.push_back(over);
  over_to.push_back(over);
  from = from == extent ? Dim(1) : Dim(from.value() / extent.value());
  to = to == extent ? Dim(1) : Dim(to.value() / extent.value());
  return true;
}

}  // namespace

// From the front, and where extents do not fit each other, from there on whole.
void axes_regrouped(Axes& n) {
  const Shape &from = n.shape(0), &to = n.out_shape(0);
  std::vector<std::vector<int>> over_from(from.size()), over_to(to.size());
  std::size_t i = 0, k = 0, whole_i = 0, whole_k = 0;
  Dim left = from.empty() ? Dim(1) : from[0], right = to.empty() ? Dim(1) : to[0];
  while (i < from.size() && k < to.size()) {
    if (left.is(1)) {
      if (++i < from.size()) left = from[i];
    } else if (right.is(1)) {
      if (++k < to.size()) right = to[k];
    } else if (!regroup(n, left, right, over_from[i], over_to[k])) {
      break;
    }
    if (left.is(1) && right.is(1)) whole_i = i + 1, whole_k = k + 1;
  }
  for (std::size_t a = 0; a < std::min(whole_i, from.size()); ++a) n.input(0, a, over_from[a]);
  for (std::size_t a = 0; a < std::min(whole_k, to.size()); ++a) n.output(0, a, over_to[a]);
}

void axes_matmul(Axes& n, std::size_t a, std::size_t b, bool sums) {
  const Shape &x = n.shape(a), &y = n.shape(b), &out = n.out_shape(0);
  const bool row = x.size() == 1, column = y.size() == 1;
  const int inner = n.loop(x.back(), sums ? Axes::Kind::sum : Axes::Kind::whole);
  n.input(a, x.size() - 1, {inner});
  n.input(b, column ? 0 : y.size() - 2, {inner});
  std::size_t batch = out.size() - (row ? 0 : 1) - (column ? 0 : 1);
  const Shape batches(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(batch));
  for (std::size_t axis = 0; axis < batch; ++axis) {
    const int over = n.loop(out[axis], broadcast_kind(batches, axis, 2, {&x, &y}));
    n.output(0, axis, {over});
    for (const auto& [operand, shape] : {std::pair(a, x), std::pair(b, y)}) {
      if (shape.size() < 2 + batch - axis) continue;
      const std::size_t at = shape.size() - 2 - (batch - axis);
      if (shape[at] == out[axis]) n.input(operand, at, {over});
    }
  }
  if (!row) {
    const int over = n.loop(out[batch]);
    n.input(a, x.size() - 2, {over});
    n.output(0, batch++, {over});
  }
  if (column) return;
  const int over = n.loop(out[batch]);
  n.input(b, y.size() - 1, {over});
  n.output(0, batch, {over});
}

void axes_quantized(Axes& n) {
  n.same_but(0, 0);
  const auto rank = static_cast<std::int64_t>(n.rank(0));
  // Data without this axis have a single scale.
  if (!n.ranked(1) || n.attr_int("axis") >= rank || n.attr_int("axis") < -rank) return;
  const bool blocked = n.find_int("block_size").value_or(0) != 0;
  const std::size_t axis = n.axis(n.attr_int("axis"), n.rank(0));
  const auto has_one = [&](std::size_t i) { return product(n.shape(i)).is(1); };
  for (std::size_t i = 1; i < 3; ++i) {
    if (!n.ranked(i) || has_one(i)) continue;
    if (!blocked) {
      if (n.shape(i)[0] == n.shape(0)[axis]) n.input(i, 0, n.inputs()[0][axis]);
      continue;
    }
    // Blocks lie along the axis: it is whole.
    n.input(0, axis, {});
    n.output(0, axis, {});
    for (std::size_t a = 0; a < n.rank(i); ++a)
      if (a != axis) n.input(i, a, n.inputs()[0][a]);
  }
}

// X [T, B, I], Y [T, D, B, H], states [D, B, H]; with `layout` the batch is first.
void axes_recurrent(Axes& n) {
  const bool first = n.attr_int("layout") != 0;
  const int batch = n.loop(n.shape(0)[first ? 0 : 1]);
  n.input(0, first ? 0 : 1, {batch});
  if (n.has_input(4)) n.input(4, 0, {batch});
  for (std::size_t i = 5; i < 7; ++i)
    if (n.has_input(i)) n.input(i, first ? 0 : 1, {batch});
  if (n.has_output(0)) n.output(0, first ? 0 : 2, {batch});
  for (std::size_t i = 1; i < 3; ++i)
    if (n.has_output(i)) n.output(i, first ? 0 : 1, {batch});
}

void axes_of_planes(Axes& n, Axes::Kind kind) {
  n.same_but(2, n.rank(0));
  for (std::size_t axis = 2; axis < n.rank(0); ++axis)
    if (n.shape(0)[axis].is_const()) n.input(0, axis, {n.loop(n.shape(0)[axis], kind)});
}

void join_means(Axes& n) {
  n.partial = [](Axes::Part& p, Value* mean) {
    double share = 1;
    for (std::size_t l = 0; l < p.extents.size(); ++l) {
      const Axes::Loop& loop = p.whole.loops()[l];
      if (loop.kind == Axes::Kind::sum)
        share *=
            static_cast<double>(p.extents[l].value()) / static_cast<double>(loop.extent.value());
    }
    return p.scaled(mean, share);
  };
}

}  // namespace onnxc::ops
