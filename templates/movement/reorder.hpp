// reorder.hpp - transposes the last two axes; moves channels to the end or back.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "templates/movement/transpose_tile.hpp"

namespace onnxc {

// x: [batch, rows, cols], y: [batch, cols, rows].  s: batch, rows, cols. Divisible.
template <class S, class T>
void reorder(S s, const T* x, T* y) {
  constexpr Index kBlock = 16;
  const Index plane = s.rows * s.cols;
  const Index blocks = (s.cols + kBlock - 1) / kBlock;
  const auto [own, columns] = chunk_grid(chunk_of(s), s.batch, s.rows, blocks, kBlock);
  const Index end = columns.end * kBlock < s.cols ? columns.end * kBlock : s.cols;
  x += own.begin * plane;
  y += own.begin * plane;
  const Index first = columns.begin * kBlock;
  for (Index b = own.begin; b < own.end; ++b, x += plane, y += plane)
    transpose_tile(end - first, s.rows, x + first, s.cols, y + first * s.rows, s.rows);
}

}  // namespace onnxc
