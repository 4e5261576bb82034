// nbits_panel.hpp - weights of 2, 4 or 8 bits, in blocks that share a scale and a zero point, as
// words of one column each, whose values follow each other in k, in panels as in gemm.hpp. Scales
// and zero points lie between the words: what comes from memory is a single stream.
#pragma once

#include <cstdint>

#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// With fewer rows unpacking the weights would take longer than their products.
constexpr Index kFewestUnpackedRows = 4;

// What one row of fixed-point numbers reads is fetched so many words ahead, beyond what processors
// do by themselves: a token of a language model takes 0.9 of the time on Zen 5. Rows of floats wait
// for arithmetic, and gain nothing.
constexpr Index kNBitsAhead = 1024;

template <class S>
constexpr Index nbits_blocks(const S& s) {
  return (s.k + s.block - 1) / s.block;
}

// Values in a word.
template <int kBits>
constexpr Index nbits_per_word = 32 / kBits;

// The packed form is [panel][block], each a row of NR scales, one of NR zero points where s.zeros,
// both as the bits of floats, then block / nbits_per_word rows of NR words.
template <class S>
constexpr Index nbits_parameter_rows(const S& s) {
  return s.zeros ? 2 : 1;
}
template <int kBits, int NR, class S>
constexpr Index nbits_block_words(const S& s) {
  return (nbits_parameter_rows(s) + s.block / nbits_per_word<kBits>)*NR;
}
template <int kBits, int NR, class S>
constexpr Index packed_nbits_size(const S& s) {
  return (s.n + NR - 1) / NR * nbits_blocks(s) * nbits_block_words<kBits, NR>(s);
}

// w: as for matmul_nbits. scale(column, block), zero(column, block): the values.  s: n, k, block,
// zeros.
template <int kBits, int NR, class S, class Scale, class Zero>
void pack_nbits(const S& s, const std::uint8_t* w, Scale scale, Zero zero, std::uint32_t* packed) {
  const Index blocks = nbits_blocks(s), words = s.block / nbits_per_word<kBits>;
  const auto row = [&](Index j0, auto word) {
    for (Index j = j0; j < j0 + NR; ++j) *packed++ = j < s.n ? word(j) : 0u;
  };
  for (Index j0 = 0; j0 < s.n; j0 += NR)
    for (Index b = 0; b < blocks; ++b) {
      row(j0, [&](Index j) { return to_bits(scale(j, b)); });
      if (s.zeros) row(j0, [&](Index j) { return to_bits(zero(j, b)); });
      for (Index i = b * words; i < (b + 1) * words; ++i)
        row(j0, [&](Index j) {
          const std::uint8_t* p = w + (j * blocks * words + i) * 4;
          return p[0] | static_cast<std::uint32_t>(p[1]) << 8 |
                 static_cast<std::uint32_t>(p[2]) << 16 | static_cast<std::uint32_t>(p[3]) << 24;
        });
    }
}

// A part of a row of scales or zero points.
template <class V>
[[gnu::always_inline]] inline V nbits_floats(const std::uint32_t* p) {
  return same_bits<V>(load_words<bits_t<V>>(p));
}

// Zero points of the block whose scales are at p.
template <int kBits, int NR, class V, class S>
[[gnu::always_inline]] inline V nbits_zeros(const S& s, const std::uint32_t* p) {
  return s.zeros ? nbits_floats<V>(p + NR) : broadcast<V>(static_cast<float>(1 << (kBits - 1)));
}

// Value i of every word, as a float.
template <int kBits, class V>
[[gnu::always_inline]] inline V nbits_numbers(bits_t<V> words, Index i) {
  const bits_t<V> moved = words >> static_cast<std::uint32_t>(i * kBits);
#if defined(__AVX512F__) && !defined(__clang__)
  // A table look-up sees four bits of every lane: neither mask nor conversion.
  if constexpr (kBits == 4 && lanes<V> == 16) {
    const V numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return __builtin_shuffle(numbers, moved);
  }
#endif
  return sums_as_floats<V>(moved & ((1u << kBits) - 1u));
}

}  // namespace onnxc
