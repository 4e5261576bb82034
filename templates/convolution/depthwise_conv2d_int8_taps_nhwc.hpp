// depthwise_conv2d_int8_taps_nhwc.hpp - convolution of channels-last images of 8-bit integers, each
// channel by itself, one tap after the other: for cores without vectors, where joining taps to
// words gains nothing.
//
// The weights of a tap lie as the channels of a pixel do, so that a word of each has four channels.
// Images are read in place. Taps outside of them count as zero points.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv2d_int8_nhwc.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/matmul/int8_tile.hpp"

namespace onnxc {

// Bytes of one set of weights: [k_h][k_w][channels].
template <class S>
constexpr Index depthwise_taps_size(const S& s) {
  return s.k_h * s.k_w * s.in_c;
}

// w: [channels, 1, k_h, k_w] as ONNX has it.
template <class S>
void pack_depthwise_int8_taps(const S& s, const std::int8_t* w, std::int8_t* packed) {
  const Index taps = s.k_h * s.k_w;
  for (Index tap = 0; tap < taps; ++tap)
    for (Index c = 0; c < s.in_c; ++c) *packed++ = w[c * taps + tap];
}

// What the outputs of a row share. y: of the row; at: what the epilogue calls its first element.
template <class Y>
struct DepthwiseTaps {
  const std::int8_t* w;
  const std::int32_t* start;
  Y* y;
  Index at;
};

// Where an instruction multiplies half words and code may be longer, a word of four channels is one
// step.
#if defined(__ARM_FEATURE_DSP) && !defined(__aarch64__) && !defined(__ARM_FEATURE_MVE) && \
    !defined(__ARM_NEON) && !defined(__OPTIMIZE_SIZE__)
#define ONNXC_TAP_WORDS
constexpr bool kHasTapWords = true;
#else
constexpr bool kHasTapWords = false;
#endif

// Sums of four channels, by name: compilers keep those of an array in memory.
struct TapSums {
  std::uint32_t s0, s1, s2, s3;
};

// Adds the products of four channels with their weights. By instructions in this order, since
// compilers have more halves of words live than there are registers.
[[gnu::always_inline]] inline void add_tap_word(TapSums& s, std::uint32_t x, std::uint32_t w) {
#if defined(ONNXC_TAP_WORDS)
  std::uint32_t x_even, w_even;
  asm volatile(
      "sxtb16 %[w_even], %[w]\n\t"
      "sxtb16 %[w], %[w], ror #8\n\t"
      "uxtb16 %[x_even], %[x]\n\t"
      "uxtb16 %[x], %[x], ror #8\n\t"
      "smlabb %[s0], %[x_even], %[w_even], %[s0]\n\t"
      "smlabb %[s1], %[x], %[w], %[s1]\n\t"
      "smlatt %[s2], %[x_even], %[w_even], %[s2]\n\t"
      "smlatt %[s3], %[x], %[w], %[s3]"
      : [s0] "+r"(s.s0), [s1] "+r"(s.s1), [s2] "+r"(s.s2), [s3] "+r"(s.s3), [x] "+r"(x),
        [w] "+r"(w), [x_even] "=&r"(x_even), [w_even] "=&r"(w_even));
#else
  static_cast<void>(s), static_cast<void>(x), static_cast<void>(w);
#endif
}
#undef ONNXC_TAP_WORDS

// Adds the products of one tap: of the channels at x with the weights w. FLIP: makes signed bytes
// unsigned, or 0.
template <std::uint32_t FLIP>
[[gnu::always_inline]] inline void add_tap(TapSums& sums, const std::uint8_t* x,
                                           const std::int8_t* w) {
  add_tap_word(sums, broadcast_word<std::uint32_t>(x) ^ FLIP, load_words<std::uint32_t>(w));
}
template <std::uint32_t FLIP, class W>
[[gnu::always_inline]] inline void add_tap(W& sums, const std::uint8_t* x, const std::int8_t* w) {
  constexpr int n = lanes<W>;
  sums += (widen<n>(x) ^ (FLIP & 0xffu)) * widen<n>(w);
}

// Adds the products of a tap outside of the image with its zero point.
[[gnu::always_inline]] inline void add_zero_tap(TapSums& sums, std::uint32_t zero,
                                                const std::int8_t* w) {
  add_tap_word(sums, zero * 0x01010101u, load_words<std::uint32_t>(w));
}
template <class W>
[[gnu::always_inline]] inline void add_zero_tap(W& sums, std::uint32_t zero, const std::int8_t* w) {
  sums += widen<lanes<W>>(w) * zero;
}

// The taps of one output. from: the first one inside of the image, number `first`.
template <class S, class X>
struct TapWindow {
  static constexpr std::uint32_t flip = std::is_signed_v<X> ? 0x80808080u : 0u;
  static constexpr Index known_width = fixed_extent(&S::k_w);
  static constexpr bool unrolls = known_width > 0 && known_width <= 7 && fixed_extent(&S::in_c) > 0;
  // Whether all taps of a row are inside of the image.
  static constexpr bool whole = fixed_extent(&S::out_w) > 0 &&
                                fixed_interior(fixed_horizontal_axis<S>()) ==
                                    fixed_extent(&S::out_w);
  const S& s;
  WindowTaps taps;
  const std::uint8_t* from;
  Index first;

  [[gnu::always_inline]] TapWindow(const S& shape, const X* x, const WindowTaps& t)
      : s(shape),
        taps(t),
        from(reinterpret_cast<const std::uint8_t*>(x) +
             (t.first + t.v.first * s.dilation_h * s.in_w * s.in_c +
              t.h.first * s.dilation_w * s.in_c)),
        first(t.v.first * s.k_w + t.h.first) {}

  // The taps of a row that are inside of the image.
  template <class Sums>
  [[gnu::always_inline]] void add_row(Sums& sums, const std::uint8_t* x,
                                      const std::int8_t* w) const {
    const Index step = s.dilation_w * s.in_c;
    if (unrolls && (whole || taps.h.count == s.k_w)) {
#pragma GCC unroll 8
      for (Index q = 0; q < s.k_w; ++q) add_tap<flip>(sums, x + q * step, w + q * s.in_c);
      return;
    }
#pragma GCC unroll 1
    for (Index q = taps.h.count; q > 0; --q, x += step, w += s.in_c) add_tap<flip>(sums, x, w);
  }

  template <class Sums>
  [[gnu::always_inline]] void add_zeros(Sums& sums, Index c, const std::int8_t* w) const {
    if (taps.v.count == s.k_h && (whole || taps.h.count == s.k_w)) return;
    for (Index h = 0; h < s.k_h; ++h)
#pragma GCC unroll 1
      for (Index q = 0; q < s.k_w; ++q)
        if (!taps.inside(h, q))
          add_zero_tap(sums, static_cast<std::uint32_t>(s.zero), w + (h * s.k_w + q) * s.in_c + c);
  }

  // The products of all taps, of the channels from c on.
  template <class Sums>
  [[gnu::always_inline]] void add(Sums& sums, Index c, const std::int8_t* w) const {
    for (Index set = 0; set < s.sets; ++set, w += depthwise_taps_size(s)) {
      const std::uint8_t* at = from + c;
      const std::int8_t* k = w + first * s.in_c + c;
#pragma GCC unroll 1
      for (Index left = taps.v.count; left > 0; --left, k += s.k_w * s.in_c) {
        add_row(sums, at, k);
        at += s.dilation_h * s.in_w * s.in_c;
      }
      if (s.zero != 0) add_zeros(sums, c, w);
    }
  }
};

// All channels of an output.
template <class Window, class Y, class Epilogue>
[[gnu::always_inline]] inline void depthwise_taps_output(const Window& window,
                                                         const DepthwiseTaps<Y>& t,
                                                         const Epilogue& epilogue) {
  const Index channels = window.s.in_c;
  Index c = 0;
  if constexpr (kHasTapWords) {
    const auto finish = [&](std::uint32_t sum, Index i) {
      finish_sums<float>(sum, 1, t.y + i, t.at + i, i, epilogue);
    };
    for (; c + 4 <= channels; c += 4) {
      const auto* const start = reinterpret_cast<const std::uint32_t*>(t.start + c);
      TapSums sums = {start[0], start[1], start[2], start[3]};
      window.add(sums, c, t.w);
      finish(sums.s0, c);
      finish(sums.s1, c + 1);
      finish(sums.s2, c + 2);
      finish(sums.s3, c + 3);
    }
  }
  for_lanes(channels - c, [&](Index i, auto lane) {
    using V = decltype(lane);
    auto sums = load_words<words<lanes<V>>>(t.start + c + i);
    window.add(sums, c + i, t.w);
    finish_sums<V>(sums, lanes<V>, t.y + c + i, t.at + c + i, c + i, epilogue);
  });
}

// Row oh of the outputs of the image x.
template <class S, class X, class Y, class Epilogue>
[[gnu::noinline]] void depthwise_taps_row(const S& s, const X* x, Index oh,
                                          const DepthwiseTaps<Y>& given_tile,
                                          const Epilogue& given) {
  // Copies, since the stores might alias references.
  const Epilogue epilogue = given;
  const DepthwiseTaps<Y> t = given_tile;
  for (Index ow = 0; ow < s.out_w; ++ow) {
    const Index at = ow * s.in_c;
    depthwise_taps_output(TapWindow<S, X>(s, x, window_taps(s, oh, ow)),
                          DepthwiseTaps<Y>{t.w, t.start, t.y + at, t.at + at}, epilogue);
  }
}

// w: [sets], each pack_depthwise_int8_taps: the weights are their sum.  scratch is not used.
// Everything else is as for depthwise_conv2d_int8_nhwc; zero is always that of x.
template <class S, class X, class Y, class Epilogue = NoEpilogue>
[[gnu::noinline]] void depthwise_conv2d_int8_taps_nhwc(S s, const X* x, const std::int8_t* w,
                                                       const std::int32_t* start, Y* y,
                                                       std::uint8_t*, Epilogue epilogue = {}) {
  const Index row = s.out_w * s.in_c;
  const Span own = chunk_range(s, s.batch * s.out_h);
  for (Index n = 0; n < s.batch; ++n) {
    const Span rows = rows_of_image(own, n, s.out_h);
    for (Index oh = rows.begin; oh < rows.end; ++oh) {
      const Index at = (n * s.out_h + oh) * row;
      depthwise_taps_row(s, x + n * s.in_h * s.in_w * s.in_c, oh,
                         DepthwiseTaps<Y>{w, start, y + at, at}, epilogue);
    }
  }
}

// The same with a zero point given at run time.
template <class S, class X, class... Rest>
void depthwise_conv2d_int8_taps_nhwc_zero(S s, const X* zero, const X* x, Rest... rest) {
  depthwise_conv2d_int8_taps_nhwc(with_zero(s, zero), x, rest...);
}

}  // namespace onnxc
