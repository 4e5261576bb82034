// row_blocks.hpp - images by row blocks, for kernels that compute several layers of them one
// row block at a time.
#pragma once

#include <cstddef>
#include <cstring>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Rows of the input that the output rows `out` read.
template <class S>
constexpr Span rows_read(const S& s, Span out) {
  const Index first = out.begin * s.stride_h - s.pad_top;
  const Index last = (out.end - 1) * s.stride_h - s.pad_top + (s.k_h - 1) * s.dilation_h + 1;
  const Index end = last < 0 ? 0 : last < s.in_h ? last : s.in_h;
  return {first < 0 ? 0 : first < end ? first : end, end};
}

// Floats of the input rows, [in_w, in_c] each, that s.row_block output rows read.
template <class S>
constexpr auto expanded_row_block(const S& s) {
  return min_extent((s.row_block - 1) * s.stride_h + (s.k_h - 1) * s.dilation_h + 1, s.in_h) *
         s.in_w * s.in_c;
}

// The shape by which the output rows `out` are computed from the input rows `in` as if these were
// an image.
template <class S>
struct RowBlock : S {
  Index in_h, out_h, pad_top;
  constexpr RowBlock(const S& s, Span in, Span out)
      : S(s),
        in_h(in.size()),
        out_h(out.size()),
        pad_top(in.begin - (out.begin * s.stride_h - s.pad_top)) {}
};

// Calls use(in, out, rows) for every block of output rows, with `rows` holding the rows `in` of the
// expanded image; make(rows, y) computes some. Rows that two row blocks read are kept.
template <class S, class Make, class Use>
void expanded_row_blocks(const S& s, float* rows, Make make, Use use) {
  const Index row_size = s.in_w * s.in_c;
  const Span mine = chunk_range(s, s.out_h);
  Span held = {0, 0};
  for (Index o = mine.begin; o < mine.end; o += s.row_block) {
    const Span out = {o, mine.end - o < s.row_block ? mine.end : o + s.row_block};
    const Span in = rows_read(s, out);
    const Index kept = held.end > in.begin ? held.end - in.begin : 0;
    if (kept > 0) {
      std::memmove(rows, rows + (in.begin - held.begin) * row_size,
                   static_cast<std::size_t>(kept * row_size) * sizeof(float));
    }
    make(Span{in.begin + kept, in.end}, rows + kept * row_size);
    held = in;
    use(in, out, rows);
  }
}

}  // namespace onnxc
