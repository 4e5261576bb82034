// turn_plane.hpp - transposes a matrix in blocks, four by four in vectors where elements allow it.
#pragma once

#include <cstring>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Whether elements are turned four by four, in vectors.
template <class T>
constexpr bool turns_by_fours = sizeof(T) == sizeof(float) && kLanes >= 4;

// Four elements of each of four rows of x become four columns of y.
template <class T>
[[gnu::always_inline]] inline void turn_four(const T* x, Index x_stride, T* y, Index y_stride) {
  using V = vec<4>;
  V rows[4], even[2], odd[2], turned[2];
  for (Index i = 0; i < 4; ++i) std::memcpy(&rows[i], x + i * x_stride, sizeof(V));
  zip(rows[0], rows[2], even);
  zip(rows[1], rows[3], odd);
  for (Index i = 0; i < 2; ++i) {
    zip(even[i], odd[i], turned);
    std::memcpy(y + 2 * i * y_stride, &turned[0], sizeof(V));
    std::memcpy(y + (2 * i + 1) * y_stride, &turned[1], sizeof(V));
  }
}

// y[r, c] = x[c, r] where x is dense along r and y along c.
template <class T>
inline void turn_block(Index rows, Index cols, const T* x, Index x_stride, T* y, Index y_stride) {
  Index r = 0;
  if constexpr (turns_by_fours<T>) {
    for (; r + 4 <= rows; r += 4) {
      Index c = 0;
      for (; c + 4 <= cols; c += 4)
        turn_four(x + c * x_stride + r, x_stride, y + r * y_stride + c, y_stride);
      for (; c < cols; ++c)
        for (Index i = r; i < r + 4; ++i) y[i * y_stride + c] = x[c * x_stride + i];
    }
  }
  for (; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) y[r * y_stride + c] = x[c * x_stride + r];
}

// The same in blocks that keep both sides in a few cache lines.
template <class T>
inline void turn_plane(Index rows, Index cols, const T* x, Index x_stride, T* y, Index y_stride) {
  constexpr Index kBlock = 16;
  for (Index r = 0; r < rows; r += kBlock)
    for (Index c = 0; c < cols; c += kBlock)
      turn_block(rows - r < kBlock ? rows - r : kBlock, cols - c < kBlock ? cols - c : kBlock,
            x + c * x_stride + r, x_stride, y + r * y_stride + c, y_stride);
}

}  // namespace onnxc
