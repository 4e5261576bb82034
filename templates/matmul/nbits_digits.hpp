// nbits_digits.hpp - a row of floats as fixed-point numbers of three digits to the base 256, with a
// factor for every block of up to 32: packed weights of 4 bits times bytes give sums that are
// exact, and three digits hold as much as the sums of floats do.
#pragma once

#include <cstdint>

#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Whether the target has instructions that multiply the bytes of its vectors and add the products.
#if defined(__AVX512F__)
#if defined(__AVX512BW__)
constexpr bool kMultipliesBytes = true;
#else
constexpr bool kMultipliesBytes = false;
#endif
#elif defined(__AVX2__) || (defined(__SSSE3__) && !defined(__AVX__))
constexpr bool kMultipliesBytes = true;
#else
constexpr bool kMultipliesBytes = false;
#endif

constexpr int kDigits = 3;

// The most values that share a factor: the sum of their products with weights fits in 32 bits.
constexpr Index kMostDigitBlock = 32;

// s: block, a power of two.
template <class S>
constexpr Index digit_block(const S& s) {
  return s.block < kMostDigitBlock ? s.block : kMostDigitBlock;
}

// Values that follow each other in k, in a word of weights of 4 bits.
constexpr Index kDigitValues = 8;

// The factor of a block's numbers, and their sum.
struct DigitBlock {
  float factor;
  std::uint32_t sum;
};

namespace digits_detail {

// The bytes of N lanes, as builtins take them.
template <int N>
struct CharsOf {
  using type = Vector<char, 4 * N>;
};

// The products of the bytes of u and the signed bytes of s, added in pairs of 16 bits.
template <class W>
[[gnu::always_inline]] inline W multiply_bytes(W u, W s) {
  using Bytes = typename CharsOf<lanes<W>>::type;
  const Bytes x = same_bits<Bytes>(u), y = same_bits<Bytes>(s);
#if defined(__SSSE3__)
  if constexpr (sizeof(W) == 16) return same_bits<W>(__builtin_ia32_pmaddubsw128(x, y));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(W) == 32) return same_bits<W>(__builtin_ia32_pmaddubsw256(x, y));
#endif
#if defined(__AVX512BW__)
#if defined(__clang__)
  if constexpr (sizeof(W) == 64) return same_bits<W>(__builtin_ia32_pmaddubsw512(x, y));
#else
  using Pairs = typename LanesOf<16>::pairs;
  if constexpr (sizeof(W) == 64)
    return same_bits<W>(__builtin_ia32_pmaddubsw512_mask(x, y, Pairs{}, 0xffffffffu));
#endif
#endif
  static_cast<void>(x);
  static_cast<void>(y);
  return W{};
}

// Whether sums stay in pairs of 16 bits, which hold those of 32 values.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
constexpr bool kSumsInPairs = false;
#else
constexpr bool kSumsInPairs = true;
#endif

// sum + the products of the numbers below 16 in the bytes of u and the signed bytes of s.
template <class W>
[[gnu::always_inline]] inline W add_products(W sum, W u, W s) {
  if constexpr (kSumsInPairs) {
    using Pairs = typename LanesOf<lanes<W>>::pairs;
    W y = same_bits<W>(same_bits<Pairs>(sum) + same_bits<Pairs>(multiply_bytes(u, s)));
#if defined(__SSSE3__)
    // Compilers would compute all products first, and keep them in memory.
    asm("" : "+v"(y));
#endif
    return y;
  } else {
    return dot_int8(sum, u, s);
  }
}

// first + the sums of the numbers whose digits have the sums low, middle and high; those of 32 bits
// began with first.
template <class W>
[[gnu::always_inline]] inline W join(W first, W low, W middle, W high) {
  if constexpr (kSumsInPairs) {
    const W one = W{} + 0x00010001u, base = W{} + 0x01000100u;
    const W upper = dot_pairs(dot_pairs(W{}, middle, one), high, base);
    return dot_pairs(first, low, one) + (upper << 8);
  } else {
    return low + (((high << 8) + middle) << 8);
  }
}

// The largest numbers, and what moves a float's whole part into its lowest bits.
constexpr float kMostNumber = 4194304.0f, kToWhole = 12582912.0f;

// Four numbers as digits: the lowest of all, then the middle ones, the highest, and zeros.
[[gnu::always_inline]] inline vec<4> digits_of(vec<4> numbers) {
  using Bytes = Vector<std::uint8_t, 16>;
  using Words = bits_t<vec<4>>;
  // Every digit is 128 larger for a while, so that none is negative.
  const Words whole = to_bits(numbers + kToWhole) - (0x4b400000u - 0x808080u);
  const Bytes digits = same_bits<Bytes>(static_cast<Words>(whole ^ 0x808080u));
  return same_bits<vec<4>>(
      shuffle_lanes<0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15>(digits, digits));
}

// `count` values, up to eight, and zeros.
[[gnu::always_inline]] inline void load_eight(const float* x, Index count, vec<4> (&v)[2]) {
  float padded[kDigitValues];
  if (count < kDigitValues) {
    for (Index i = 0; i < kDigitValues; ++i) padded[i] = i < count ? x[i] : 0.0f;
    x = padded;
  }
  v[0] = load<vec<4>>(x);
  v[1] = load<vec<4>>(x + 4);
}

// A block of which x has `count` values. digits: for every eight of them those at even places, then
// the others, by digits_of; four bytes more are overwritten.
inline DigitBlock block_digits(const float* x, Index count, Index block, std::uint8_t* digits) {
  using V = vec<4>;
  using Words = bits_t<V>;
  V most = {}, v[2];
  for (Index i = 0; i < block; i += kDigitValues) {
    load_eight(x + i, count - i, v);
    most = max(most, max(abs(v[0]), abs(v[1])));
  }
  // Infinities and NaN have no digits; the factor makes their results NaN.
  const float largest = horizontal_max(most), base = largest > 1e-30f ? largest : 1e-30f;
  const bool finite = largest - largest == 0.0f;
  const float inverse = finite ? kMostNumber / base : 0.0f;
  Words sum = {};
  for (Index i = 0; i < block; i += kDigitValues, digits += kDigits * kDigitValues) {
    load_eight(x + i, finite ? count - i : 0, v);
    const V low = v[0] * inverse, high = v[1] * inverse;
    sum += to_bits(low + kToWhole) + to_bits(high + kToWhole);
    const V even = shuffle_lanes<0, 2, 4, 6>(low, high);
    const V odd = shuffle_lanes<1, 3, 5, 7>(low, high);
    store(reinterpret_cast<float*>(digits), digits_of(even));
    store(reinterpret_cast<float*>(digits + 4 * kDigits), digits_of(odd));
  }
  // Every number has the bits of kToWhole in addition.
  const std::uint32_t whole = static_cast<std::uint32_t>(block) * to_bits(kToWhole);
  return {finite ? base / kMostNumber : largest - largest,
          sum[0] + sum[1] + sum[2] + sum[3] - whole};
}

}  // namespace digits_detail

// A row of k values in blocks of digit_block: the digits of all, and factors and sums.
struct DigitRow {
  std::uint8_t* digits;
  DigitBlock* blocks;
};

// scratch: that of matmul_nbits_packed. Meanwhile the first weights come from memory, of which
// there are `words` for each of the blocks from `first` on. s: k, block.
template <class S>
DigitRow row_digits(const S& s, const float* x, const std::uint32_t* first, Index words,
                    float* scratch) {
  constexpr Index line = 16;
  const Index size = digit_block(s), count = (s.k + s.block - 1) / s.block * (s.block / size);
  const DigitRow row = {reinterpret_cast<std::uint8_t*>(scratch),
                        reinterpret_cast<DigitBlock*>(scratch + count * size * kDigits / 4 + 1)};
  for (Index b = 0; b < count; ++b) {
    for (Index i = 0; i < words; i += line) prefetch(first + b * words + i);
    row.blocks[b] = digits_detail::block_digits(x + b * size, s.k - b * size, size,
                                                row.digits + b * size * kDigits);
  }
  return row;
}

}  // namespace onnxc
