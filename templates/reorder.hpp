// reorder.hpp - transposes the last two axes; moves channels to the end or back.
#pragma once

#include "runtime_min/part.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// x: [batch, rows, cols], y: [batch, cols, rows].  s: batch, rows, cols. Divisible.
// Blocks keep both sides within a few cache lines.
template <class S, class T>
void reorder(S s, const T* x, T* y) {
  constexpr Index kBlock = 16;
  const Index plane = s.rows * s.cols;
  const Index blocks = (s.cols + kBlock - 1) / kBlock;
  const auto [own, columns] = share_grid(part_of(s), s.batch, s.rows, blocks, kBlock);
  const Index end = columns.end * kBlock < s.cols ? columns.end * kBlock : s.cols;
  x += own.begin * plane;
  y += own.begin * plane;
  for (Index b = own.begin; b < own.end; ++b, x += plane, y += plane)
    for (Index r0 = 0; r0 < s.rows; r0 += kBlock)
      for (Index c0 = columns.begin * kBlock; c0 < end; c0 += kBlock) {
        const Index r1 = r0 + kBlock < s.rows ? r0 + kBlock : s.rows;
        const Index c1 = c0 + kBlock < end ? c0 + kBlock : end;
        for (Index c = c0; c < c1; ++c)
          for (Index r = r0; r < r1; ++r) y[c * s.rows + r] = x[r * s.cols + c];
      }
}

}  // namespace onnxc
