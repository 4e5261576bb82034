// transpose.hpp - permutes axes, in blocks of the two axes that are innermost on either side.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "templates/movement/transpose_tile.hpp"

namespace onnxc {

namespace transpose_detail {

template <int kRank, int kInner, int kAxis, class S, class T>
inline void walk(S s, ChunkBox chunk, const T* x, T* y) {
  constexpr int kLast = kRank - 1;
  const Span own = chunk_axis<kAxis>(s, chunk);
  if constexpr (kAxis == kLast) {
    const Span rows = chunk_axis<kInner>(s, chunk);
    transpose_tile(rows.size(), own.size(), x + rows.begin + own.begin * s.from[kLast],
                   s.from[kLast], y + rows.begin * s.to[kInner] + own.begin, s.to[kInner]);
  } else if constexpr (kAxis == kInner) {
    walk<kRank, kInner, kAxis + 1>(s, chunk, x, y);
  } else {
    for (Index i = own.begin; i < own.end; ++i)
      walk<kRank, kInner, kAxis + 1>(s, chunk, x + i * s.from[kAxis], y + i * s.to[kAxis]);
  }
}

}  // namespace transpose_detail

// y: [dims]; dense along the last axis. Axis kInner, another one, is dense in x.
// s: dims[kRank], from[kRank], to[kRank] (strides in elements). Divisible.
template <int kRank, int kInner, class S, class T>
void transpose(S s, const T* x, T* y) {
  for (int axis = 0; axis < kRank; ++axis)
    if (s.dims[axis] == 0) return;  // the other extents may be huge
  transpose_detail::walk<kRank, kInner, 0>(s, chunk_box<kRank>(s, 16), x, y);
}

}  // namespace onnxc
