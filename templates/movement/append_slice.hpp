// append_slice.hpp - one more slice of a tensor that grows along its first axis.
#pragma once

#include "runtime_min/heap.hpp"

namespace onnxc {

// x: a tensor of s.dims; y: *at slices before, one more after. All slices have one shape: that of
// the first, which `extents` reports; `s.known` repeats it.  s: rank, dims, known.
template <class S, class T>
Status append_slice(S s, const T* x, const std::int64_t* at, Block<T>& y, Index* extents) {
  Extent size = 1;
  for (Index k = 0; k < s.rank; ++k) {
    if (*at > 0 && s.dims[k] != s.known[k]) return Status::bad_shape;
    extents[k] = s.dims[k];
    size = size * s.dims[k];
  }
  const Extent used = size * *at;
  if (!y.grow(max(used + size, Extent(1)), used)) return Status::out_of_memory;
  for (Index i = 0; i < size; ++i) y.data()[used + i] = x[i];
  return Status::ok;
}

}  // namespace onnxc
