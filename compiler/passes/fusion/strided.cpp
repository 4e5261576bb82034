#include "compiler/passes/fusion/strided.hpp"

#include <utility>

#include "compiler/ops/node_view.hpp"
#include "compiler/ops/region.hpp"
#include "compiler/passes/quantization/quant_params.hpp"

namespace onnxc::passes {
namespace {

using Part = std::optional<Strided>;

// How many moves a look back passes.
constexpr int kFarthest = 16;

std::optional<std::size_t> axis_of(const ops::NodeView& n, std::size_t rank) {
  const std::int64_t axis = n.attr_int("axis"), count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

Part transposed(const Strided& x, const ops::NodeView& n) {
  Strided out{x.base, {}, {}, x.offset};
  const auto* perm = n.find_ints("perm");
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    const std::size_t from = perm ? static_cast<std::size_t>((*perm)[i]) : x.dims.size() - 1 - i;
    out.dims.push_back(x.dims[from]);
    out.steps.push_back(x.steps[from]);
  }
  return out;
}

// Output `v` of a Split.
Part split(Strided x, const ops::NodeView& n, const Value* v) {
  const auto axis = axis_of(n, x.dims.size());
  if (!axis) return std::nullopt;
  for (const Value* other : n.node().outputs) {
    if (other == v) break;
    if (!other || !other->type.has_rank()) return std::nullopt;
    x.offset = x.offset + (*other->type.shape)[*axis] * x.steps[*axis];
  }
  x.dims[*axis] = (*v->type.shape)[*axis];
  return x;
}

// One slice along an axis, which disappears.
Part gathered(Strided x, const ops::NodeView& n) {
  const auto axis = axis_of(n, x.dims.size());
  const auto index = n.ints(1);
  if (!axis || !index || index->size() != 1 || !n.input(1).shape->empty()) return std::nullopt;
  const auto at = static_cast<std::ptrdiff_t>(*axis);
  const Dim start = (*index)[0] < 0 ? x.dims[*axis] + (*index)[0] : Dim((*index)[0]);
  x.offset = x.offset + start * x.steps[*axis];
  x.dims.erase(x.dims.begin() + at);
  x.steps.erase(x.steps.begin() + at);
  return x;
}

// Ranges whose starts are known numbers, every element of them.
Part sliced(Strided x, const ops::NodeView& n, const Value* v) {
  const auto starts = n.ints(1), ends = n.ints(2);
  const auto axes = n.has_input(3) ? n.ints(3) : std::nullopt;
  const auto strides = n.has_input(4) ? n.ints(4) : std::nullopt;
  if (!starts || !ends || !axes || (n.has_input(4) && !strides)) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i];
    const Dim& extent = x.dims[static_cast<std::size_t>(axis)];
    if (!extent.is_const() || (strides && (*strides)[i] != 1)) return std::nullopt;
    const std::int64_t from = (*starts)[i] < 0 ? (*starts)[i] + extent.value() : (*starts)[i];
    if (from < 0 || from > extent.value()) return std::nullopt;
    x.offset = x.offset + x.steps[static_cast<std::size_t>(axis)] * from;
  }
  x.dims = *v->type.shape;
  return x;
}

Part expanded(const Strided& x, const Shape& dims) {
  Strided out{x.base, dims, Shape(dims.size(), Dim(0)), x.offset};
  if (dims.size() < x.dims.size()) return std::nullopt;
  const std::size_t added = dims.size() - x.dims.size();
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    if (x.dims[i] == dims[i + added])
      out.steps[i + added] = x.steps[i];
    else if (!x.dims[i].is(1))
      return std::nullopt;
  }
  return out;
}

bool is_reshape(const Node* n) {
  return is_a(n, "Reshape") || is_a(n, "Squeeze") || is_a(n, "Unsqueeze") || is_a(n, "Flatten") ||
         is_a(n, "Identity");
}

// A Transpose of the matrices of a stack.
bool swaps_last(const Node& node, std::size_t rank) {
  const auto* perm = is_a(&node, "Transpose") ? ops::NodeView(node).find_ints("perm") : nullptr;
  if (!perm || rank < 2) return false;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t from = i + 2 == rank ? i + 1 : i + 1 == rank ? i - 1 : i;
    if ((*perm)[i] != static_cast<std::int64_t>(from)) return false;
  }
  return true;
}

Strided without_ones(const Strided& x) {
  Strided out{x.base, {}, {}, x.offset};
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    if (x.dims[i].is(1)) continue;
    out.dims.push_back(x.dims[i]);
    out.steps.push_back(x.steps[i]);
  }
  return out;
}

// The end of the axes from `first` on that hold `count` elements; `first` if there are no such.
std::size_t axes_of(const Shape& dims, std::size_t first, const Dim& count) {
  Dim product = 1;
  for (std::size_t i = first; i < dims.size(); ++i) {
    product = product * dims[i];
    if (product == count) return i + 1;
  }
  return first;
}

bool walked_as_one(const Strided& x, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i + 1 < end; ++i)
    if (!(x.steps[i] == x.steps[i + 1] * x.dims[i + 1])) return false;
  return true;
}

Part moved(const Node& node, const Value* v, int depth);

Strided look_back(Value* v, int depth) {
  const Node* node = v->producer;
  if (!node || v->constant || depth == 0 || node->inputs.empty()) return contiguous(v);
  const Value* x = node->inputs[0];
  if (!x || !x->type.has_rank()) return contiguous(v);
  const Part part = moved(*node, v, depth);
  return part && part->dims == *v->type.shape ? *part : contiguous(v);
}

Part moved(const Node& node, const Value* v, int depth) {
  const ops::NodeView n(node);
  const auto input = [&] { return look_back(node.inputs[0], depth - 1); };
  if (is_a(&node, "Transpose")) return transposed(input(), n);
  if (is_reshape(&node)) return reshaped(input(), *v->type.shape);
  if (is_a(&node, "Split")) return split(input(), n, v);
  if (is_a(&node, "Gather")) return gathered(input(), n);
  if (is_a(&node, "Slice")) return sliced(input(), n, v);
  if (is_a(&node, "Expand")) return expanded(input(), *v->type.shape);
  return std::nullopt;
}

}  // namespace

Strided contiguous(Value* v) { return {v, *v->type.shape, ops::row_major(*v->type.shape), 0}; }

Strided strided(Value* v) { return look_back(v, kFarthest); }

std::optional<Strided> strided_as(Value* v, const Shape& dims) {
  const Node* node = v->producer;
  const bool moved = node && !v->constant && !node->inputs.empty() && node->inputs[0] &&
                     node->inputs[0]->type.has_rank();
  if (moved && is_reshape(node)) {
    if (auto x = reshaped(strided(node->inputs[0]), dims)) return x;
  }
  if (moved && dims.size() >= 2 && swaps_last(*node, v->type.rank())) {
    Shape before = dims;
    std::swap(before[dims.size() - 2], before.back());
    auto x = strided_as(node->inputs[0], before);
    if (!x) return std::nullopt;
    std::swap(x->dims[dims.size() - 2], x->dims.back());
    std::swap(x->steps[dims.size() - 2], x->steps.back());
    return x;
  }
  return reshaped(strided(v), dims);
}

std::optional<Strided> reshaped(const Strided& x, const Shape& dims) {
  Strided out{x.base, dims, Shape(dims.size(), Dim(0)), x.offset};
  const Strided from = without_ones(x);
  std::size_t i = 0;
  for (std::size_t k = 0; k < dims.size();) {
    if (dims[k].is(1)) {
      ++k;
      continue;
    }
    if (i == from.dims.size()) return std::nullopt;
    // Axes of `from` and `dims` with the same number of elements: one of them splits or joins.
    std::size_t from_end = i + 1, end = axes_of(dims, k, from.dims[i]);
    if (end == k) {
      end = k + 1;
      from_end = axes_of(from.dims, i, dims[k]);
      if (from_end == i || !walked_as_one(from, i, from_end)) return std::nullopt;
    }
    Dim step = from.steps[from_end - 1];
    for (std::size_t j = end; j-- > k; step = step * dims[j]) out.steps[j] = step;
    i = from_end;
    k = end;
  }
  return i == from.dims.size() ? Part(out) : std::nullopt;
}

}  // namespace onnxc::passes
