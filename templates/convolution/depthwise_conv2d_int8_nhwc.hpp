// depthwise_conv2d_int8_nhwc.hpp - convolution of channels-last images of 8-bit integers, each
// channel by itself.
//
// The taps of a column, four at a time, share one word a channel; so an output needs one product a
// word, and outputs side by side use the same words. Pads are as in conv2d_int8_nhwc.hpp. For
// targets that sum products of 16-bit integers in pairs, but not of bytes, a word has two taps.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv2d_int8_nhwc.hpp"
#include "templates/matmul/int8_tile.hpp"

namespace onnxc {

template <class Product = ByteProduct, class S>
constexpr Index tap_words(const S& s) {
  return (s.k_h + Product::in_word - 1) / Product::in_word;
}

// Bytes of one set of weights: [ceil(k_h / 4)][k_w][channels][4].
template <class S>
constexpr Index depthwise_set_size(const S& s) {
  return tap_words(s) * s.k_w * s.in_c * 4;
}

// w: [channels, 1, k_h, k_w] as ONNX has it.
template <class S>
void pack_depthwise_int8(const S& s, const std::int8_t* w, std::int8_t* packed) {
  for (Index g = 0; g < tap_words(s); ++g)
    for (Index q = 0; q < s.k_w; ++q)
      for (Index c = 0; c < s.in_c; ++c)
        for (Index h = 4 * g; h < 4 * g + 4; ++h)
          *packed++ = h < s.k_h ? w[(c * s.k_h + h) * s.k_w + q] : std::int8_t{0};
}

// packed: [ceil(k_h / 2)][k_w][channels][2].  rest: null, or what is added to w.
template <class S>
void pack_depthwise_int8_pairs(const S& s, const std::int8_t* w, const std::int8_t* rest,
                               std::int16_t* packed) {
  for (Index g = 0; g < tap_words<PairProduct>(s); ++g)
    for (Index q = 0; q < s.k_w; ++q)
      for (Index c = 0; c < s.in_c; ++c)
        for (Index h = 2 * g; h < 2 * g + 2; ++h) {
          const Index at = (c * s.k_h + h) * s.k_w + q;
          const int weight = h < s.k_h ? w[at] + (rest != nullptr ? rest[at] : 0) : 0;
          *packed++ = static_cast<std::int16_t>(weight);
        }
}

// The taps of one word in every lane, from up to as many rows.
template <class Product, class W>
[[gnu::always_inline]] inline W join_taps(const std::uint8_t* x, Index row, Index taps) {
  if constexpr (Product::in_word == 4) {
    return join_rows<W>(x, row, taps);
  } else {
    const W first = widen<lanes<W>>(x);
    return taps > 1 ? first | widen<lanes<W>>(x + row) << 16 : first;
  }
}

// TW outputs of a row: x is the first tap of the first one.
template <class Y>
struct DepthwiseInt8Tile {
  const std::uint8_t* x;
  const std::int8_t* w;
  const std::int32_t* start;
  Y* y;
  Index at;
};

// Byte i of every lane, with its sign.
template <class W>
[[gnu::always_inline]] inline W signed_byte(W word, int i) {
  using I = numbers_of<lanes<W>>;
  return same_bits<W>(static_cast<I>(same_bits<I>(static_cast<W>(word << (24 - 8 * i))) >> 24));
}

// Byte i of the words from w on.
template <class W>
[[gnu::always_inline]] inline W signed_bytes(const std::int8_t* w, Index i) {
#if defined(__ARM_FEATURE_MVE)
  if constexpr (lanes<W> == 4) {
    const W places = {0, 4, 8, 12};
    W bytes;
    asm("vldrb.s32 %q0, [%1, %q2]"
        : "=&w"(bytes)
        : "r"(w + i), "w"(places), "m"(*reinterpret_cast<const std::int8_t(*)[16]>(w)));
    return bytes;
  }
#endif
  return signed_byte(load_words<W>(w), static_cast<int>(i));
}

// Whether products of bytes are as fast one after the other as joined to words.
template <int N>
constexpr bool kPlainDepthwise = N > 1 && kSumsBytes;

// The products of all taps with the channels of a vector, one after the other. x: the first tap. KW
// and SW: as in depthwise_int8_channels.
template <int TW, int KW, int SW, class W, class S, std::size_t OUTPUTS>
[[gnu::always_inline]] inline void add_depthwise_bytes(const S& s, W (&sums)[OUTPUTS],
                                                       const std::uint8_t* x, const std::int8_t* w,
                                                       Index row) {
  constexpr int n = lanes<W>;
  constexpr Index channels = fixed_extent(&S::in_c);
#pragma GCC unroll 1
  for (Index h = 0; h < s.k_h; ++h) {
    const std::uint8_t* from = x + h * row;
    const std::int8_t* k_at = s.k_h <= 4 ? w + h : w + h / 4 * s.k_w * s.in_c * 4 + h % 4;
    if constexpr (KW > 0 && channels > 0) {
      constexpr int step = SW * static_cast<int>(channels);
#pragma GCC unroll 8
      for (int q = 0; q < KW; ++q, from -= TW * step - s.in_c) {
        const W k = signed_bytes<W>(k_at + q * s.in_c * 4, 0);
#pragma GCC unroll 16
        for (int i = 0; i < TW; ++i) add_next_product<step>(sums[i], from, k);
      }
    } else {
      for (Index q = 0; q < s.k_w; ++q, from += s.dilation_w * s.in_c) {
        const W k = signed_bytes<W>(k_at + q * s.in_c * 4, 0);
#pragma GCC unroll 16
        for (int i = 0; i < TW; ++i)
          add_product(sums[i], widen<n>(from + i * s.stride_w * s.in_c), k);
      }
    }
  }
}

template <class V, int TW, class S, class Y, std::size_t OUTPUTS, class Epilogue>
[[gnu::always_inline]] inline void finish_depthwise(const S& s,
                                                    const words<lanes<V>> (&sums)[OUTPUTS],
                                                    const DepthwiseInt8Tile<Y>& t, Index c,
                                                    const Epilogue& epilogue) {
#pragma GCC unroll 16
  for (int i = 0; i < TW; ++i) {
    const Index pixel = i * s.in_c + c;
    finish_sums<V>(sums[i], lanes<V>, t.y + pixel, t.at + pixel, c, epilogue);
  }
}

// The channels from c on in one vector V. KW and SW are the width of the window and its stride, or
// 0: any, with any dilation.
template <class V, int TW, int KW, int SW, class Product = ByteProduct, class S, class Y,
          class Epilogue>
[[gnu::always_inline]] inline void depthwise_int8_channels(const S& s,
                                                           const DepthwiseInt8Tile<Y>& t, Index c,
                                                           Index width, const Epilogue& epilogue) {
  constexpr int n = lanes<V>;
  constexpr std::size_t outputs = TW;
  using W = words<n>;
  const Index row = s.dilation_h * width * s.in_c;
  W sums[outputs];
  const W start = load_words<W>(t.start + c);
#pragma GCC unroll 16
  for (int i = 0; i < TW; ++i) sums[i] = start;
  if constexpr (kPlainDepthwise<n>) {
    for (Index set = 0; set < s.sets; ++set)
      add_depthwise_bytes<TW, KW, SW>(s, sums, t.x + c, t.w + set * depthwise_set_size(s) + c * 4,
                                      row);
    return finish_depthwise<V, TW>(s, sums, t, c, epilogue);
  }
  for (Index word = 0; word < s.sets * tap_words<Product>(s); ++word) {
    const Index first = Product::in_word * (word % tap_words<Product>(s)), taps = s.k_h - first;
    const std::uint8_t* x = t.x + first * row + c;
    const std::int8_t* w = t.w + (word * s.k_w * s.in_c + c) * 4;
    if constexpr (KW > 0) {
      constexpr std::size_t columns = KW;
      W k[columns];
#pragma GCC unroll 8
      for (int q = 0; q < KW; ++q) k[q] = Product::template load<W>(w + q * s.in_c * 4);
#pragma GCC unroll 32
      for (int i = 0; i < (TW - 1) * SW + KW; ++i) {
        const W column = join_taps<Product, W>(x + i * s.in_c, row, taps);
#pragma GCC unroll 8
        for (int q = 0; q < KW; ++q)
          if (i >= q && (i - q) % SW == 0 && (i - q) / SW < TW)
            sums[(i - q) / SW] = Product::add(sums[(i - q) / SW], column, k[q]);
      }
    } else {
      for (Index q = 0; q < s.k_w; ++q) {
        const W k = Product::template load<W>(w + q * s.in_c * 4);
#pragma GCC unroll 16
        for (int i = 0; i < TW; ++i) {
          const Index at = (i * s.stride_w + q * s.dilation_w) * s.in_c;
          sums[i] = Product::add(sums[i], join_taps<Product, W>(x + at, row, taps), k);
        }
      }
    }
  }
  finish_depthwise<V, TW>(s, sums, t, c, epilogue);
}

template <int TW, int KW, int SW, class Product = ByteProduct, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline void depthwise_int8_tile(const S& s, const DepthwiseInt8Tile<Y>& t,
                                                       Index width, const Epilogue& epilogue) {
  Index c = 0;
  for (Index left = (s.in_c - c) / kLanes; left > 0; --left, c += kLanes)
    depthwise_int8_channels<vfloat, TW, KW, SW, Product>(s, t, c, width, epilogue);
  if constexpr (kLanes >= 16) {
    if (c + 8 <= s.in_c) {
      depthwise_int8_channels<vec<8>, TW, KW, SW, Product>(s, t, c, width, epilogue);
      c += 8;
    }
  }
  if constexpr (kLanes >= 8) {
    if (c + 4 <= s.in_c) {
      depthwise_int8_channels<vec<4>, TW, KW, SW, Product>(s, t, c, width, epilogue);
      c += 4;
    }
  }
  if constexpr (kLanes > 1) {
    for (int u = 0; u < 3 && c < s.in_c; ++u, ++c)
      depthwise_int8_channels<float, TW, KW, SW, Product>(s, t, c, width, epilogue);
  }
}

// The tile that begins at output `ow` of a row.
template <class S, class Y>
[[gnu::always_inline]] inline DepthwiseInt8Tile<Y> depthwise_tile_at(
    const S& s, const DepthwiseInt8Tile<Y>& first, Index ow) {
  return {first.x + ow * s.stride_w * s.in_c, first.w, first.start, first.y + ow * s.in_c,
          first.at + ow * s.in_c};
}

// Tiles from output `ow` on, as long as the row has TW more; the next output.
template <int TW, int KW, int SW, class Product, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline Index depthwise_int8_tiles(const S& s,
                                                         const DepthwiseInt8Tile<Y>& first,
                                                         Index ow, Index width,
                                                         const Epilogue& epilogue) {
  for (; ow + TW <= s.out_w; ow += TW)
    depthwise_int8_tile<TW, KW, SW, Product>(s, depthwise_tile_at(s, first, ow), width, epilogue);
  return ow;
}

// Tiles over one row of outputs, the last one ending where the row ends, or smaller ones for what
// an open width leaves over.
template <int TW, int KW, int SW, class Product, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline void depthwise_int8_row(const S& s, const DepthwiseInt8Tile<Y>& first,
                                                      Index width, const Epilogue& epilogue) {
  if constexpr (fixed_extent(&S::out_w) < 0 && TW == 8) {
    Index ow = depthwise_int8_tiles<8, KW, SW, Product>(s, first, 0, width, epilogue);
    ow = depthwise_int8_tiles<4, KW, SW, Product>(s, first, ow, width, epilogue);
    ow = depthwise_int8_tiles<2, KW, SW, Product>(s, first, ow, width, epilogue);
    depthwise_int8_tiles<1, KW, SW, Product>(s, first, ow, width, epilogue);
  } else if (s.out_w < TW) {
    depthwise_int8_tiles<1, KW, SW, Product>(s, first, 0, width, epilogue);
  } else {
    for (Index ow = 0; ow < s.out_w; ow += TW) {
      const Index begin = ow + TW <= s.out_w ? ow : s.out_w - TW;
      depthwise_int8_tile<TW, KW, SW, Product>(s, depthwise_tile_at(s, first, begin), width,
                                               epilogue);
    }
  }
}

// Outputs side by side. Pairs need no registers for halves.
template <class S, class Product = ByteProduct>
constexpr int depthwise_int8_outputs() {
  constexpr bool many = kVectorRegisters >= 32 || Product::in_word == 2;
  constexpr Index most = kLanes == 1 ? 1 : many ? 8 : 4, width = fixed_extent(&S::out_w);
  if (width <= 0) return most;
  constexpr Index tiles = (width + most - 1) / most;
  return static_cast<int>((width + tiles - 1) / tiles);
}

template <int KW, int SW, class Product, class S, class Y, class Epilogue>
[[gnu::noinline]] void depthwise_int8_image(const S& s, const std::uint8_t* x, Index width,
                                            const std::int8_t* w, const std::int32_t* start, Y* y,
                                            Index at, Span rows, const Epilogue& given) {
  // A copy, since the stores might alias a reference.
  const Epilogue epilogue = given;
  const Index out_row = s.out_w * s.in_c;
  for (Index oh = rows.begin; oh < rows.end; ++oh) {
    const DepthwiseInt8Tile<Y> t = {x + oh * s.stride_h * width * s.in_c, w, start,
                                    y + oh * out_row, at + oh * out_row};
    depthwise_int8_row<depthwise_int8_outputs<S, Product>(), KW, SW, Product>(s, t, width,
                                                                              epilogue);
  }
}

// The kernel for a window, with the common ones unrolled.
template <class Product, class S, class Y, class Epilogue>
void depthwise_int8_window(const S& s, const std::uint8_t* x, Index width, const std::int8_t* w,
                           const std::int32_t* start, Y* y, Index at, Span rows,
                           const Epilogue& epilogue) {
  constexpr Index k = fixed_extent(&S::k_w), stride = fixed_extent(&S::stride_w);
  constexpr bool unrolls =
      fixed_extent(&S::dilation_w) == 1 && k > 0 && k <= 7 && stride > 0 && stride <= 2;
  if constexpr (unrolls) {
    depthwise_int8_image<static_cast<int>(k), static_cast<int>(stride), Product>(
        s, x, width, w, start, y, at, rows, epilogue);
  } else {
    depthwise_int8_image<0, 0, Product>(s, x, width, w, start, y, at, rows, epilogue);
  }
}

template <class Product, class S, class X, class Y, class Epilogue>
void depthwise_int8_images(const S& s, const X* x, const std::int8_t* w, const std::int32_t* start,
                           Y* y, std::uint8_t* scratch, const Epilogue& epilogue) {
  const Index in_size = s.in_h * s.in_w * s.in_c, out_size = s.out_h * s.out_w * s.in_c;
  const Span own = chunk_range(s, s.batch * s.out_h);
  for (Index n = 0; n < s.batch; ++n) {
    const Span rows = rows_of_image(own, n, s.out_h);
    if (rows.size() <= 0) continue;
    if constexpr (!std::is_signed_v<X>) {
      if (!s.copies) {
        depthwise_int8_window<Product>(s, x + n * in_size, s.in_w, w, start, y + n * out_size,
                                       n * out_size, rows, epilogue);
        continue;
      }
    }
    copy_bordered(s, x + n * in_size, scratch);
    depthwise_int8_window<Product>(s, scratch, bordered_width(s), w, start, y + n * out_size,
                                   n * out_size, rows, epilogue);
  }
}

// w: [sets], each pack_depthwise_int8: the weights are their sum.  start: [channels].  Everything
// else is as for conv2d_int8_nhwc, with out_c = group = in_c.  s: as there, but sets instead of
// again.
template <class S, class X, class Y, class Epilogue = NoEpilogue>
[[gnu::noinline]] void depthwise_conv2d_int8_nhwc(S s, const X* x, const std::int8_t* w,
                                                  const std::int32_t* start, Y* y,
                                                  std::uint8_t* scratch, Epilogue epilogue = {}) {
  depthwise_int8_images<ByteProduct>(s, x, w, start, y, scratch, epilogue);
}

// w: pack_depthwise_int8_pairs; sets is 1. Everything else as for depthwise_conv2d_int8_nhwc.
template <class S, class X, class Y, class Epilogue = NoEpilogue>
[[gnu::noinline]] void depthwise_conv2d_int8_pairs_nhwc(S s, const X* x, const std::int16_t* w,
                                                        const std::int32_t* start, Y* y,
                                                        std::uint8_t* scratch,
                                                        Epilogue epilogue = {}) {
  depthwise_int8_images<PairProduct>(s, x, reinterpret_cast<const std::int8_t*>(w), start, y,
                                     scratch, epilogue);
}

// The same with a zero point given at run time.
template <class S, class X, class... Rest>
void depthwise_conv2d_int8_nhwc_zero(S s, const X* zero, const X* x, Rest... rest) {
  depthwise_conv2d_int8_nhwc(with_zero(s, zero), x, rest...);
}

template <class S, class X, class... Rest>
void depthwise_conv2d_int8_pairs_nhwc_zero(S s, const X* zero, const X* x, Rest... rest) {
  depthwise_conv2d_int8_pairs_nhwc(with_zero(s, zero), x, rest...);
}

}  // namespace onnxc
