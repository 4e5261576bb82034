// depthwise_conv2d_nhwc.hpp - channels-last convolution of every channel by itself.
//
// The input is read in place. A tile is some neighbouring outputs of one image row, and all channels.
#pragma once

#include <cstddef>
#include <utility>

#include "runtime_min/fixed_extent.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/conv_geometry.hpp"
#include "templates/matmul_tile.hpp"

namespace onnxc {

// w: [out_c, 1, k_h, k_w] as ONNX has it.  packed: [k_h][k_w][out_c].
inline void pack_depthwise_conv2d(const float* w, Index out_c, Index k_h, Index k_w, float* packed) {
  for (Index t = 0; t < k_h * k_w; ++t) {
    for (Index c = 0; c < out_c; ++c) *packed++ = w[c * k_h * k_w + t];
  }
}

// Taps inside the image from x and w on; x_step: between outputs, x_step_w: between taps, w_step_w: channels.
struct DepthwiseOperands {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
  Index channels, taps_h, taps_w;
  Index x_step, x_step_h, x_step_w, w_step_h;
};

// The channels from c on that fill vectors V, for TW outputs; returns the first channel left over. With a known
// window width KW and stride SW every input is loaded once for all outputs that it meets.
template <class V, int TW, int KW, int SW>
[[gnu::always_inline]] inline Index depthwise_channels(const DepthwiseOperands& t, Index c) {
  constexpr std::size_t outputs = TW;
  for (; c + lanes<V> <= t.channels; c += lanes<V>) {
    V acc[outputs];
    const V start = t.bias != nullptr ? load<V>(t.bias + c) : V{};
#pragma GCC unroll 16
    for (int i = 0; i < TW; ++i) acc[i] = start;
    for (Index h = 0; h < t.taps_h; ++h) {
      const float* x = t.x + h * t.x_step_h + c;
      const float* w = t.w + h * t.w_step_h + c;
      if constexpr (KW > 0) {
        constexpr std::size_t taps = KW;
        V k[taps];
#pragma GCC unroll 8
        for (int q = 0; q < KW; ++q) k[q] = load<V>(w + q * t.channels);
#pragma GCC unroll 64
        for (int i = 0; i < (TW - 1) * SW + KW; ++i) {
          const V v = load<V>(x + i * t.x_step_w);
#pragma GCC unroll 8
          for (int q = 0; q < KW; ++q) {
            if (i >= q && (i - q) % SW == 0 && (i - q) / SW < TW) acc[(i - q) / SW] += v * k[q];
          }
        }
      } else {
        for (Index q = 0; q < t.taps_w; ++q) {
          const V k = load<V>(w + q * t.channels);
#pragma GCC unroll 16
          for (int i = 0; i < TW; ++i) acc[i] += k * load<V>(x + q * t.x_step_w + i * t.x_step);
        }
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < TW; ++i) store(t.y + i * t.channels + c, acc[i]);
  }
  return c;
}

template <int TW, int KW, int SW>
[[gnu::noinline]] void depthwise_tile(const DepthwiseOperands& t) {
  Index c = depthwise_channels<vfloat, TW, KW, SW>(t, 0);
  if constexpr (kLanes > 4) c = depthwise_channels<vec<4>, TW, KW, SW>(t, c);
  if constexpr (kLanes > 1) c = depthwise_channels<float, TW, KW, SW>(t, c);
}

using DepthwiseFunction = void (*)(const DepthwiseOperands&);

constexpr int kDepthwiseTile = 8;

// The fast window widths and strides; any other window has its taps as a loop.
template <class S>
constexpr bool may_be_window(Index taps, Index stride) {
  return (fixed_k_w<S>() < 0 || fixed_k_w<S>() == taps) && (fixed_stride_w<S>() < 0 || fixed_stride_w<S>() == stride);
}

template <int TW, class S>
DepthwiseFunction depthwise_function(const S& s) {
  const bool dense = s.dilation_w == 1;
  if constexpr (may_be_window<S>(3, 1)) {
    if (dense && s.k_w == 3 && s.stride_w == 1) return &depthwise_tile<TW, 3, 1>;
  }
  if constexpr (may_be_window<S>(3, 2)) {
    if (dense && s.k_w == 3 && s.stride_w == 2) return &depthwise_tile<TW, 3, 2>;
  }
  if constexpr (may_be_window<S>(5, 1)) {
    if (dense && s.k_w == 5 && s.stride_w == 1) return &depthwise_tile<TW, 5, 1>;
  }
  if constexpr (may_be_window<S>(5, 2)) {
    if (dense && s.k_w == 5 && s.stride_w == 2) return &depthwise_tile<TW, 5, 2>;
  }
  return &depthwise_tile<TW, 0, 0>;
}

template <class S, int... I>
DepthwiseFunction depthwise_of_width(const S& s, int width, std::integer_sequence<int, I...>) {
  DepthwiseFunction found = nullptr;
  ((width == I + 1 ? void(found = depthwise_function<I + 1>(s)) : void()), ...);
  return found;
}

// The interior of a row as tiles of nearly equal width.
template <class S>
struct DepthwiseTiles {
  RowSplit split;
  DepthwiseFunction wide = nullptr;
  DepthwiseFunction tile = nullptr;

  DepthwiseTiles(const S& s, Index extent) : split(split_rows(extent, kDepthwiseTile)) {
    constexpr Index fixed = fixed_interior_width<S>();
    if constexpr (fixed > 0) {
      constexpr RowSplit f = split_rows(fixed, kDepthwiseTile);
      tile = depthwise_function<f.rows>(s);
      if constexpr (f.tall > 0) wide = depthwise_function<f.rows + 1>(s);
    } else if constexpr (fixed < 0) {
      const auto all = std::make_integer_sequence<int, kDepthwiseTile>{};
      tile = depthwise_of_width(s, split.rows, all);
      wide = depthwise_of_width(s, split.rows + 1, all);
    }
  }
};

// Outputs [ow, ow + width) of row oh of one image; at: offset of the image in y.
template <class S, class Epilogue>
[[gnu::noinline]] void depthwise_outputs(const S& s, const float* x, const float* w, const float* bias, float* y,
                                         Index at, DepthwiseFunction tile, Index oh, Index ow, Index width,
                                         Epilogue& epilogue) {
  const TapRange v = tap_range(vertical_axis(s), oh);
  const TapRange h = tap_range(horizontal_axis(s), ow);
  const Index row = oh * s.stride_h - s.pad_top + v.first * s.dilation_h;
  const Index column = ow * s.stride_w - s.pad_left + h.first * s.dilation_w;
  const bool empty = v.count == 0 || h.count == 0;
  const Index out = (oh * s.out_w + ow) * s.out_c;
  DepthwiseOperands t;
  t.x = empty ? x : x + (row * s.in_w + column) * s.in_c;
  t.w = empty ? w : w + (v.first * s.k_w + h.first) * s.in_c;
  t.bias = bias;
  t.y = y + out;
  t.channels = s.in_c;
  t.taps_h = empty ? 0 : v.count;
  t.taps_w = h.count;
  t.x_step = s.stride_w * s.in_c;
  t.x_step_h = s.dilation_h * s.in_w * s.in_c;
  t.x_step_w = s.dilation_w * s.in_c;
  t.w_step_h = s.k_w * s.in_c;
  tile(t);
  if constexpr (has_epilogue<Epilogue>) {
    for (Index i = 0; i < width; ++i) epilogue_row(t.y + i * s.out_c, at + out + i * s.out_c, 0, s.out_c, epilogue);
  }
}

template <class S, class Epilogue>
void depthwise_image(const S& s, const float* x, const float* w, const float* bias, float* y, Index at,
                     const DepthwiseTiles<S>& tiles, Epilogue& epilogue) {
  const Span columns = interior(horizontal_axis(s));
  for (Index oh = 0; oh < s.out_h; ++oh) {
    Index ow = 0;
    const auto single = [&] {
      depthwise_outputs(s, x, w, bias, y, at, &depthwise_tile<1, 0, 0>, oh, ow, 1, epilogue);
      ++ow;
    };
    while (ow < columns.begin) single();
    for (Index i = 0; i < tiles.split.tiles; ++i) {
      const Index width = tiles.split.rows + (i < tiles.split.tall ? 1 : 0);
      const DepthwiseFunction tile = i < tiles.split.tall ? tiles.wide : tiles.tile;
      depthwise_outputs(s, x, w, bias, y, at, tile, oh, ow, width, epilogue);
      ow += width;
    }
    while (ow < s.out_w) single();
  }
}

// Several outputs of each input channel; rare, so plain loops.
template <class S, class Epilogue>
void depthwise_multiplied(const S& s, const float* x, const float* w, const float* bias, float* y, Index at,
                          Epilogue& epilogue) {
  const Index multiplier = s.out_c / s.in_c;
  for (Index oh = 0; oh < s.out_h; ++oh) {
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
            sum += x[(row * s.in_w + column) * s.in_c + o / multiplier] * w[(i * s.k_w + j) * s.out_c + o];
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

// x: [batch, in_h, in_w, in_c].  w: pack_depthwise_conv2d.  bias: [out_c] or null.  y: [batch, out_h, out_w, out_c].
// Output channel o reads input channel o / (out_c / in_c). s: as of conv2d_nhwc; group is taken to be in_c.
template <class S, class Epilogue = NoEpilogue>
void depthwise_conv2d_nhwc(S s, const float* x, const float* w, const float* bias, float* y, Epilogue epilogue = {}) {
  const DepthwiseTiles<S> tiles(s, interior(horizontal_axis(s)).size());
  const Index in_size = s.in_h * s.in_w * s.in_c;
  const Index out_size = s.out_h * s.out_w * s.out_c;
  for (Index n = 0; n < s.batch; ++n) {
    if (s.in_c == s.out_c) {
      depthwise_image(s, x + n * in_size, w, bias, y + n * out_size, n * out_size, tiles, epilogue);
    } else {
      depthwise_multiplied(s, x + n * in_size, w, bias, y + n * out_size, n * out_size, epilogue);
    }
  }
}

}  // namespace onnxc
