// matmul_nbits_packed.hpp - product with weights of 2, 4 or 8 bits, in blocks that share a scale
// and a zero point, packed at compile time of the model: words of one column each, whose values
// follow each other in k, in panels as in gemm.hpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/matmul/gemm_dequant.hpp"
#include "templates/matmul/nbits_digits.hpp"

namespace onnxc {

template <class S>
constexpr Index nbits_blocks(const S& s) {
  return (s.k + s.block - 1) / s.block;
}

// Values in a word.
template <int kBits>
constexpr Index nbits_per_word = 32 / kBits;

// Words of the packed form [panel][blocks * block / values of a word][NR], and values of that of
// scales and zero points, [panel][blocks][NR].
template <int kBits, int NR, class S>
constexpr Index packed_nbits_size(const S& s) {
  return (s.n + NR - 1) / NR * NR * nbits_blocks(s) * (s.block / nbits_per_word<kBits>);
}
template <int NR, class S>
constexpr Index nbits_parameters(const S& s) {
  return (s.n + NR - 1) / NR * NR * nbits_blocks(s);
}

// w: as for matmul_nbits.  s: n, k, block.
template <int kBits, int NR, class S>
void pack_nbits(const S& s, const std::uint8_t* w, std::uint32_t* packed) {
  const Index words = nbits_blocks(s) * (s.block / nbits_per_word<kBits>);
  for (Index j0 = 0; j0 < s.n; j0 += NR)
    for (Index i = 0; i < words; ++i)
      for (Index j = j0; j < j0 + NR; ++j) {
        const std::uint8_t* p = w + (j * words + i) * 4;
        *packed++ = j >= s.n ? 0u
                             : p[0] | static_cast<std::uint32_t>(p[1]) << 8 |
                                   static_cast<std::uint32_t>(p[2]) << 16 |
                                   static_cast<std::uint32_t>(p[3]) << 24;
      }
}

// number(column, block): the value, of [n, blocks] in any form.
template <int NR, class S, class Number>
void pack_nbits_parameters(const S& s, float* packed, Number number) {
  for (Index j0 = 0; j0 < s.n; j0 += NR)
    for (Index b = 0; b < nbits_blocks(s); ++b)
      for (Index j = j0; j < j0 + NR; ++j) *packed++ = j < s.n ? number(j, b) : 0.0f;
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

// Rows of words that are fetched ahead of their use: weights of a single row come from memory.
constexpr Index kNBitsAhead = 64;

// The dequantised weights: (value - zero) * scale, with zeros null for the middle.
struct NBitsWeights {
  const std::uint32_t* words;
  const float *scales, *zeros;
};

template <int kBits, class V>
[[gnu::always_inline]] inline V nbits_zeros(const NBitsWeights& w, Index at) {
  return w.zeros != nullptr ? load<V>(w.zeros + at)
                            : broadcast<V>(static_cast<float>(1 << (kBits - 1)));
}

// One row times a panel that w starts with. x: k values and zeros up to whole blocks, then
// the sum of every block. Four sums a vector hide the latency of the additions.
template <int kBits, int NR, class S>
[[gnu::noinline]] void nbits_panel(const S& s, const float* x, const NBitsWeights& w, float* y) {
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t vectors = nv;
  using V = vec<n>;
  const Index blocks = nbits_blocks(s), words = s.block / nbits_per_word<kBits>;
  const float* const sums = x + blocks * s.block;
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V total[vectors] = {};
    const std::uint32_t* from = w.words + j0;
    const float* at = x;
    for (Index b = 0; b < blocks; ++b) {
      V acc[4][vectors] = {};
      for (Index i = 0; i < words; ++i, from += NR, at += nbits_per_word<kBits>) {
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) {
          __builtin_prefetch(from + n * j + kNBitsAhead * NR);
          const bits_t<V> word = load_words<bits_t<V>>(from + n * j);
#pragma GCC unroll 16
          for (int u = 0; u < nbits_per_word<kBits>; ++u)
            acc[u % 4][j] += at[u] * nbits_numbers<kBits, V>(word, u);
        }
      }
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) {
        const Index place = b * NR + j0 + n * j;
        const V products = (acc[0][j] + acc[1][j]) + (acc[2][j] + acc[3][j]);
        total[j] +=
            (products - nbits_zeros<kBits, V>(w, place) * sums[b]) * load<V>(w.scales + place);
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) store(y + j0 + n * j, total[j]);
  }
}

// Whether rows of fixed-point numbers are faster.
template <int kBits, int NR>
constexpr bool kDigitsPay = kMultipliesBytes&& kBits == 4 && tile_lanes<NR> >= 4;

// The sums of the digits of up to `words` words of a block, of weights from `from` on.
template <int NR, class W, std::size_t vectors>
[[gnu::always_inline]] inline void add_digit_products(const std::uint32_t* from,
                                                      const std::uint8_t* digits, Index words,
                                                      W (&sums)[kDigits][vectors]) {
  constexpr int n = lanes<W>;
  constexpr Index digit = 4, odd = digit * kDigits;
  W products[kDigits][vectors] = {};
#pragma GCC unroll 2
  for (Index i = 0; i < words; ++i, from += NR, digits += 2 * odd) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::uint32_t* at = from + static_cast<Index>(j) * n;
      __builtin_prefetch(at + kNBitsAhead * NR);
      const W word = load_words<W>(at);
      const W low = word & 0x0f0f0f0fu, high = (word >> 4) & 0x0f0f0f0fu;
#pragma GCC unroll 3
      for (int d = 0; d < kDigits; ++d) {
        W& sum = products[d][j];
        sum = digits_detail::add_products(sum, low, broadcast_word<W>(digits + digit * d));
        sum = digits_detail::add_products(sum, high, broadcast_word<W>(digits + odd + digit * d));
      }
    }
  }
#pragma GCC unroll 3
  for (int d = 0; d < kDigits; ++d)
#pragma GCC unroll 4
    for (std::size_t j = 0; j < vectors; ++j)
      sums[d][j] = digits_detail::add_sums(sums[d][j], products[d][j]);
}

// One row of fixed-point numbers times a panel that w starts with.
template <int NR, class S>
[[gnu::noinline]] void nbits_digit_panel(const S& s, const DigitRow& row, const NBitsWeights& w,
                                         float* y) {
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t vectors = nv;
  using V = vec<n>;
  using W = bits_t<V>;
  const Index blocks = nbits_blocks(s), words = s.block / kDigitValues;
  constexpr Index most = 4;  // words whose sums fit in pairs
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V total[vectors] = {};
    const std::uint32_t* from = w.words + j0;
    const std::uint8_t* digits = row.digits;
    for (Index b = 0; b < blocks; ++b) {
      W sums[kDigits][vectors] = {};
      for (Index i = 0; i < words; i += most) {
        const Index count = words - i < most ? words - i : most;
        add_digit_products<NR>(from, digits, count, sums);
        from += count * NR;
        digits += count * kDigitValues * kDigits;
      }
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) {
        const Index place = b * NR + j0 + n * j;
        __builtin_prefetch(w.scales + place + kNBitsAhead / most * NR);
        const V upper = sums_as_floats<V>((sums[2][j] << 8) + sums[1][j]);
        const V products = upper * 256.0f + sums_as_floats<V>(sums[0][j]);
        total[j] += (products - nbits_zeros<4, V>(w, place) * row.factors[2 * b + 1]) *
                    (load<V>(w.scales + place) * row.factors[2 * b]);
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) store(y + j0 + n * j, total[j]);
  }
}

// Prepares a row for nbits_panel.
template <class S>
void pad_blocks(const S& s, const float* x, float* padded) {
  const Index blocks = nbits_blocks(s);
  float* const sums = padded + blocks * s.block;
  for (Index b = 0; b < blocks; ++b) {
    float sum = 0.0f;
    for (Index i = b * s.block; i < (b + 1) * s.block; ++i) {
      padded[i] = i < s.k ? x[i] : 0.0f;
      sum += padded[i];
    }
    sums[b] = sum;
  }
}

// The rows [k0, k0 + depth) of a panel as floats; k0 begins a word.
template <int kBits, int NR, class S>
[[gnu::noinline]] void widen_nbits(const S& s, const NBitsWeights& w, Index k0, Index depth,
                                   float* to) {
  constexpr int n = tile_lanes<NR>;
  constexpr Index per_word = nbits_per_word<kBits>;
  using V = vec<n>;
  for (int j = 0; j < NR; j += n) {
    float* out = to + j;
    for (Index k = k0; k < k0 + depth; k += per_word) {
      const Index place = k / s.block * NR + j;
      const V scale = load<V>(w.scales + place), zero = nbits_zeros<kBits, V>(w, place);
      const bits_t<V> word = load_words<bits_t<V>>(w.words + k / per_word * NR + j);
      const Index count = k0 + depth - k < per_word ? k0 + depth - k : per_word;
      for (Index u = 0; u < count; ++u, out += NR)
        store(out, (nbits_numbers<kBits, V>(word, u) - zero) * scale);
    }
  }
}

// All panels, for gemm_dequant.
template <int kBits, int NR, class S>
struct NBitsPanels {
  static constexpr Index step = NR * kBits / 32 > 0 ? NR* kBits / 32 : 1;
  S s;
  NBitsWeights all;

  NBitsWeights panel(Index i) const {
    const Index at = i * nbits_blocks(s) * NR;
    return {all.words + at * (s.block / nbits_per_word<kBits>), all.scales + at,
            all.zeros != nullptr ? all.zeros + at : nullptr};
  }
  const float* at(Index i, Index k0) const {
    return reinterpret_cast<const float*>(panel(i).words + k0 / nbits_per_word<kBits> * NR);
  }
  void widen(Index i, Index k0, Index depth, float* to) const {
    widen_nbits<kBits, NR>(s, panel(i), k0, depth, to);
  }
};

// Rows of the weights as floats, y: [count, k], in the order of ids: [count], from the end when
// negative. words, scales, zeros: as for matmul_nbits_packed, whose column is a row here. s: count,
// k, n, block.
template <int kBits, int NR, class S, class I>
Status gather_nbits(S s, const I* ids, const std::uint32_t* words, const float* scales,
                    const float* zeros, float* y) {
  constexpr Index per_word = nbits_per_word<kBits>;
  const NBitsPanels<kBits, NR, S> panels = {s, {words, scales, zeros}};
  for (Index i = 0; i < s.count; ++i) {
    const auto id = static_cast<std::int64_t>(ids[i]);
    if (id < -s.n || id >= s.n) return Status::bad_index;
    const Index row = static_cast<Index>(id < 0 ? id + s.n : id), lane = row % NR;
    const NBitsWeights w = panels.panel(row / NR);
    for (Index k = 0; k < s.k; ++k) {
      const Index place = k / s.block * NR + lane;
      const std::uint32_t number = w.words[k / per_word * NR + lane] >> (k % per_word * kBits);
      *y++ = (static_cast<float>(number & ((1u << kBits) - 1u)) -
              nbits_zeros<kBits, float>(w, place)) *
             w.scales[place];
    }
  }
  return Status::ok;
}

// One row of x, whose results lie from y on, `at` elements on in the output of the epilogue.
template <int kBits, int NR, class S, class Epilogue>
void nbits_row_packed(const S& s, const float* x, const NBitsPanels<kBits, NR, S>& panels,
                      const float* bias, float* y, float* scratch, Index at,
                      const Epilogue& epilogue) {
  const auto finish = [&](auto v, Index j, Index channel) { return epilogue(v, at + j, channel); };
  const Span own = chunk_range(s, s.n, NR);
  if constexpr (kDigitsPay<kBits, NR>) {
    if (s.fixed_point) {
      const DigitRow row = row_digits(s, x, scratch);
      return gemv_panels<NR>(own, bias, y, finish, [&](Index j0, float* to) {
        nbits_digit_panel<NR>(s, row, panels.panel(j0 / NR), to);
      });
    }
  }
  pad_blocks(s, x, scratch);
  gemv_panels<NR>(own, bias, y, finish, [&](Index j0, float* to) {
    nbits_panel<kBits, NR>(s, scratch, panels.panel(j0 / NR), to);
  });
}

// x: [m, k].  words: pack_nbits.  scales, zeros: pack_nbits_parameters; zeros may be null.  bias:
// [n] or null.  y: [m, n].  scratch: the larger of widened_size<NR> and blocks * (block + 1)
// floats. A few rows become fixed-point numbers, if the target gains by it and s.fixed_point. s: m,
// k, n, block, fixed_point. Divisible.
template <int kBits, int MR, int NR, class S, class Epilogue = NoEpilogue>
void matmul_nbits_packed(S s, const float* x, const std::uint32_t* words, const float* scales,
                         const float* zeros, const float* bias, float* y, float* scratch,
                         Epilogue epilogue = {}) {
  const NBitsPanels<kBits, NR, S> panels = {s, {words, scales, zeros}};
  // Few rows: widening the weights would take longer than their products.
  if (s.m < 4) {
    for (Index i = 0; i < s.m; ++i)
      nbits_row_packed<kBits, NR>(s, x + i * s.k, panels, bias, y + i * s.n, scratch, i * s.n,
                                  epilogue);
    return;
  }
  if constexpr (fixed_extent(&S::m) < 0 || fixed_extent(&S::m) >= 4)
    gemm_dequant<MR, NR>(s, x, bias, y, scratch, epilogue, panels);
}

}  // namespace onnxc
