// depthwise_conv2d_nhwc.hpp - channels-last convolution of every channel by itself.
//
// The input is read in place. A tile is some neighbouring outputs of one image row and a range of
// channels; tiles go down the image, so that the input rows which two of them share are still in
// the first-level cache.
#pragma once

#include <cstddef>
#include <utility>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// w: [out_c, 1, k_h, k_w] as ONNX has it.  packed: [k_h][k_w][out_c].
inline void pack_depthwise_conv2d(const float* w, Index out_c, Index k_h, Index k_w,
                                  float* packed) {
  for (Index t = 0; t < k_h * k_w; ++t) {
    for (Index c = 0; c < out_c; ++c) *packed++ = w[c * k_h * k_w + t];
  }
}

// One tile. x: the first input row that a tap reads, at column 0; column: what the first tap of the
// first output reads there, perhaps outside [0, in_w). Of all `channels`, `count` are computed.
struct DepthwiseOperands {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
  Index count, channels, taps_h, taps_w;
  Index column, in_w, stride, dilation;
  Index x_step_h, w_step_h;
  Index at, channel;  // what the epilogue calls the first output
};

alignas(64) constexpr float kZeroVector[kLanes] = {};

// The channels from c on that fill vectors V, for TW outputs; returns the first channel left over.
// With a known window width KW and stride SW every input is loaded once for all outputs that read
// it. BORDER: some columns are outside the image.
template <class V, int TW, int KW, int SW, bool BORDER, class Epilogue>
[[gnu::always_inline]] inline Index depthwise_channels(const DepthwiseOperands& t, Index c,
                                                       const Epilogue& epilogue) {
  constexpr std::size_t outputs = TW;
  const auto at_column = [&](const float* row, Index column, bool may_be_outside) {
    const bool outside = BORDER && may_be_outside && (column < 0 || column >= t.in_w);
    return load<V>(outside ? kZeroVector : row + column * t.channels);
  };
  for (; c + lanes<V> <= t.count; c += lanes<V>) {
    V acc[outputs];
    const V start = t.bias != nullptr ? load<V>(t.bias + c) : V{};
#pragma GCC unroll 16
    for (int i = 0; i < TW; ++i) acc[i] = start;
    for (Index h = 0; h < t.taps_h; ++h) {
      const float* row = t.x + h * t.x_step_h + c;
      const float* w = t.w + h * t.w_step_h + c;
      if constexpr (KW > 0) {
        constexpr std::size_t taps = KW;
        V k[taps];
#pragma GCC unroll 8
        for (int q = 0; q < KW; ++q) k[q] = load<V>(w + q * t.channels);
#pragma GCC unroll 64
        for (int i = 0; i < (TW - 1) * SW + KW; ++i) {
          // The pads are narrower than the window, so the columns in the middle exist.
          const V v = at_column(row, t.column + i, i < KW - 1 || i > (TW - 1) * SW);
#pragma GCC unroll 8
          for (int q = 0; q < KW; ++q) {
            if (i >= q && (i - q) % SW == 0 && (i - q) / SW < TW) acc[(i - q) / SW] += v * k[q];
          }
        }
      } else {
        for (Index q = 0; q < t.taps_w; ++q) {
          const V k = load<V>(w + q * t.channels);
#pragma GCC unroll 16
          for (int i = 0; i < TW; ++i)
            acc[i] += k * at_column(row, t.column + q * t.dilation + i * t.stride, true);
        }
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < TW; ++i) {
      const Index pixel = i * t.channels + c;
      store(t.y + pixel, epilogue(acc[i], t.at + pixel, t.channel + c));
    }
  }
  return c;
}

template <int TW, int KW, int SW, bool BORDER, class Epilogue>
[[gnu::noinline]] void depthwise_tile(const DepthwiseOperands& operands, const Epilogue& given) {
  // Copies, since the stores might alias references.
  const DepthwiseOperands t = operands;
  const Epilogue epilogue = given;
  Index c = depthwise_channels<vfloat, TW, KW, SW, BORDER>(t, 0, epilogue);
  constexpr int half = kLanes >= 8 ? kLanes / 2 : kLanes;
  if constexpr (half < kLanes)
    c = depthwise_channels<vec<half>, TW, KW, SW, BORDER>(t, c, epilogue);
  if constexpr (kLanes > 1) c = depthwise_channels<float, TW, KW, SW, BORDER>(t, c, epilogue);
}

// Outputs of a tile, at most: fewer where all sizes are served by the same two tiles.
template <class S>
constexpr int kDepthwiseTile = kLittleCode&& fixed_extent(&S::out_w) < 0 ? 4 : 8;

// The fast window widths and strides; any other window has its taps as a loop.
template <class S>
constexpr bool may_be_window(Index taps, Index stride) {
  constexpr Index k = fixed_extent(&S::k_w), step = fixed_extent(&S::stride_w);
  if (kLittleCode && (k < 0 || step < 0)) return false;
  return (k < 0 || k == taps) && (step < 0 || step == stride);
}

// Runs the tile for the window, if that is K wide with stride SW.
template <int TW, int KW, int SW, bool BORDER, class S, class Epilogue>
[[gnu::always_inline]] inline bool depthwise_window(const S& s, const DepthwiseOperands& t,
                                                    const Epilogue& epilogue) {
  if constexpr (may_be_window<S>(KW, SW)) {
    const Index pad_right = (s.out_w - 1) * s.stride_w + s.k_w - s.in_w - s.pad_left;
    const bool dense = s.dilation_w == 1 && s.pad_left < s.k_w && pad_right < s.k_w;
    if (dense && s.k_w == KW && s.stride_w == SW) {
      depthwise_tile<TW, KW, SW, BORDER>(t, epilogue);
      return true;
    }
  }
  return false;
}

template <int TW, bool BORDER, class S, class Epilogue>
[[gnu::always_inline]] inline void depthwise_any_window(const S& s, const DepthwiseOperands& t,
                                                        const Epilogue& epilogue) {
  if (depthwise_window<TW, 3, 1, BORDER>(s, t, epilogue)) return;
  if (depthwise_window<TW, 3, 2, BORDER>(s, t, epilogue)) return;
  if (depthwise_window<TW, 5, 1, BORDER>(s, t, epilogue)) return;
  if (depthwise_window<TW, 5, 2, BORDER>(s, t, epilogue)) return;
  depthwise_tile<TW, 0, 0, BORDER>(t, epilogue);
}

// Widths of the tiles of a row. Where its width is known at run time only, they are few, and only
// the widest are distinguished by whether they are inside the image.
template <class S>
constexpr auto depthwise_widths() {
  constexpr Index out_w = fixed_extent(&S::out_w);
  if constexpr (out_w >= 0) {
    return heights_of<out_w, kDepthwiseTile<S>>();
  } else if constexpr (kLittleCode) {
    return TileHeights<4, 1>{};
  } else {
    return TileHeights<8, 4, 2, 1>{};
  }
}

template <int... WIDTHS>
constexpr Index widest_below(TileHeights<WIDTHS...>, Index left) {
  Index widest = 0;
  ((widest = WIDTHS <= left && WIDTHS > widest ? WIDTHS : widest), ...);
  return widest;
}

// Whether a row may have tiles of this width which are inside the image, or not.
template <class S>
constexpr bool has_depthwise_tile(int width, bool border) {
  constexpr Index out_w = fixed_extent(&S::out_w);
  if (out_w < 0) return border || (!kLittleCode && width == kDepthwiseTile<S>);
  if (fixed_interior_width<S>() < 0) return border || !kLittleCode;
  const Span inside = interior(fixed_horizontal_axis<S>());
  const RowSplit split = split_rows(out_w, kDepthwiseTile<S>);
  Index ow = 0;
  for (Index i = 0; i < split.tiles; ++i) {
    const int own = i < split.tall ? split.tall_rows : split.rows;
    if (own == width && border != (inside.begin <= ow && ow + own <= inside.end)) return true;
    ow += own;
  }
  return false;
}

template <int TW, class S, class Epilogue>
[[gnu::always_inline]] inline void depthwise_border(const S& s, bool border,
                                                    const DepthwiseOperands& t,
                                                    const Epilogue& epilogue) {
  constexpr bool may_be_inside = has_depthwise_tile<S>(TW, false);
  if constexpr (may_be_inside && has_depthwise_tile<S>(TW, true)) {
    if (border) return depthwise_any_window<TW, true>(s, t, epilogue);
  }
  depthwise_any_window<TW, !may_be_inside>(s, t, epilogue);
}

template <class S, class Epilogue, int... WIDTHS>
[[gnu::always_inline]] inline void depthwise_of_width(TileHeights<WIDTHS...>, const S& s,
                                                      Index width, bool border,
                                                      const DepthwiseOperands& t,
                                                      const Epilogue& epilogue) {
  static_cast<void>(
      ((width == WIDTHS && (depthwise_border<WIDTHS>(s, border, t, epilogue), true)) || ...));
}

// Some channels of one image.
struct DepthwiseSlice {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
  Index at, channel, count;
};

// Outputs [ow, ow + width) of some rows.
template <class S, class Epilogue>
[[gnu::noinline]] void depthwise_strip(const S& s, const DepthwiseSlice& slice, Span rows, Index ow,
                                       Index width, const Epilogue& epilogue) {
  const Span inside = interior(horizontal_axis(s));
  const bool border = ow < inside.begin || inside.end < ow + width;
  DepthwiseOperands t;
  t.bias = slice.bias;
  t.count = slice.count;
  t.channels = s.in_c;
  t.taps_w = s.k_w;
  t.column = ow * s.stride_w - s.pad_left;
  t.in_w = s.in_w;
  t.stride = s.stride_w;
  t.dilation = s.dilation_w;
  t.x_step_h = s.dilation_h * s.in_w * s.in_c;
  t.w_step_h = s.k_w * s.in_c;
  t.channel = slice.channel;
  for (Index oh = rows.begin; oh < rows.end; ++oh) {
    const TapRange v = tap_range(vertical_axis(s), oh);
    const Index row = oh * s.stride_h - s.pad_top + v.first * s.dilation_h;
    const Index out = (oh * s.out_w + ow) * s.out_c;
    t.taps_h = v.count;
    t.x = v.count > 0 ? slice.x + row * s.in_w * s.in_c : slice.x;
    t.w = v.count > 0 ? slice.w + v.first * s.k_w * s.in_c : slice.w;
    t.y = slice.y + out;
    t.at = slice.at + out;
    depthwise_of_width(depthwise_widths<S>(), s, width, border, t, epilogue);
  }
}

template <class S, class Epilogue>
void depthwise_row_block(const S& s, const DepthwiseSlice& slice, Span rows,
                         const Epilogue& epilogue) {
  if constexpr (fixed_extent(&S::out_w) < 0) {
    for (Index ow = 0; ow < s.out_w;) {
      const Index width = widest_below(depthwise_widths<S>(), s.out_w - ow);
      depthwise_strip(s, slice, rows, ow, width, epilogue);
      ow += width;
    }
  } else {
    // Of nearly equal width.
    const RowSplit split = split_rows(s.out_w, kDepthwiseTile<S>);
    Index ow = 0;
    for (Index i = 0; i < split.tiles; ++i) {
      const Index width = i < split.tall ? split.tall_rows : split.rows;
      depthwise_strip(s, slice, rows, ow, width, epilogue);
      ow += width;
    }
  }
}

// Few enough channels that the input under a tile stays in the first-level cache, and few enough
// rows that a large image is still read in order.
constexpr Index kDepthwiseChannels = 128;
constexpr Index kDepthwiseRows = 8;

// Image rows and channels of one image.
template <class S, class Epilogue>
void depthwise_image(const S& s, const float* x, const float* w, const float* bias, float* y,
                     Index at, Span of_h, Span of_c, const Epilogue& epilogue) {
  for (Index oh = of_h.begin; oh < of_h.end; oh += kDepthwiseRows) {
    const Span rows = {oh, of_h.end - oh < kDepthwiseRows ? of_h.end : oh + kDepthwiseRows};
    for (Index c = of_c.begin; c < of_c.end; c += kDepthwiseChannels) {
      const Index count = of_c.end - c < kDepthwiseChannels ? of_c.end - c : kDepthwiseChannels;
      const DepthwiseSlice slice = {
          x + c, w + c, bias != nullptr ? bias + c : nullptr, y + c, at + c, c, count};
      depthwise_row_block(s, slice, rows, epilogue);
    }
  }
}

// Several outputs of each input channel; rare, so plain loops.
template <class S, class Epilogue>
void depthwise_multiplied(const S& s, const float* x, const float* w, const float* bias, float* y,
                          Index at, Span of_h, const Epilogue& epilogue) {
  const Index multiplier = s.out_c / s.in_c;
  for (Index oh = of_h.begin; oh < of_h.end; ++oh) {
    const TapRange v = tap_range(vertical_axis(s), oh);
    for (Index ow = 0; ow < s.out_w; ++ow) {
      const TapRange h = tap_range(horizontal_axis(s), ow);
      float* out = y + (oh * s.out_w + ow) * s.out_c;
      for (Index o = 0; o < s.out_c; ++o) {
        float sum = bias != nullptr ? bias[o] : 0.0f;
        for (Index i = v.first; i < v.first + v.count; ++i) {
          const Index row = oh * s.stride_h - s.pad_top + i * s.dilation_h;
          for (Index j = h.first; j < h.first + h.count; ++j) {
            const Index column = ow * s.stride_w - s.pad_left + j * s.dilation_w;
            sum += x[(row * s.in_w + column) * s.in_c + o / multiplier] *
                   w[(i * s.k_w + j) * s.out_c + o];
          }
        }
        out[o] = sum;
      }
      if constexpr (has_epilogue<Epilogue>) {
        epilogue_row(out, at + (oh * s.out_w + ow) * s.out_c, 0, s.out_c, epilogue);
      }
    }
  }
}

// x: [batch, in_h, in_w, in_c].  w: pack_depthwise_conv2d.  bias: [out_c] or null.  y: [batch,
// out_h, out_w, out_c]. Output channel o reads input channel o / (out_c / in_c). s: as for
// conv2d_nhwc; group is taken to be in_c. Divisible.
template <class S, class Epilogue = NoEpilogue>
void depthwise_conv2d_nhwc(S s, const float* x, const float* w, const float* bias, float* y,
                           Epilogue epilogue = {}) {
  const Index in_size = s.in_h * s.in_w * s.in_c;
  const Index out_size = s.out_h * s.out_w * s.out_c;
  const bool plain = s.in_c == s.out_c;
  const Index slices = plain ? (s.in_c + kDepthwiseChannels - 1) / kDepthwiseChannels : 1;
  const auto [rows, own] =
      chunk_grid(chunk_of(s), s.batch * s.out_h, s.out_w, slices, kDepthwiseChannels);
  const Span channels = {own.begin * kDepthwiseChannels,
                         own.end == slices ? s.in_c : own.end * kDepthwiseChannels};
  for (Index n = 0; n < s.batch; ++n) {
    const Span of_h = rows_of_image(rows, n, s.out_h);
    if (plain) {
      depthwise_image(s, x + n * in_size, w, bias, y + n * out_size, n * out_size, of_h, channels,
                      epilogue);
    } else if (own.size() > 0) {
      depthwise_multiplied(s, x + n * in_size, w, bias, y + n * out_size, n * out_size, of_h,
                           epilogue);
    }
  }
}

}  // namespace onnxc
