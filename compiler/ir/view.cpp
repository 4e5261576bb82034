// Strided views of tensors: what Transpose, Reshape, Slice and their like do to strides.
#include "compiler/ir/view.hpp"

namespace onnxc {
namespace {

View without_ones(const View& v) {
  View out{{}, {}, v.offset};
  for (std::size_t i = 0; i < v.rank(); ++i) {
    if (v.dims[i].is(1)) continue;
    out.dims.push_back(v.dims[i]);
    out.strides.push_back(v.strides[i]);
  }
  return out;
}

// End of the axes from `first` on whose dimensions multiply to `count`; `first` if there is none.
std::size_t end_of_axes(const Shape& dims, std::size_t first, const Dim& count) {
  Dim product = 1;
  for (std::size_t i = first; i < dims.size(); ++i) {
    product = product * dims[i];
    if (product == count) return i + 1;
  }
  return first;
}

bool can_merge(const View& v, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i + 1 < end; ++i)
    if (!(v.strides[i] == v.strides[i + 1] * v.dims[i + 1])) return false;
  return true;
}

}  // namespace

std::string View::to_string() const {
  return "view(" + onnxc::to_string(dims) + ", " + onnxc::to_string(strides) + ", " +
         offset.to_string() + ")";
}

bool operator==(const View& a, const View& b) {
  return a.dims == b.dims && a.strides == b.strides && a.offset == b.offset;
}

Shape row_major(const Shape& dims) {
  Shape strides(dims.size(), Dim(1));
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

View dense_view(const Shape& dims) { return {dims, row_major(dims), 0}; }

bool is_dense(const View& v) {
  const View x = without_ones(v);
  return x.strides == row_major(x.dims);
}

View transpose(const View& v, const std::vector<std::int64_t>& perm) {
  View out{{}, {}, v.offset};
  for (std::int64_t axis : perm) {
    out.dims.push_back(v.dims[static_cast<std::size_t>(axis)]);
    out.strides.push_back(v.strides[static_cast<std::size_t>(axis)]);
  }
  return out;
}

View slice(View v, std::size_t axis, const Dim& start, const Dim& count, std::int64_t step) {
  v.offset = v.offset + start * v.strides[axis];
  v.dims[axis] = count;
  // A single element needs no stride, and a large one may overflow.
  if (step != 1 && !count.is(1)) v.strides[axis] = v.strides[axis] * step;
  return v;
}

View select(View v, std::size_t axis, const Dim& index) {
  v.offset = v.offset + index * v.strides[axis];
  v.dims.erase(v.dims.begin() + static_cast<std::ptrdiff_t>(axis));
  v.strides.erase(v.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return v;
}

std::optional<View> broadcast(const View& v, const Shape& dims) {
  if (dims.size() < v.rank()) return std::nullopt;
  View out{dims, Shape(dims.size(), Dim(0)), v.offset};
  const std::size_t added = dims.size() - v.rank();
  for (std::size_t i = 0; i < v.rank(); ++i) {
    if (v.dims[i] == dims[i + added])
      out.strides[i + added] = v.strides[i];
    else if (!v.dims[i].is(1))
      return std::nullopt;
  }
  return out;
}

std::optional<View> reshape(const View& v, const Shape& dims) {
  View out{dims, Shape(dims.size(), Dim(0)), v.offset};
  const View from = without_ones(v);
  std::size_t i = 0;
  for (std::size_t k = 0; k < dims.size();) {
    if (dims[k].is(1)) {
      ++k;
      continue;
    }
    if (i == from.rank()) return std::nullopt;
    // A group of axes of `from` and one of `dims` with the same number of elements: a split or
    // merge.
    std::size_t from_end = i + 1, end = end_of_axes(dims, k, from.dims[i]);
    if (end == k) {
      end = k + 1;
      from_end = end_of_axes(from.dims, i, dims[k]);
      if (from_end == i || !can_merge(from, i, from_end)) return std::nullopt;
    }
    Dim stride = from.strides[from_end - 1];
    for (std::size_t j = end; j-- > k; stride = stride * dims[j]) out.strides[j] = stride;
    i = from_end;
    k = end;
  }
  return i == from.rank() ? std::optional(out) : std::nullopt;
}

void collapse(Shape& dims, const std::vector<Shape*>& strides) {
  Shape new_dims;
  std::vector<Shape> new_strides(strides.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].is(1)) continue;
    bool merge = !new_dims.empty();
    for (std::size_t k = 0; k < strides.size() && merge; ++k)
      merge = new_strides[k].back() == (*strides[k])[i] * dims[i];
    if (merge)
      new_dims.back() = new_dims.back() * dims[i];
    else
      new_dims.push_back(dims[i]);
    for (std::size_t k = 0; k < strides.size(); ++k) {
      if (merge)
        new_strides[k].back() = (*strides[k])[i];
      else
        new_strides[k].push_back((*strides[k])[i]);
    }
  }
  dims = std::move(new_dims);
  for (std::size_t k = 0; k < strides.size(); ++k) *strides[k] = std::move(new_strides[k]);
}

}  // namespace onnxc
