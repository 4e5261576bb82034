// Finds the tensor that data movement operators read and the strides that they amount to.
#include "compiler/passes/fusion/strided.hpp"

#include <numeric>
#include <utility>

#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// Limit on the number of operators to look through.
constexpr int kFarthest = 16;

std::optional<std::size_t> axis_of(const ops::NodeView& n, std::size_t rank) {
  const std::int64_t axis = n.attr_int("axis"), count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

View transposed(const View& x, const ops::NodeView& n) {
  if (const auto* perm = n.find_ints("perm")) return transpose(x, *perm);
  std::vector<std::int64_t> reversed(x.rank());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return transpose(x, reversed);
}

// The slice that is output `v` of a Split.
std::optional<View> split(const View& x, const ops::NodeView& n, const Value* v) {
  const auto axis = axis_of(n, x.rank());
  if (!axis) return std::nullopt;
  Dim start = 0;
  for (const Value* other : n.node().outputs) {
    if (other == v) break;
    if (!other || !other->type.has_rank()) return std::nullopt;
    start = start + (*other->type.shape)[*axis];
  }
  return slice(x, *axis, start, (*v->type.shape)[*axis]);
}

// One slice along an axis; the axis is removed.
std::optional<View> gathered(const View& x, const ops::NodeView& n) {
  const auto axis = axis_of(n, x.rank());
  const auto index = n.ints(1);
  if (!axis || !index || index->size() != 1 || !n.input(1).shape->empty()) return std::nullopt;
  return select(x, *axis, (*index)[0] < 0 ? x.dims[*axis] + (*index)[0] : Dim((*index)[0]));
}

// Slices with constant starts.
std::optional<View> sliced(View x, const ops::NodeView& n, const Value* v) {
  const auto starts = n.ints(1), ends = n.ints(2);
  const auto axes = n.has_input(3) ? n.ints(3) : std::nullopt;
  const auto steps = n.has_input(4) ? n.ints(4) : std::nullopt;
  if (!starts || !ends || !axes || (n.has_input(4) && !steps)) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(x.rank());
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = static_cast<std::size_t>((*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i]);
    const Dim& extent = x.dims[axis];
    if (!extent.is_const() || (steps && (*steps)[i] != 1)) return std::nullopt;
    const std::int64_t from = (*starts)[i] < 0 ? (*starts)[i] + extent.value() : (*starts)[i];
    if (from < 0 || from > extent.value()) return std::nullopt;
    x = slice(x, axis, from, (*v->type.shape)[axis]);
  }
  return x;
}

bool is_reshape(const Node* n) {
  return is_a(n, "Reshape") || is_a(n, "Squeeze") || is_a(n, "Unsqueeze") || is_a(n, "Flatten") ||
         is_a(n, "Identity");
}

// A Transpose of the last two axes.
bool swaps_last(const Node& node, std::size_t rank) {
  const auto* perm = is_a(&node, "Transpose") ? ops::NodeView(node).find_ints("perm") : nullptr;
  if (!perm || rank < 2) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t from = i + 2 == rank ? i + 1 : i + 1 == rank ? i - 1 : i;
    if ((*perm)[i] != static_cast<std::int64_t>(from)) return false;
  }
  return true;
}

std::optional<View> moved(const View& x, const Node& node, const Value* v) {
  const ops::NodeView n(node);
  if (is_a(&node, "Transpose")) return transposed(x, n);
  if (is_reshape(&node)) return onnxc::reshape(x, *v->type.shape);
  if (is_a(&node, "Split")) return split(x, n, v);
  if (is_a(&node, "Gather")) return gathered(x, n);
  if (is_a(&node, "Slice")) return sliced(x, n, v);
  if (is_a(&node, "Expand")) return broadcast(x, *v->type.shape);
  return std::nullopt;
}

bool moves_a_tensor(const Value* v) {
  const Node* node = v->producer;
  return node && !v->constant && ops::moves_elements(*node) && node->inputs[0]->type.has_rank();
}

ValueView look_back(Value* v, int depth) {
  if (depth == 0 || !moves_a_tensor(v)) return view_of_itself(v);
  const ValueView x = look_back(v->producer->inputs[0], depth - 1);
  const auto view = moved(x.view, *v->producer, v);
  return view && view->dims == *v->type.shape ? ValueView{x.base, *view} : view_of_itself(v);
}

void swap_last(Shape& dims) { std::swap(dims[dims.size() - 2], dims.back()); }

}  // namespace

ValueView view_of_itself(Value* v) { return {v, dense_view(*v->type.shape)}; }

ValueView view_of_earliest(Value* v) { return look_back(v, kFarthest); }

std::optional<ValueView> view_of_earliest_as(Value* v, const Shape& dims) {
  const bool moves = moves_a_tensor(v);
  if (moves && is_reshape(v->producer)) {
    if (auto x = reshape(view_of_earliest(v->producer->inputs[0]), dims)) return x;
  }
  if (moves && dims.size() >= 2 && swaps_last(*v->producer, v->type.rank())) {
    Shape before = dims;
    swap_last(before);
    auto x = view_of_earliest_as(v->producer->inputs[0], before);
    if (!x) return std::nullopt;
    swap_last(x->view.dims);
    swap_last(x->view.strides);
    return x;
  }
  return reshape(view_of_earliest(v), dims);
}

std::optional<ValueView> reshape(const ValueView& x, const Shape& dims) {
  const auto view = onnxc::reshape(x.view, dims);
  return view ? std::optional(ValueView{x.base, *view}) : std::nullopt;
}

}  // namespace onnxc::passes
