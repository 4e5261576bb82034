// trilu.hpp - keeps the upper or lower triangle of the last two axes, zeroes the rest.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [batch, rows, cols]. k: [1], the diagonal that bounds the triangle.  s: batch, rows, cols,
// upper.
template <class S, class T>
void trilu(S s, const T* x, const std::int64_t* k, T* y) {
  if (s.cols == 0) return;
  // Clamped: beyond the edges nothing changes any more, and sums cannot overflow.
  const Index diagonal = *k > s.cols ? s.cols : *k < -s.rows ? -s.rows : static_cast<Index>(*k);
  for (Index b = 0; b < s.batch; ++b)
    for (Index r = 0; r < s.rows; ++r)
      for (Index c = 0; c < s.cols; ++c, ++x, ++y) {
        const bool keep = s.upper ? c >= r + diagonal : c <= r + diagonal;
        *y = keep ? *x : T{};
      }
}

}  // namespace onnxc
