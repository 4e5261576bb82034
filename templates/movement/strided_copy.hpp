// strided_copy.hpp - copies a box of elements between two tensors, each walked with its own
// strides.
#pragma once

#include <cstring>
#include <limits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

namespace strided_copy_detail {

template <int kRank, int kAxis, class S, class T>
inline void walk(S s, ChunkBox chunk, const T* x, T* y) {
  const Span own = chunk_axis<kAxis>(s, chunk);
  if constexpr (kAxis == kRank - 1) {
    if (s.from[kAxis] == 1 && s.to[kAxis] == 1) {
      // No memory holds more; without this, compilers warn of an Extent that is too large.
      constexpr Index most =
          min_extent(kMaxExtent - 1, std::numeric_limits<Index>::max() / Index{sizeof(T)});
      if (own.size() > 0 && own.size() <= most)
        std::memcpy(y + own.begin, x + own.begin, static_cast<std::size_t>(own.size()) * sizeof(T));
    } else {
      for (Index i = own.begin; i < own.end; ++i) y[i * s.to[kAxis]] = x[i * s.from[kAxis]];
    }
  } else {
    for (Index i = own.begin; i < own.end; ++i)
      walk<kRank, kAxis + 1>(s, chunk, x + i * s.from[kAxis], y + i * s.to[kAxis]);
  }
}

}  // namespace strided_copy_detail

// Strides in elements; of x they may be 0 or negative.
// s: dims[kRank], from[kRank], to[kRank], from_offset, to_offset. Divisible.
template <int kRank, class S, class T>
void strided_copy(S s, const T* x, T* y) {
  for (int axis = 0; axis < kRank; ++axis)
    if (s.dims[axis] == 0) return;  // the other extents may be huge
  strided_copy_detail::walk<kRank, 0>(s, chunk_box<kRank>(s), x + s.from_offset, y + s.to_offset);
}

}  // namespace onnxc
