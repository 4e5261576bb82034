// value.hpp - conversion between tensors and values of dynamic rank.
#pragma once

#include <algorithm>
#include <iterator>

#include "runtime_min/value.hpp"

namespace onnxc {

inline void copy_value(const Value& x, Value& y) { y = x; }

// x: a tensor of s.dims[0 .. s.rank). y becomes a value with its elements.  s: rank, dims.
template <class S, class T>
Status box_value(S s, const T* x, Value& y) {
  Extent dims[std::size(decltype(s.dims){})] = {};
  Extent count = 1;
  for (Index k = 0; k < s.rank; ++k) {
    dims[k] = s.dims[k];
    count = count * dims[k];
  }
  auto* const data = static_cast<T*>(y.make_tensor(s.rank, dims, Index{sizeof(T)}));
  if (data == nullptr) return Status::out_of_memory;
  std::copy(x, x + Index(count), data);
  return Status::ok;
}

// The extents of a value that has to be a tensor of rank s.rank.
template <class S>
Status value_extents(S s, const Value& x, Index* extents) {
  if (!x.exists()) return Status::bad_value;
  if (x.is_list() || x.rank() != s.rank) return Status::bad_shape;
  for (Index k = 0; k < s.rank; ++k) extents[k] = static_cast<Index>(x.dim(k));
  return Status::ok;
}

// y: the elements of x, as many as value_extents found.
template <class T>
void unbox_value(const Value& x, T* y) {
  std::copy(x.data<T>(), x.data<T>() + static_cast<Index>(x.size()), y);
}

}  // namespace onnxc
