// nbits_digits.hpp - a row of floats as fixed-point numbers of three digits to the base 256, with a
// factor for every block: packed weights of 4 bits times bytes give sums that are exact, and three
// digits hold as much as the sums of floats do.
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

// Values that follow each other in k, in a word of weights of 4 bits.
constexpr Index kDigitValues = 8;

namespace digits_detail {

// The bytes of N lanes, as builtins take them.
template <int N>
struct CharsOf {
  typedef char type __attribute__((vector_size(4 * N)));
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
    return same_bits<W>(same_bits<Pairs>(sum) + same_bits<Pairs>(multiply_bytes(u, s)));
  } else {
    return dot_int8(sum, u, s);
  }
}

// sum + such sums, in 32 bits.
template <class W>
[[gnu::always_inline]] inline W add_sums(W sum, W products) {
  return kSumsInPairs ? dot_pairs(sum, products, W{} + 0x00010001u) : sum + products;
}

// The largest numbers, and what moves a float's whole part into its lowest bits.
constexpr float kMostNumber = 4194304.0f, kToWhole = 12582912.0f;

// Four numbers as digits: the lowest of all, then the middle ones, the highest, and zeros.
[[gnu::always_inline]] inline vec<4> digits_of(vec<4> numbers) {
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));
  using Words = bits_t<vec<4>>;
  // Every digit is 128 larger for a while, so that none is negative.
  const Words whole = to_bits(numbers + kToWhole) - (0x4b400000u - 0x808080u);
  const Bytes digits = same_bits<Bytes>(static_cast<Words>(whole ^ 0x808080u));
  return same_bits<vec<4>>(__builtin_shufflevector(digits, digits, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6,
                                                   10, 14, 3, 7, 11, 15));
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
// the others, by digits_of; four bytes more are overwritten. factor: that of the numbers, and their
// sum.
inline void block_digits(const float* x, Index count, Index block, std::uint8_t* digits,
                         float* factor) {
  using V = vec<4>;
  V most = {}, sum = {}, v[2];
  for (Index i = 0; i < block; i += kDigitValues) {
    load_eight(x + i, count - i, v);
    most = max(most, max(abs(v[0]), abs(v[1])));
  }
  // Infinities and NaN have no digits; the factor makes their results NaN.
  const float largest = horizontal_max(most), base = largest > 1e-30f ? largest : 1e-30f;
  const bool finite = largest - largest == 0.0f;
  const float inverse = finite ? kMostNumber / base : 0.0f;
  for (Index i = 0; i < block; i += kDigitValues, digits += kDigits * kDigitValues) {
    load_eight(x + i, finite ? count - i : 0, v);
    const V low = v[0] * inverse, high = v[1] * inverse;
    sum += ((low + kToWhole) - kToWhole) + ((high + kToWhole) - kToWhole);
    const V even = __builtin_shufflevector(low, high, 0, 2, 4, 6);
    const V odd = __builtin_shufflevector(low, high, 1, 3, 5, 7);
    store(reinterpret_cast<float*>(digits), digits_of(even));
    store(reinterpret_cast<float*>(digits + 4 * kDigits), digits_of(odd));
  }
  factor[0] = finite ? base / kMostNumber : largest - largest;
  factor[1] = horizontal_sum(sum);
}

}  // namespace digits_detail

// A row of k values in blocks: digits of all blocks, then [blocks] factors and sums.
struct DigitRow {
  std::uint8_t* digits;
  float* factors;
};

// scratch: that of matmul_nbits_packed. s: k, block.
template <class S>
DigitRow row_digits(const S& s, const float* x, float* scratch) {
  const Index blocks = (s.k + s.block - 1) / s.block;
  const DigitRow row = {reinterpret_cast<std::uint8_t*>(scratch),
                        scratch + blocks * s.block * kDigits / 4 + 1};
  for (Index b = 0; b < blocks; ++b)
    digits_detail::block_digits(x + b * s.block, s.k - b * s.block, s.block,
                                row.digits + b * s.block * kDigits, row.factors + 2 * b);
  return row;
}

}  // namespace onnxc
