// depthwise_block_nhwc.hpp - a depthwise convolution together with the pointwise convolutions
// before and after it.
//
// All of them advance through the image by row blocks. What one leaves to the next is never more
// than a row block, which stays in the second-level cache, where the whole of it would not. Every
// sum is that of the kernels by themselves.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/convolution/depthwise_conv2d_nhwc.hpp"
#include "templates/convolution/grouped_pointwise.hpp"
#include "templates/convolution/row_blocks.hpp"

namespace onnxc {

// Floats of the row blocks of results, [s.row_block, out_w, out_c], if the block projects; it reads
// expanded_row_block(s) if it expands.
template <class S>
constexpr auto filtered_row_block(const S& s) {
  return s.row_block * s.out_w * s.out_c;
}

// Floats of scratch that the kernels below need.
template <class S>
constexpr auto expand_depthwise_scratch(const S& s) {
  return expanded_row_block(s);
}
template <class S>
constexpr auto depthwise_project_scratch(const S& s) {
  return filtered_row_block(s);
}
template <class S>
constexpr auto expand_depthwise_project_scratch(const S& s) {
  return expanded_row_block(s) + filtered_row_block(s);
}

// A stage: packed weights, bias or null, and what is done to its results.
template <class Epilogue>
struct BlockStage {
  const float* w;
  const float* bias;
  Epilogue epilogue;
};
template <class Epilogue>
BlockStage(const float*, const float*, Epilogue) -> BlockStage<Epilogue>;

// Channels of one group of the expansion or the projection as a constant, or -1.
template <class S>
constexpr Index fixed_expanded_channels() {
  constexpr Index channels = fixed_extent(&S::in_c), groups = fixed_extent(&S::x_group);
  return channels < 0 || groups <= 0 ? -1 : channels / groups;
}
template <class S>
constexpr Index fixed_projected_channels() {
  constexpr Index channels = fixed_extent(&S::y_c), groups = fixed_extent(&S::y_group);
  return channels < 0 || groups <= 0 ? -1 : channels / groups;
}

// A pointwise convolution of `rows` rows of `width` pixels: row by row where the width is a
// constant, FixedWidth, which its tiles divide, else of all pixels as if they were one row. x, y:
// the first pixel. at: what the epilogue calls it. pixel: all but m.
template <int MR, int NR, Index FixedWidth, Index FixedN, bool Shuffled, class Epilogue>
void pointwise_rows(GroupedPixels pixel, Index rows, Index width, const float* x,
                    const BlockStage<Epilogue>& stage, float* y, Index at) {
  const Index lines = FixedWidth < 0 ? 1 : rows;
  pixel.m = FixedWidth < 0 ? rows * width : width;
  for (Index i = 0; i < lines; ++i) {
    const Index first = i * pixel.m;
    grouped_pointwise<MR, NR, FixedWidth, FixedN, Shuffled>(
        pixel, x + first * pixel.ldx, stage.w, stage.bias, y + first * pixel.ldy,
        at + first * pixel.ld_epilogue, stage.epilogue);
  }
}

// Rows [begin, end) of what the depthwise convolution reads. x: an image. y: the first of these
// rows. first: index of the image's first pixel in the batch.
template <int MR, int NR, class S, class Epilogue>
void expand_rows(const S& s, const float* x, const BlockStage<Epilogue>& stage, Span rows,
                 Index first, float* y) {
  const GroupedPixels pixel = {0, s.x_c, s.in_c, s.x_group, s.x_shuffle, s.ldx, s.in_c, s.in_c};
  const Index begin = rows.begin * s.in_w;
  pointwise_rows<MR, NR, fixed_extent(&S::in_w), fixed_expanded_channels<S>(),
                 fixed_extent(&S::x_shuffle) != 1>(pixel, rows.size(), s.in_w, x + begin * s.ldx,
                                                   stage, y, (first + begin) * s.in_c);
}

// in: rows that x holds, from its first on. out: rows of the result, the first of which goes to y.
template <class S, class Epilogue>
void filter_rows(const S& s, const float* x, const BlockStage<Epilogue>& stage, Span in, Span out,
                 Index first, float* y) {
  const RowBlock<S> row_block(s, in, out);
  depthwise_image(row_block, x, stage.w, stage.bias, y, (first + out.begin * s.out_w) * s.out_c,
                  {0, out.size()}, {0, s.out_c}, stage.epilogue);
}

// x: the rows `out` of the depthwise result. y: an image.
template <int MR, int NR, class S, class Epilogue>
void project_rows(const S& s, const float* x, const BlockStage<Epilogue>& stage, Span out,
                  Index first, float* y) {
  const GroupedPixels pixel = {0,           s.out_c, s.y_c, s.y_group,
                               s.y_shuffle, s.out_c, s.ldy, s.ld_epilogue};
  const Index begin = out.begin * s.out_w;
  pointwise_rows<MR, NR, fixed_extent(&S::out_w), fixed_projected_channels<S>(),
                 fixed_extent(&S::y_shuffle) != 1>(
      pixel, out.size(), s.out_w, x, stage, y + begin * s.ldy, (first + begin) * s.ld_epilogue);
}

// s: batch; in_h, in_w, in_c, out_h, out_w, out_c, window and pads of the depthwise convolution,
// with in_c = out_c; x_c: channels of x, in x_group groups; x_shuffle: as `shuffle` of
// GroupedPixels; ldx, ldy: floats from one pixel of x or y to the next; row_block: output rows at
// once. x: [batch, in_h, in_w, x_c].  Weights: pack_conv2d<NR> and pack_depthwise_conv2d.  y:
// [batch, out_h, out_w, out_c].  scratch: expand_depthwise_scratch(s) floats. Divisible.
template <int MR, int NR, class S, class E1, class E2>
void expand_depthwise_nhwc(S s, const float* x, BlockStage<E1> expand, BlockStage<E2> filter,
                           float* y, float* scratch) {
  for (Index n = 0; n < s.batch; ++n) {
    const Index x_first = n * s.in_h * s.in_w, y_first = n * s.out_h * s.out_w;
    const float* image = x + x_first * s.ldx;
    float* result = y + y_first * s.out_c;
    expanded_row_blocks(
        s, scratch,
        [&](Span rows, float* to) { expand_rows<MR, NR>(s, image, expand, rows, x_first, to); },
        [&](Span in, Span out, const float* rows) {
          filter_rows(s, rows, filter, in, out, y_first, result + out.begin * s.out_w * s.out_c);
        });
  }
}

// As expand_depthwise_nhwc, with another pointwise convolution at the end, of y_c channels: y_group
// and y_shuffle as for x; its weights: pack_conv2d<NR3>. y: [batch, out_h, out_w, y_c].
// ld_epilogue: floats between pixels of what its epilogue reads at `at`. scratch:
// expand_depthwise_project_scratch(s) floats. Divisible.
template <int MR1, int NR1, int MR3, int NR3, class S, class E1, class E2, class E3>
void expand_depthwise_project_nhwc(S s, const float* x, BlockStage<E1> expand,
                                   BlockStage<E2> filter, BlockStage<E3> project, float* y,
                                   float* scratch) {
  float* filtered = scratch + expanded_row_block(s);
  for (Index n = 0; n < s.batch; ++n) {
    const Index x_first = n * s.in_h * s.in_w, y_first = n * s.out_h * s.out_w;
    const float* image = x + x_first * s.ldx;
    float* result = y + y_first * s.ldy;
    expanded_row_blocks(
        s, scratch,
        [&](Span rows, float* to) { expand_rows<MR1, NR1>(s, image, expand, rows, x_first, to); },
        [&](Span in, Span out, const float* rows) {
          filter_rows(s, rows, filter, in, out, y_first, filtered);
          project_rows<MR3, NR3>(s, filtered, project, out, y_first, result);
        });
  }
}

// The depthwise convolution and the pointwise one after it.  x: [batch, in_h, in_w, in_c].
// scratch: depthwise_project_scratch(s) floats. Divisible.
template <int MR, int NR, class S, class E2, class E3>
void depthwise_project_nhwc(S s, const float* x, BlockStage<E2> filter, BlockStage<E3> project,
                            float* y, float* scratch) {
  const Span mine = chunk_range(s, s.out_h);
  for (Index n = 0; n < s.batch; ++n) {
    const Index y_first = n * s.out_h * s.out_w;
    const float* image = x + n * s.in_h * s.in_w * s.in_c;
    for (Index o = mine.begin; o < mine.end; o += s.row_block) {
      const Span out = {o, mine.end - o < s.row_block ? mine.end : o + s.row_block};
      const Span in = rows_read(s, out);
      filter_rows(s, image + in.begin * s.in_w * s.in_c, filter, in, out, y_first, scratch);
      project_rows<MR, NR>(s, scratch, project, out, y_first, y + y_first * s.ldy);
    }
  }
}

}  // namespace onnxc
