// strided_copy.hpp - copies a box of elements between two tensors, each walked with its own
// strides.
#pragma once

#include <cstring>

#include "runtime_min/types.hpp"

namespace onnxc {

namespace strided_copy_detail {

template <int kRank, int kAxis, class S, class T>
inline void walk(S s, const T* x, T* y) {
  if constexpr (kAxis == kRank - 1) {
    if (s.from[kAxis] == 1 && s.to[kAxis] == 1) {
      if (s.dims[kAxis] > 0) std::memcpy(y, x, static_cast<std::size_t>(s.dims[kAxis]) * sizeof(T));
    } else {
      for (Index i = 0; i < s.dims[kAxis]; ++i) y[i * s.to[kAxis]] = x[i * s.from[kAxis]];
    }
  } else {
    for (Index i = 0; i < s.dims[kAxis]; ++i)
      walk<kRank, kAxis + 1>(s, x + i * s.from[kAxis], y + i * s.to[kAxis]);
  }
}

}  // namespace strided_copy_detail

// Strides in elements; of x they may be 0 or negative.
// s: dims[kRank], from[kRank], to[kRank], from_offset, to_offset.
template <int kRank, class S, class T>
void strided_copy(S s, const T* x, T* y) {
  strided_copy_detail::walk<kRank, 0>(s, x + s.from_offset, y + s.to_offset);
}

}  // namespace onnxc
