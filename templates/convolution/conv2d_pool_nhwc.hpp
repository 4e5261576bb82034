// conv2d_pool_nhwc.hpp - a convolution together with the MaxPool after it and the change of layout
// before it.
//
// They advance through the image by row blocks, as in depthwise_block_nhwc.hpp. First layers of
// networks on images make their largest tensor: it is never written whole. Every value is that of
// the kernels by themselves.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv2d_nhwc.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/convolution/row_blocks.hpp"
#include "templates/pooling/pool2d_nhwc.hpp"

namespace onnxc {

// The pool as a step of its own on the result of the convolution.
struct PooledImage {
  Index batch, in_h, in_w, in_c, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left, ldx, ldy, row_block;
};

template <class S>
constexpr PooledImage pool_of(const S& s) {
  return {s.batch,         s.out_h,           s.out_w,           s.out_c,        s.out_c,
          s.pool_out_h,    s.pool_out_w,      s.pool_k_h,        s.pool_k_w,     s.pool_stride_h,
          s.pool_stride_w, s.pool_dilation_h, s.pool_dilation_w, s.pool_pad_top, s.pool_pad_left,
          s.out_c,         s.pool_ldy,        s.row_block};
}

// Rows of the convolution that s.row_block rows of the pool read, and rows of the image that these
// read.
template <class S>
constexpr auto pooled_rows(const S& s) {
  return min_extent((s.row_block - 1) * s.pool_stride_h + (s.pool_k_h - 1) * s.pool_dilation_h + 1,
                    s.out_h);
}
template <class S>
constexpr auto image_rows(const S& s) {
  return min_extent((pooled_rows(s) - 1) * s.stride_h + (s.k_h - 1) * s.dilation_h + 1, s.in_h);
}

// Floats of the convolution's rows, and of the rows of planes that it reads of them, if s.planes.
template <class S>
constexpr auto pooled_row_block(const S& s) {
  return pooled_rows(s) * s.out_w * s.out_c;
}
template <class S>
constexpr auto nhwc_row_block(const S& s) {
  return s.planes * image_rows(s) * s.in_w * s.in_c;
}

// Floats of scratch that conv2d_max_pool_nhwc needs.
template <class S>
constexpr auto conv2d_max_pool_scratch(const S& s) {
  return pooled_row_block(s) + nhwc_row_block(s);
}

// Rows [begin, end) of planes x: [in_c, in_h, in_w] to y: [rows, in_w, in_c].
template <class S>
void transpose_rows(const S& s, const float* __restrict x, Span rows, float* __restrict y) {
  x += rows.begin * s.in_w;
  for (Index i = 0; i < rows.size() * s.in_w; ++i) {
    for (Index c = 0; c < s.in_c; ++c) y[i * s.in_c + c] = x[c * s.in_h * s.in_w + i];
  }
}

// The convolution that is pooled: packed weights, bias or null, and what is done to its results.
template <class Epilogue>
struct PooledConv {
  const float* w;
  const float* bias;
  Epilogue epilogue;
};

// Rows `out` of the convolution of an image of which x holds the rows `in`. y: the first of them,
// which has index `first` in the batch.
template <int MR, int NR, class S, class Epilogue>
void conv_row_block(const S& s, const float* x, const PooledConv<Epilogue>& conv, Span in, Span out,
                    Index first, float* y) {
  const RowBlock<S> row_block(s, in, out);
  const ConvRowTiles<MR, NR, RowBlock<S>> tiles(row_block);
  const Index panels = s.group * ((s.out_c / s.group + NR - 1) / NR);
  for (Index i = 0; i < panels; ++i) {
    ConvPanel p = conv_panel<NR>(row_block, {x, conv.w, conv.bias, y, 0}, i);
    p.at += first * s.ld_epilogue;
    p.prefetch_step = 0;
    for (Index oh = 0; oh < out.size(); ++oh)
      conv_edge_row<decltype(edge_row_heights<MR, NR, RowBlock<S>>())>(row_block, p, tiles, oh,
                                                                       conv.epilogue);
  }
}

// Rows `out` of the pool of x: [in rows, out_w, out_c].  y: an image, of which the first pixel is
// number `first`.
template <class Epilogue>
void pool_row_block(const PooledImage& s, const float* x, Span in, Span out, Index first, float* y,
                    Epilogue given) {
  PooledImage row_block = s;
  row_block.batch = 1;
  row_block.in_h = in.size();
  row_block.out_h = out.size();
  row_block.pad_top = in.begin - (out.begin * s.stride_h - s.pad_top);
  const Index pixel = out.begin * s.out_w;
  float* rows = y + pixel * s.ldy;
  if constexpr (has_epilogue<Epilogue>) {
    const Index start = (first + pixel) * s.channels;
    max_pool2d_nhwc(row_block, x, rows,
                    [&](auto v, Index at, Index channel) { return given(v, start + at, channel); });
  } else {
    max_pool2d_nhwc(row_block, x, rows);
  }
}

// x: [batch, in_h, in_w, in_c], or [batch, in_c, in_h, in_w] if s.planes.  w: pack_conv2d<NR>.
// bias: [out_c] or null. y: [batch, pool_out_h, pool_out_w, out_c].  scratch:
// conv2d_max_pool_scratch(s) floats. s: as for conv2d_nhwc, with ldx = in_c and ldy = out_c; the
// pool's members as for max_pool2d_nhwc: pool_out_h, pool_out_w, pool_k_h, ..., pool_ldy;
// row_block: output rows at once; planes: 0 or 1. Divisible.
template <int MR, int NR, class S, class E1, class E2 = NoEpilogue>
void conv2d_max_pool_nhwc(S s, const float* x, const float* w, const float* bias, E1 conv_epilogue,
                          float* y, float* scratch, E2 pool_epilogue = {}) {
  const PooledConv<E1> conv = {w, bias, conv_epilogue};
  const PooledImage pool = pool_of(s);
  float* transposed = scratch + pooled_row_block(s);
  for (Index n = 0; n < s.batch; ++n) {
    const float* image = x + n * s.in_h * s.in_w * s.in_c;
    const Index first = n * pool.out_h * pool.out_w;
    expanded_row_blocks(
        with_chunk(pool, chunk_of(s)), scratch,
        [&](Span rows, float* to) {
          if (rows.size() <= 0) return;
          const Span in = rows_read(s, rows);
          const float* from = image + in.begin * s.in_w * s.in_c;
          if (s.planes != 0) transpose_rows(s, image, in, transposed), from = transposed;
          conv_row_block<MR, NR>(s, from, conv, in, rows, (n * s.out_h + rows.begin) * s.out_w, to);
        },
        [&](Span in, Span out, const float* rows) {
          pool_row_block(pool, rows, in, out, first, y + first * pool.ldy, pool_epilogue);
        });
  }
}

}  // namespace onnxc
