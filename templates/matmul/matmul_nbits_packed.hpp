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

// x: [m, k].  words: pack_nbits.  scales, zeros: pack_nbits_parameters; zeros may be null.  bias:
// [n] or null.  y: [m, n].  scratch: the larger of widened_size<NR> and blocks * (block + 1)
// floats. s: m, k, n, block. Divisible.
template <int kBits, int MR, int NR, class S, class Epilogue = NoEpilogue>
void matmul_nbits_packed(S s, const float* x, const std::uint32_t* words, const float* scales,
                         const float* zeros, const float* bias, float* y, float* scratch,
                         Epilogue epilogue = {}) {
  const NBitsPanels<kBits, NR, S> panels = {s, {words, scales, zeros}};
  // Few rows: widening the weights would take longer than their products.
  if (s.m < 4) {
    for (Index i = 0; i < s.m; ++i) {
      pad_blocks(s, x + i * s.k, scratch);
      const auto at = [&](auto v, Index j, Index channel) {
        return epilogue(v, i * s.n + j, channel);
      };
      gemv_panels<NR>(chunk_range(s, s.n, NR), bias, y + i * s.n, at, [&](Index j0, float* to) {
        nbits_panel<kBits, NR>(s, scratch, panels.panel(j0 / NR), to);
      });
    }
    return;
  }
  if constexpr (fixed_extent(&S::m) < 0 || fixed_extent(&S::m) >= 4)
    gemm_dequant<MR, NR>(s, x, bias, y, scratch, epilogue, panels);
}

}  // namespace onnxc
