// layer_norm_int8.hpp - LayerNormalization and RMSNormalization of rows of quantised values, in
// integers, so that all targets give the same bytes.
//
// The sums of a row are exact. One division and one root of floats, which every target rounds
// alike, give its factor; products are the upper halves of those of 32 bits.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/flash.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The upper half of the product, rounded.
[[gnu::always_inline]] inline std::int32_t upper_half(std::int32_t a, std::int32_t b) {
#if defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
  std::int32_t r;
  asm("smmulr %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
  return r;
#else
  return static_cast<std::int32_t>((std::int64_t{a} * b + (std::int64_t{1} << 31)) >> 32);
#endif
}

// What the values of a row are multiplied with, less its sum: shifted to the left, then `factor`,
// of which the upper half counts.
struct RowFactor {
  std::int32_t offset, factor;
  int shift;
};

// The inverse root of v * 2^-16, for results with s.bits fraction bits.
template <class S>
[[gnu::always_inline]] inline RowFactor inverse_root(const S& s, std::int32_t offset,
                                                     std::uint64_t v) {
  // 22 to 24 bits, and an even exponent.
  int exponent = 0;
  for (; (v >> 24) != 0; v >>= 2) exponent += 2;
  for (; v < (std::uint32_t{1} << 22); v <<= 2) exponent -= 2;
  const float root = std::sqrt(static_cast<float>(static_cast<std::uint32_t>(v)));
  const float inverse = 1.0f / root;
  const int shift = static_cast<int>(s.bits) - 1 - exponent / 2;
  // Larger shifts are of rows of equal values, which become zeros.
  return {offset, static_cast<std::int32_t>(inverse * 0x1p41f), shift < 30 ? shift : 30};
}

// CENTRED: about the mean, else about s.zero. epsilon: two words, the lower one first, of its
// product with (count / scale)^2 and 2^16.
template <bool CENTRED, class S, class X>
[[gnu::always_inline]] inline RowFactor row_factor(const S& s, const X* x,
                                                   const std::uint32_t* epsilon) {
  const auto zero = CENTRED ? 0 : static_cast<std::int32_t>(s.zero);
  std::int32_t sum = 0, squares = 0;
  for (Index i = 0; i < s.size; ++i) {
    const std::int32_t v = x[i] - zero;
    if constexpr (CENTRED) sum += v;
    squares += v * v;
  }
  const auto count = static_cast<std::uint32_t>(s.size);
  std::uint64_t v = std::uint64_t{count} * static_cast<std::uint32_t>(squares);
  if constexpr (CENTRED) v -= static_cast<std::uint64_t>(std::int64_t{sum} * sum);
  const std::uint64_t more = std::uint64_t{constant_at(epsilon + 1)} << 32 | constant_at(epsilon);
  const std::int32_t offset = CENTRED ? sum : zero * static_cast<std::int32_t>(s.size);
  return inverse_root(s, offset, (v << 16) + more);
}

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
// Four values at a time; the number of those done.
template <class S, class X, class Y>
[[gnu::always_inline]] inline Index store_four_normalized(const S& s, const X* x, RowFactor f,
                                                          const std::int32_t* scale,
                                                          const std::int32_t* bias, Y* y) {
  using W = words<4>;
  using N = numbers_of<4>;
  const N low = N{} + static_cast<std::int32_t>(s.low),
          high = N{} + static_cast<std::int32_t>(s.high);
  const W factor = W{} + static_cast<std::uint32_t>(f.factor);
  Index i = 0;
  for (; i + 4 <= s.size; i += 4) {
    W v =
        widen<4>(x + i) * static_cast<std::uint32_t>(s.size) - static_cast<std::uint32_t>(f.offset);
    asm("vshl.s32 %q0, %1\n\tvrmulh.s32 %q0, %q0, %q2\n\tvrmulh.s32 %q0, %q0, %q3"
        : "+w"(v)
        : "r"(f.shift), "w"(factor), "w"(load_words<W>(scale + i)));
    v += load_words<W>(bias + i);
    asm("vshl.s32 %q0, %1\n\tvmax.s32 %q0, %q0, %q2\n\tvmin.s32 %q0, %q0, %q3"
        : "+w"(v)
        : "r"(-static_cast<int>(s.places)), "w"(low), "w"(high));
    asm("vstrb.32 %q1, [%2]" : "=m"(*reinterpret_cast<Y(*)[4]>(y + i)) : "w"(v), "l"(y + i));
  }
  return i;
}
#endif

template <bool CENTRED, class S, class X, class Y>
void normalize_int8_rows(const S& s, const X* x, const std::int32_t* scale,
                         const std::int32_t* bias, const std::uint32_t* epsilon, Y* y) {
  const Span own = chunk_range(s, s.rows);
  const auto low = static_cast<std::int32_t>(s.low), high = static_cast<std::int32_t>(s.high);
  for (Index r = own.begin; r < own.end; ++r) {
    const X* const from = x + r * s.size;
    Y* const to = y + r * s.size;
    const RowFactor f = row_factor<CENTRED>(s, from, epsilon);
    Index i = 0;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    i = store_four_normalized(s, from, f, scale, bias, to);
#endif
    for (; i < s.size; ++i) {
      const std::int32_t v = from[i] * static_cast<std::int32_t>(s.size) - f.offset;
      const auto shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << f.shift);
      const std::int32_t normal = upper_half(shifted, f.factor);
      const std::int32_t result =
          (upper_half(normal, constant_at(scale + i)) + constant_at(bias + i)) >> s.places;
      to[i] = static_cast<Y>(result < low ? low : result > high ? high : result);
    }
  }
}

// x, y: [rows, size], the same memory or not overlapping. scale, bias: [size], so that the upper
// half of a normal value with s.bits fraction bits times scale, plus bias, is a value of y with
// s.places fraction bits and a half. s: rows, size (at most 2^14), zero (of x, where rows are
// not centred), bits, places, low, high (of y). Divisible.
template <class S, class X, class Y>
void layer_norm_int8(S s, const X* x, const std::int32_t* scale, const std::int32_t* bias,
                     const std::uint32_t* epsilon, Y* y) {
  normalize_int8_rows<true>(s, x, scale, bias, epsilon, y);
}

// The same without subtracting the mean.
template <class S, class X, class Y>
void rms_norm_int8(S s, const X* x, const std::int32_t* scale, const std::int32_t* bias,
                   const std::uint32_t* epsilon, Y* y) {
  normalize_int8_rows<false>(s, x, scale, bias, epsilon, y);
}

}  // namespace onnxc
