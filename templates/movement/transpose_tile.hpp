// transpose_tile.hpp - transposes a matrix within memory strides: squares in
// vectors, the remainder element by element.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

namespace turn_detail {

// 16 bytes as integers of `Size` bytes.
template <std::size_t Size>
struct Lanes {
  using number = std::conditional_t<Size == 1, std::uint8_t,
                                    std::conditional_t<Size == 2, std::uint16_t, std::uint32_t>>;
  using type = Vector<number, static_cast<int>(16 / Size)>;
};

// Elements on each side of a square; 1 where there are no vectors for it.
template <class T>
constexpr int side = kLanes >= 4 && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4)
                         ? static_cast<int>(16 / sizeof(T))
                         : 1;

// Interleaves a and b: the elements of their lower halves, and those of their upper halves.
template <class V, int... I>
[[gnu::always_inline]] inline void interleave(V a, V b, V& low, V& high,
                                              std::integer_sequence<int, I...>) {
  constexpr int n = sizeof...(I);
  low = shuffle_lanes<(I % 2 * n + I / 2)...>(a, b);
  high = shuffle_lanes<(I % 2 * n + I / 2 + n / 2)...>(a, b);
}

// A square from rows of x to rows of y. Interleaving the rows of both halves as often as the side
// has binary digits exchanges rows and columns.
template <class T>
[[gnu::always_inline]] inline void square(const T* x, Index x_stride, T* y, Index y_stride) {
  constexpr int n = side<T>;
  constexpr std::size_t count = n;
  using V = typename Lanes<sizeof(T)>::type;
  V rows[count], next[count];
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) std::memcpy(&rows[i], x + i * x_stride, sizeof(V));
#pragma GCC unroll 4
  for (int step = n; step > 1; step /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < n / 2; ++i)
      interleave(rows[i], rows[i + n / 2], next[2 * i], next[2 * i + 1],
                 std::make_integer_sequence<int, n>{});
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) rows[i] = next[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) std::memcpy(y + i * y_stride, &rows[i], sizeof(V));
}

constexpr Index kBlock = 16;

// At most kBlock rows and columns. Loops over what squares leave have two bounds: without the
// constant one GCC 12 warns of overflow where they never run.
template <class T>
inline void block(Index rows, Index cols, const T* x, Index x_stride, T* y, Index y_stride) {
  constexpr int n = side<T>, left = n > 1 ? n - 1 : int{kBlock};
  Index r = 0;
  if constexpr (n > 1) {
    for (; r + n <= rows; r += n) {
      Index c = 0;
      for (; c + n <= cols; c += n)
        square(x + c * x_stride + r, x_stride, y + r * y_stride + c, y_stride);
      for (int u = 0; u < left && c < cols; ++u, ++c)
        for (int i = 0; i < n; ++i) y[(r + i) * y_stride + c] = x[c * x_stride + r + i];
    }
  }
  for (int u = 0; u < left && r < rows; ++u, ++r)
    for (Index c = 0; c < cols; ++c) y[r * y_stride + c] = x[c * x_stride + r];
}

}  // namespace turn_detail

// y[r, c] = x[c, r] where x is dense along r and y along c, in blocks that keep both sides in a few
// cache lines. With fewer rows or columns than a square has, those go innermost.
template <class T>
[[gnu::always_inline]] inline void transpose_tile(Index rows, Index cols, const T* x,
                                                  Index x_stride, T* y, Index y_stride) {
  constexpr Index kBlock = turn_detail::kBlock, side = turn_detail::side<T>;
  if (cols < side) {
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < cols; ++c) y[r * y_stride + c] = x[c * x_stride + r];
  } else if (rows < side) {
    for (Index c = 0; c < cols; ++c)
      for (Index r = 0; r < rows; ++r) y[r * y_stride + c] = x[c * x_stride + r];
  } else {
    for (Index r = 0; r < rows; r += kBlock)
      for (Index c = 0; c < cols; c += kBlock)
        turn_detail::block(rows - r < kBlock ? rows - r : kBlock,
                           cols - c < kBlock ? cols - c : kBlock, x + c * x_stride + r, x_stride,
                           y + r * y_stride + c, y_stride);
  }
}

}  // namespace onnxc
