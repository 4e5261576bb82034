// pad.hpp - puts a border around a box of a tensor.
#pragma once

#include <cstring>

#include "runtime_min/types.hpp"

namespace onnxc {

enum class PadMode { constant, reflect, edge, wrap };

namespace pad_detail {

// Where in [0, n) an index outside of it finds its value; n > 0.
template <PadMode kMode>
inline Index source(Index i, Index n) {
  if (i >= 0 && i < n) return i;
  if constexpr (kMode == PadMode::edge) return i < 0 ? 0 : n - 1;
  const Index period = kMode == PadMode::wrap ? n : 2 * (n - 1);
  if (period == 0) return 0;
  const Index r = (i % period + period) % period;
  return r < n ? r : period - r;
}

template <class T>
inline T* fill(T* y, Index count, T value) {
  for (Index i = 0; i < count; ++i) y[i] = value;
  return y + count;
}

template <PadMode kMode, class S, class T>
inline T* row(S s, Index axis, const T* x, T value, T* y) {
  const Index n = s.extent[axis], before = s.before[axis], after = s.dims[axis] - n - before;
  if constexpr (kMode == PadMode::constant) {
    y = fill(y, before, value);
    if (n > 0) std::memcpy(y, x, static_cast<std::size_t>(n) * sizeof(T));
    return fill(y + n, after, value);
  } else {
    for (Index i = -before; i < n + after; ++i) *y++ = x[source<kMode>(i, n)];
    return y;
  }
}

template <int kRank, PadMode kMode, int kAxis, class S, class T>
inline T* walk(S s, const T* x, T value, T* y) {
  if constexpr (kAxis == kRank - 1) {
    return row<kMode>(s, kAxis, x, value, y);
  } else {
    for (Index o = 0; o < s.dims[kAxis]; ++o) {
      const Index i = o - s.before[kAxis];
      const bool inside = i >= 0 && i < s.extent[kAxis];
      if (kMode == PadMode::constant && !inside) {
        y = fill(y, s.inner[kAxis], value);
        continue;
      }
      const Index from = inside ? i : source<kMode>(i, s.extent[kAxis]);
      y = walk<kRank, kMode, kAxis + 1>(s, x + from * s.from[kAxis], value, y);
    }
    return y;
  }
}

}  // namespace pad_detail

// x: a box of `extent` elements that starts at from_offset, walked with the strides `from` (1 along
// the last axis). y: [dims], dense; the box is at `before`. value: [1], used by the constant mode
// only. Other modes need extents > 0 along the axes they pad. s: dims[kRank], extent[kRank],
// before[kRank], from[kRank], inner[kRank] (elements of y in one step), from_offset.
template <int kRank, PadMode kMode, class S, class T>
void pad(S s, const T* x, const T* value, T* y) {
  pad_detail::walk<kRank, kMode, 0>(s, x + s.from_offset, *value, y);
}

}  // namespace onnxc
