// nbits_pairs.hpp - many rows times packed weights of a few bits: rows become integers of 16 bits
// with a factor for every block of up to 32, weights integers of 16 bits less their zero points.
// An instruction multiplies and adds pairs of them, twice as many as floats; the sums of a block
// are exact.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/matmul_tile.hpp"
#include "templates/matmul/nbits_digits.hpp"
#include "templates/matmul/nbits_panel.hpp"

namespace onnxc {

// Vectors of a panel that a tile has at a time, and its rows: their sums stay in registers.
template <int NR>
constexpr int pair_vectors = NR / tile_lanes<NR> % 2 == 0 ? 2 : 1;
constexpr int kPairRows = kVectorRegisters >= 32 ? 6 : 4;

// A multiple of kPairRows on all targets: the compiler computes sizes for any of them.
constexpr Index kPairRowStep = 12;
static_assert(kPairRowStep % kPairRows == 0);

template <int NR>
constexpr bool kPairsPay = kMultipliesBytes&& tile_lanes<NR> >= 4;

// s.k, in blocks of digit_block.
template <class S>
constexpr Index pair_blocks(const S& s) {
  return (s.k + s.block - 1) / s.block * (s.block / digit_block(s));
}

// Blocks whose weights are unpacked at a time, as they stay in the nearest cache.
template <int NR, class S>
constexpr Index pair_depth(const S& s) {
  constexpr std::int32_t near = std::int32_t{20} * 1024;
  const Index most = max_extent(static_cast<Index>(near / (2 * NR * digit_block(s))), 1);
  const Index blocks = max_extent(pair_blocks(s), 1), pieces = (blocks + most - 1) / most;
  return (blocks + pieces - 1) / pieces;
}

// Rows that are integers at a time, as they stay in the second-level cache.
template <class S>
constexpr Index pair_rows(const S& s) {
  constexpr std::int32_t near = std::int32_t{800} * 1024;
  const auto most = static_cast<Index>(near / max_extent(2 * pair_blocks(s) * digit_block(s), 1));
  const Index steps = min_extent(most / kPairRowStep, (s.m + kPairRowStep - 1) / kPairRowStep);
  return max_extent(steps, 1) * kPairRowStep;
}

// Scratch memory: rows as integers, their factors, weights, their scales, and sums of a panel that
// y has not all columns of.
template <int NR, class S>
constexpr Index nbits_pairs_size(const S& s) {
  const Index size = digit_block(s), blocks = pair_blocks(s), depth = pair_depth<NR>(s);
  return pair_rows(s) * (blocks * (size / 2 + 1) + NR) + depth * (size / 2 + 1) * NR;
}

// sum + the two products of the signed halves of a and b.
template <class W>
[[gnu::always_inline]] inline W add_pair_products(W sum, W a, W b) {
#if defined(__AVX512VNNI__)
  using Sums = numbers_of<lanes<W>>;
  if constexpr (sizeof(W) == 64) {
#if defined(__clang__)
    return same_bits<W>(
        __builtin_ia32_vpdpwssd512(same_bits<Sums>(sum), same_bits<Sums>(a), same_bits<Sums>(b)));
#else
    return same_bits<W>(__builtin_ia32_vpdpwssd_v16si(same_bits<Sums>(sum), same_bits<Sums>(a),
                                                      same_bits<Sums>(b)));
#endif
  }
#endif
  W y = dot_pairs(sum, a, b);
#if defined(__SSE2__)
  // Compilers would compute many products first, and keep them in memory.
  asm("" : "+v"(y));
#endif
  return y;
}

// The operands of a tile. x: pairs, rows ldx words apart; factors: of rows and blocks. w: pairs,
// NR for each two of k; scales: NR for each block. A block has `pairs` pairs.
struct PairTile {
  const std::uint32_t* x;
  Index ldx;
  const float* factors;
  Index ld_factors;
  const std::uint32_t* w;
  const float* scales;
  Index blocks, pairs;
  bool accumulate;  // y holds the sums of the blocks before
  float* y;
  Index ldy;
};

// Row i of at most six; addresses can hold the multiples 1, 2 and 4. steps: of bytes.
[[gnu::always_inline]] inline const std::uint8_t* pair_row(const std::uint32_t* x,
                                                           const RowSteps& steps, int i) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(x);
  return bytes + (i == 3 ? steps.three : i == 5 ? steps.five : i * steps.once);
}

// The products of a block, for ROWS rows and the vectors from w on.
template <int ROWS, int NR, class W, std::size_t ALL_ROWS, std::size_t VECTORS>
[[gnu::always_inline]] inline void pair_block(const std::uint32_t* x, const RowSteps& steps,
                                              Index pairs, const std::uint32_t* w,
                                              W (&sums)[ALL_ROWS][VECTORS]) {
  constexpr int n = lanes<W>, nv = static_cast<int>(VECTORS);
  for (Index left = pairs / 4; left > 0; --left, x += 4) {
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u, w += NR) {
      W weights[VECTORS];
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) weights[j] = load_words<W>(w + n * j);
#pragma GCC unroll 8
      for (int i = 0; i < ROWS; ++i) {
        const W values = broadcast_word<W>(pair_row(x + u, steps, i));
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) sums[i][j] = add_pair_products(sums[i][j], values, weights[j]);
      }
    }
  }
}

template <int ROWS, int NR>
[[gnu::noinline]] void pair_tile(const PairTile& t) {
  constexpr int n = tile_lanes<NR>, nv = pair_vectors<NR>;
  constexpr std::size_t vectors = nv, all_rows = ROWS;
  using V = vec<n>;
  using W = bits_t<V>;
  const RowSteps steps(4 * t.ldx);
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    V total[all_rows][vectors];
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j)
        total[i][j] = t.accumulate ? load<V>(t.y + i * t.ldy + j0 + n * j) : V{};
    const std::uint32_t *x = t.x, *w = t.w + j0;
    const float* scales = t.scales + j0;
    for (Index b = 0; b < t.blocks; ++b, x += t.pairs, w += t.pairs * NR, scales += NR) {
      W sums[all_rows][vectors] = {};
      pair_block<ROWS, NR>(x, steps, t.pairs, w, sums);
#pragma GCC unroll 8
      for (int i = 0; i < ROWS; ++i) {
        const float factor = t.factors[i * t.ld_factors + b];
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j)
          total[i][j] += sums_as_floats<V>(sums[i][j]) * (factor * load<V>(scales + n * j));
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) store(t.y + i * t.ldy + j0 + n * j, total[i][j]);
  }
}

// The tile of `rows` rows.
template <int NR, int... ROWS>
void pair_tile_of(TileHeights<ROWS...>, int rows, const PairTile& t) {
  static_cast<void>(((rows == ROWS && (pair_tile<ROWS, NR>(t), true)) || ...));
}

namespace pairs_detail {

constexpr Index kStep = 16;
constexpr float kMostNumber = 32767.0f;

// The largest magnitude of a block, or an infinity or NaN, whose bits are larger still.
inline float largest_magnitude(const float* x, Index block) {
  bits_t<vfloat> most = {};
  for (Index i = 0; i < block; i += kLanes) {
    const bits_t<vfloat> bits = to_bits(abs(load(x + i)));
    most = bits > most ? bits : most;
  }
  return reduce(from_bits<vfloat>(most), [](auto a, auto b) {
    return from_bits<decltype(a)>(to_bits(a) > to_bits(b) ? to_bits(a) : to_bits(b));
  });
}

[[gnu::always_inline]] inline bits_t<vec<4>> join(vec<4> low, vec<4> high) {
  return (to_bits(low) & 0xffffu) | to_bits(high) << 16;
}

// kStep numbers in their lowest 16 bits, in pairs that are as far apart as those that unpack_pairs
// finds in a word: half of the values of a word.
template <int kBits>
[[gnu::always_inline]] inline void store_pairs(const vec<4> (&v)[4], std::uint32_t* to) {
  if constexpr (kBits == 2) {
    store_words(to, join(v[0], v[2]));
    store_words(to + 4, join(v[1], v[3]));
  } else if constexpr (kBits == 4) {
    store_words(to, join(v[0], v[1]));
    store_words(to + 4, join(v[2], v[3]));
  } else {
#pragma GCC unroll 2
    for (int i = 0; i < 4; i += 2)
      store_words(to + 2 * i, join(shuffle_lanes<0, 1, 4, 5>(v[i], v[i + 1]),
                                   shuffle_lanes<2, 3, 6, 7>(v[i], v[i + 1])));
  }
}

// A block of which x has `count` values, as pairs; returns its factor.
template <int kBits>
float block_pairs(const float* x, Index count, Index block, std::uint32_t* pairs) {
  constexpr std::size_t most = kMostDigitBlock;
  float padded[most];
  if (count < block) {
    for (Index i = 0; i < block; ++i) padded[i] = i < count ? x[i] : 0.0f;
    x = padded;
  }
  const float largest = largest_magnitude(x, block), base = largest > 1e-30f ? largest : 1e-30f;
  // Infinities and NaN have no numbers; the factor makes their results NaN.
  const bool finite = largest - largest == 0.0f;
  const float inverse = finite ? kMostNumber / base : 0.0f;
  for (Index i = 0; i < block; i += kStep, x += kStep, pairs += kStep / 2) {
    vec<4> v[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) v[j] = load<vec<4>>(x + 4 * j) * inverse + digits_detail::kToWhole;
    store_pairs<kBits>(v, pairs);
  }
  return finite ? base / kMostNumber : largest - largest;
}

}  // namespace pairs_detail

// Blocks [b0, b0 + count) of a panel that w starts with, as pairs of integers, and their scales.
template <int kBits, int NR, class S>
[[gnu::noinline]] void unpack_pairs(const S& s, const std::uint32_t* w, Index b0, Index count,
                                    std::uint32_t* pairs, float* scales) {
  constexpr int n = tile_lanes<NR>, half = 16 / kBits;
  using V = vec<n>;
  using W = bits_t<V>;
  using Halves = typename LanesOf<n>::pairs;
  constexpr std::uint32_t mask = ((1u << kBits) - 1u) * 0x00010001u;
  const Index size = digit_block(s), words = size / nbits_per_word<kBits>;
  for (Index b = b0; b < b0 + count; ++b, scales += NR, pairs += words * half * NR) {
    const Index k = b * size;
    const std::uint32_t* own = w + k / s.block * nbits_block_words<kBits, NR>(s);
    const std::uint32_t* from =
        own + (nbits_parameter_rows(s) + k % s.block / nbits_per_word<kBits>)*NR;
    for (int j = 0; j < NR; j += n) {
      store(scales + j, nbits_floats<V>(own + j));
      const W zero =
          same_bits<W>(convert_lanes<numbers_of<n>>(nbits_zeros<kBits, NR, V>(s, own + j)));
      const Halves zeros = same_bits<Halves>(static_cast<W>(zero | zero << 16));
      std::uint32_t* to = pairs + j;
      for (Index i = 0; i < words; ++i) {
        const W word = load_words<W>(from + i * NR + j);
#pragma GCC unroll 8
        for (int u = 0; u < half; ++u, to += NR) {
          const W numbers = (word >> static_cast<std::uint32_t>(u * kBits)) & mask;
          store_words(to, same_bits<Halves>(numbers) - zeros);
        }
      }
    }
  }
}

// Parts of the scratch memory.
struct PairScratch {
  std::uint32_t* rows;
  float* factors;
  std::uint32_t* weights;
  float *scales, *sums;
};

template <int NR, class S>
PairScratch pair_scratch(const S& s, float* scratch) {
  const Index rows = pair_rows(s), blocks = pair_blocks(s), pairs = digit_block(s) / 2;
  float* const weights = scratch + rows * blocks * pairs;
  float* const scales = weights + pair_depth<NR>(s) * pairs * NR;
  float* const sums = scales + pair_depth<NR>(s) * NR;
  return {reinterpret_cast<std::uint32_t*>(scratch), sums + rows * NR,
          reinterpret_cast<std::uint32_t*>(weights), scales, sums};
}

// `count` rows of x as integers.
template <int kBits, class S>
void row_pairs(const S& s, const float* x, Index count, const PairScratch& scratch) {
  const Index size = digit_block(s), blocks = pair_blocks(s);
  std::uint32_t* pairs = scratch.rows;
  float* factors = scratch.factors;
  for (Index i = 0; i < count; ++i, x += s.k)
    for (Index b = 0; b < blocks; ++b, pairs += size / 2)
      *factors++ = pairs_detail::block_pairs<kBits>(x + b * size, s.k - b * size, size, pairs);
}

// The sums of a panel, with columns from j on and rows from `row` on: in y, or, where y has not all
// columns, in scratch memory.
struct PairSums {
  float* at;
  Index ld, row, j, columns;
};

// Bias and epilogue of `rows` rows, while they are in the nearest cache.
template <class S, class Epilogue>
[[gnu::always_inline]] inline void finish_pairs(const S& s, PairSums sums, Index rows,
                                                const float* bias, float* y,
                                                const Epilogue& epilogue) {
  const Index j = sums.j;
  for (Index i = 0; i < rows; ++i, sums.at += sums.ld) {
    const Index at = (sums.row + i) * s.n + j;
    if (bias != nullptr) {
      for (Index c = 0; c < sums.columns; ++c) y[at + c] = sums.at[c] + bias[j + c];
    } else if (sums.ld != s.n) {
      for (Index c = 0; c < sums.columns; ++c) y[at + c] = sums.at[c];
    }
    if constexpr (has_epilogue<Epilogue>) epilogue_row(y + at, at, j, sums.columns, epilogue);
  }
}

// One panel, whose sums are given, times the rows of a group, which are integers.
template <int kBits, int NR, class S, class Tiles, class Epilogue>
void pair_panel(const S& s, const std::uint32_t* w, const Tiles& tiles, Span own,
                const PairSums& all, const float* bias, float* y, const PairScratch& scratch,
                const Epilogue& epilogue) {
  const Index size = digit_block(s), blocks = pair_blocks(s), depth = pair_depth<NR>(s);
  for (Index b = 0; b < blocks; b += depth) {
    const Index count = blocks - b < depth ? blocks - b : depth;
    unpack_pairs<kBits, NR>(s, w, b, count, scratch.weights, scratch.scales);
    PairSums sums = all;
    PairTile t = {scratch.rows + b * size / 2,
                  blocks * size / 2,
                  scratch.factors + b,
                  blocks,
                  scratch.weights,
                  scratch.scales,
                  count,
                  size / 2,
                  b > 0,
                  sums.at,
                  sums.ld};
    for (Index i = own.begin; i < own.end; ++i) {
      const int rows = tiles.rows(i);
      pair_tile_of<NR>(Tiles::heights, rows, t);
      if (b + count >= blocks) finish_pairs(s, sums, rows, bias, y, epilogue);
      t.x += rows * t.ldx;
      t.factors += rows * blocks;
      t.y = sums.at += rows * sums.ld;
      sums.row += rows;
    }
  }
}

// Tiles of at most kPairRows rows.
template <Index Fixed>
struct PairTiles {
  static constexpr auto heights = heights_of<Fixed, kPairRows>();
  RowSplit split;

  explicit PairTiles(Index extent) : split(split_extent<Fixed>(extent, kPairRows)) {}
  int rows(Index i) const { return i < split.tall ? split.tall_rows : split.rows; }
};

// As matmul_nbits_packed, for at least kFewestUnpackedRows rows and whole zero points. scratch:
// nbits_pairs_size<NR>. panels: NBitsPanels.
template <int kBits, int NR, class S, class Panels, class Epilogue>
void matmul_nbits_pairs(const S& s, const float* x, const Panels& panels, const float* bias,
                        float* y, float* scratch, const Epilogue& epilogue) {
  const PairTiles<fixed_extent(&S::m)> tiles(s.m);
  const auto [own_tiles, own_panels] =
      chunk_grid(chunk_of(s), tiles.split.tiles, kPairRows, (s.n + NR - 1) / NR, NR);
  const Index most = pair_rows(s) / kPairRows;
  const PairScratch parts = pair_scratch<NR>(s, scratch);
  Index row = 0;
  for (Index i = 0; i < own_tiles.begin; ++i) row += tiles.rows(i);
  const Index groups = (own_tiles.size() + most - 1) / most;
  for (Index g = 0; g < groups; ++g) {
    const Span part = share(g, groups, own_tiles.size());
    const Span group = {own_tiles.begin + part.begin, own_tiles.begin + part.end};
    Index rows = 0;
    for (Index i = group.begin; i < group.end; ++i) rows += tiles.rows(i);
    row_pairs<kBits>(s, x + row * s.k, rows, parts);
    for (Index p = own_panels.begin; p < own_panels.end; ++p) {
      const Index j = p * NR, columns = min_extent(s.n - j, NR);
      const bool whole = columns == NR;
      const PairSums sums = {whole ? y + row * s.n + j : parts.sums, whole ? s.n : NR, row, j,
                             columns};
      pair_panel<kBits, NR>(s, panels.panel(p), tiles, group, sums, bias, y, parts, epilogue);
    }
    row += rows;
  }
}

}  // namespace onnxc
