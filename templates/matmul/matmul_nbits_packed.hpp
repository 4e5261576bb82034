// matmul_nbits_packed.hpp - product with weights of 2, 4 or 8 bits, in blocks that share a scale
// and a zero point, packed at compile time of the model as nbits_panel.hpp has it.
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
#include "templates/matmul/nbits_pairs.hpp"
#include "templates/matmul/nbits_panel.hpp"

namespace onnxc {

// One row times a panel that w starts with. x: k values and zeros up to whole blocks, then
// the sum of every block. Four sums a vector hide the latency of the additions.
template <int kBits, int NR, class S>
[[gnu::noinline]] void nbits_panel(const S& s, const float* x, const std::uint32_t* w, float* y) {
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t vectors = nv;
  using V = vec<n>;
  const Index blocks = nbits_blocks(s), words = s.block / nbits_per_word<kBits>;
  const float* const sums = x + blocks * s.block;
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V total[vectors] = {};
    const std::uint32_t* scales = w + j0;
    const float* at = x;
    for (Index b = 0; b < blocks; ++b, scales += nbits_block_words<kBits, NR>(s)) {
      V acc[4][vectors] = {};
      const std::uint32_t* from = scales + nbits_parameter_rows(s) * NR;
      for (Index i = 0; i < words; ++i, from += NR, at += nbits_per_word<kBits>) {
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) {
          const bits_t<V> word = load_words<bits_t<V>>(from + n * j);
#pragma GCC unroll 16
          for (int u = 0; u < nbits_per_word<kBits>; ++u)
            acc[u % 4][j] += at[u] * nbits_numbers<kBits, V>(word, u);
        }
      }
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) {
        const std::uint32_t* const own = scales + n * j;
        const V products = (acc[0][j] + acc[1][j]) + (acc[2][j] + acc[3][j]);
        total[j] += (products - nbits_zeros<kBits, NR, V>(s, own) * sums[b]) * nbits_floats<V>(own);
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) store(y + j0 + n * j, total[j]);
  }
}

// Whether rows of fixed-point numbers are faster.
template <int kBits, int NR>
constexpr bool kDigitsPay = kMultipliesBytes&& kBits == 4 && tile_lanes<NR> >= 4;

// first + the products of `words` words of weights from `from` on with the numbers of digits.
template <int NR, class W, std::size_t vectors>
[[gnu::always_inline]] inline void digit_products(const std::uint32_t* from,
                                                  const std::uint8_t* digits, Index words, W first,
                                                  W (&sums)[vectors]) {
  constexpr int n = lanes<W>;
  constexpr Index digit = 4, odd = digit * kDigits;
  W products[kDigits][vectors];
  for (std::size_t j = 0; j < vectors; ++j) {
    products[0][j] = digits_detail::kSumsInPairs ? W{} : first;
    products[1][j] = products[2][j] = W{};
  }
#pragma GCC unroll 4
  for (Index i = 0; i < words; ++i, from += NR, digits += 2 * odd) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < vectors; ++j) {
      const std::uint32_t* const at = from + static_cast<Index>(j) * n;
      prefetch(at + kNBitsAhead);
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
#pragma GCC unroll 4
  for (std::size_t j = 0; j < vectors; ++j)
    sums[j] = digits_detail::join(first, products[0][j], products[1][j], products[2][j]);
}

// One row of fixed-point numbers times a panel that w starts with.
template <int NR, class S>
[[gnu::noinline]] void nbits_digit_panel(const S& s, const DigitRow& row, const std::uint32_t* w,
                                         float* y) {
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t vectors = nv;
  using V = vec<n>;
  using W = bits_t<V>;
  const Index blocks = nbits_blocks(s), size = digit_block(s), words = size / kDigitValues;
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V total[vectors] = {};
    const std::uint32_t* scales = w + j0;
    const std::uint8_t* digits = row.digits;
    const DigitBlock* block = row.blocks;
    for (Index b = 0; b < blocks; ++b, scales += nbits_block_words<4, NR>(s)) {
      const std::uint32_t* from = scales + nbits_parameter_rows(s) * NR;
      for (Index i = 0; i < s.block; i += size, from += words * NR, ++block) {
        // Without zero points of their own, weights are less 8.
        const W first = W{} + (s.zeros ? 0u : block->sum * (0u - 8u));
        W sums[vectors];
        digit_products<NR>(from, digits, words, first, sums);
        digits += size * kDigits;
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) {
          const std::uint32_t* const own = scales + n * j;
          V products = sums_as_floats<V>(sums[j]);
          if (s.zeros) products -= nbits_floats<V>(own + NR) * sums_as_floats<V>(W{} + block->sum);
          total[j] += products * (nbits_floats<V>(own) * block->factor);
        }
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
[[gnu::noinline]] void widen_nbits(const S& s, const std::uint32_t* w, Index k0, Index depth,
                                   float* to) {
  constexpr int n = tile_lanes<NR>;
  constexpr Index per_word = nbits_per_word<kBits>;
  using V = vec<n>;
  for (int j = 0; j < NR; j += n) {
    float* out = to + j;
    for (Index k = k0; k < k0 + depth; k += per_word) {
      const std::uint32_t* own = w + k / s.block * nbits_block_words<kBits, NR>(s) + j;
      const V scale = nbits_floats<V>(own), zero = nbits_zeros<kBits, NR, V>(s, own);
      const Index row = nbits_parameter_rows(s) + k % s.block / per_word;
      const bits_t<V> word = load_words<bits_t<V>>(own + row * NR);
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
  const std::uint32_t* all;

  const std::uint32_t* panel(Index i) const {
    return all + i * nbits_blocks(s) * nbits_block_words<kBits, NR>(s);
  }
  const float* at(Index i, Index k0) const {
    const Index block = k0 / s.block * nbits_block_words<kBits, NR>(s);
    return reinterpret_cast<const float*>(panel(i) + block +
                                          k0 % s.block / nbits_per_word<kBits> * NR);
  }
  void widen(Index i, Index k0, Index depth, float* to) const {
    widen_nbits<kBits, NR>(s, panel(i), k0, depth, to);
  }
};

// Rows of the weights as floats, y: [count, k], in the order of ids: [count], from the end when
// negative. words: as for matmul_nbits_packed, whose column is a row here. s: count, k, n, block,
// zeros.
template <int kBits, int NR, class S, class I>
Status gather_nbits(S s, const I* ids, const std::uint32_t* words, float* y) {
  constexpr Index per_word = nbits_per_word<kBits>;
  const NBitsPanels<kBits, NR, S> panels = {s, words};
  for (Index i = 0; i < s.count; ++i) {
    const auto id = static_cast<std::int64_t>(ids[i]);
    if (id < -s.n || id >= s.n) return Status::bad_index;
    const Index row = static_cast<Index>(id < 0 ? id + s.n : id);
    const std::uint32_t* w = panels.panel(row / NR) + row % NR;
    for (Index k = 0; k < s.k; ++k) {
      const std::uint32_t* own = w + k / s.block * nbits_block_words<kBits, NR>(s);
      const std::uint32_t word = own[(nbits_parameter_rows(s) + k % s.block / per_word) * NR];
      const std::uint32_t number = word >> (k % per_word * kBits) & ((1u << kBits) - 1u);
      *y++ = (static_cast<float>(number) - nbits_zeros<kBits, NR, float>(s, own)) *
             nbits_floats<float>(own);
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
  if (own.size() <= 0) return;
  if constexpr (kDigitsPay<kBits, NR>) {
    if (s.fixed_point) {
      const Index parts = s.block / digit_block(s);
      const DigitRow row = row_digits(s, x, panels.panel(own.begin / NR),
                                      nbits_block_words<kBits, NR>(s) / parts, scratch);
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

// x: [m, k].  words: pack_nbits.  bias: [n] or null.  y: [m, n].  scratch: the larger of
// widened_size<NR> and blocks * (block + 1) floats. A few rows become fixed-point numbers, if the
// target gains by it and s.fixed_point; many become integers of 16 bits likewise if s.pairs, which
// takes whole zero points and nbits_pairs_size<NR> floats of scratch. s: m, k, n, block, zeros,
// fixed_point, pairs. Divisible.
template <int kBits, int MR, int NR, class S, class Epilogue = NoEpilogue>
void matmul_nbits_packed(S s, const float* x, const std::uint32_t* words, const float* bias,
                         float* y, float* scratch, Epilogue epilogue = {}) {
  const NBitsPanels<kBits, NR, S> panels = {s, words};
  if (s.m < kFewestUnpackedRows) {
    for (Index i = 0; i < s.m; ++i)
      nbits_row_packed<kBits, NR>(s, x + i * s.k, panels, bias, y + i * s.n, scratch, i * s.n,
                                  epilogue);
    return;
  }
  if constexpr (fixed_extent(&S::m) < 0 || fixed_extent(&S::m) >= kFewestUnpackedRows) {
    if constexpr (kPairsPay<NR>) {
      if (s.pairs) return matmul_nbits_pairs<kBits, NR>(s, x, panels, bias, y, scratch, epilogue);
    }
    gemm_dequant<MR, NR>(s, x, bias, y, scratch, epilogue, panels);
  }
}

}  // namespace onnxc
