// int8_tile.hpp - the register-tiled inner loop of products of 8-bit integers, for matrices and
// convolutions.
//
// Weights are packed in panels of NR columns, four steps of k side by side: [k / 4][NR][4]. One
// lane sums the products of one column; an activation word holds the same four steps for all
// columns.
#pragma once

#include <cstdint>

#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/int8_operands.hpp"
#include "templates/matmul/int8_single_columns.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// The products of four bytes of every row, one after the other.
template <std::size_t ROWS, std::size_t COLUMNS>
[[gnu::always_inline]] inline void add_bytes(std::uint32_t (&sums)[ROWS][COLUMNS],
                                             const std::uint8_t* x, Index ldx,
                                             const std::int8_t* w) {
  constexpr int rows = ROWS, columns = COLUMNS;
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
      const std::uint32_t a = x[i * ldx + k];
#pragma GCC unroll 4
      for (int j = 0; j < columns; ++j)
        sums[i][j] += a * static_cast<std::uint32_t>(std::int32_t{w[4 * j + k]});
    }
  }
}

// The products of one word of every row from FIRST on, without the last LEFT_OUT.
template <int NR, class Product = ByteProduct, int FIRST = 0, int LEFT_OUT = 0, class W,
          std::size_t ROWS, std::size_t VECTORS>
[[gnu::always_inline]] inline void add_word(W (&sums)[ROWS][VECTORS], const std::uint8_t* x,
                                            Index ldx, const std::int8_t* w) {
  if constexpr (lanes<W> == 1 && !kJoinsBytes && Product::in_word == 4) {
    add_bytes(sums, x, ldx, w);
    return;
  }
  constexpr int rows = ROWS, vectors = VECTORS;
  W b[VECTORS];
#pragma GCC unroll 4
  for (int j = 0; j < vectors; ++j) b[j] = Product::template load<W>(w + 4 * lanes<W> * j);
#pragma GCC unroll 32
  for (int i = FIRST; i < rows - LEFT_OUT; ++i) {
    const W a = Product::template broadcast<W>(x + i * ldx);
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) sums[i][j] = Product::add(sums[i][j], a, b[j]);
  }
}

// With -Os compilers have no high registers.
#if defined(__ARM_ARCH_6M__) && !defined(__OPTIMIZE_SIZE__)
#define ONNXC_LOW_REGISTERS
#endif
#if defined(ONNXC_LOW_REGISTERS)
// A run of words with four columns, in instructions: compilers load more bytes at a time than there
// are low registers.
#define ONNXC_BYTE_PRODUCT(AT, SUM) \
  "movs %[p], #" #AT                \
  "\n\t"                            \
  "ldrsb %[p], [%[w], %[p]]\n\t"    \
  "muls %[p], %[a]\n\t"             \
  "add %[" #SUM "], %[p]\n\t"
#define ONNXC_BYTE_PRODUCTS(K, K4, K8, K12)                                             \
  "ldrb %[a], [%[x], #" #K "]\n\t" ONNXC_BYTE_PRODUCT(K, s0) ONNXC_BYTE_PRODUCT(K4, s1) \
      ONNXC_BYTE_PRODUCT(K8, s2) ONNXC_BYTE_PRODUCT(K12, s3)
[[gnu::always_inline]] inline void add_run(std::uint32_t (&sums)[1][4], const std::uint8_t* x,
                                           const std::int8_t* w, Index words) {
  if (words <= 0) return;
  const std::int8_t* const end = w + 16 * words;
  std::uint32_t a, product;
  asm volatile(
      ".syntax unified\n"
      "1:\n\t"  //
      ONNXC_BYTE_PRODUCTS(0, 4, 8, 12) ONNXC_BYTE_PRODUCTS(1, 5, 9, 13)
          ONNXC_BYTE_PRODUCTS(2, 6, 10, 14) ONNXC_BYTE_PRODUCTS(3, 7, 11, 15)
      "adds %[x], #4\n\t"
      "adds %[w], #16\n\t"
      "cmp %[w], %[end]\n\t"
      "bne 1b"
      : [s0] "+h"(sums[0][0]), [s1] "+h"(sums[0][1]), [s2] "+h"(sums[0][2]),
        [s3] "+h"(sums[0][3]), [a] "=&l"(a), [p] "=&l"(product), [x] "+l"(x), [w] "+l"(w)
      : [end] "h"(end)
      : "cc", "memory");
}
#undef ONNXC_BYTE_PRODUCTS
#undef ONNXC_BYTE_PRODUCT
#endif

// The products of a run of words, of rows as add_word has them.
template <int NR, class Product, int FIRST = 0, int LEFT_OUT = 0, class W, std::size_t ROWS,
          std::size_t VECTORS>
[[gnu::always_inline]] inline void add_words(W (&sums)[ROWS][VECTORS], const std::uint8_t* x,
                                             Index ldx, const std::int8_t* w, Index words) {
#if defined(ONNXC_LOW_REGISTERS)
  if constexpr (ROWS == 1 && VECTORS == 4 && Product::in_word == 4)
    return add_run(sums, x, w, words);
#endif
#pragma GCC unroll 1
  for (Index k = 0; k < words; ++k, x += 4, w += NR * 4)
    add_word<NR, Product, FIRST, LEFT_OUT>(sums, x, ldx, w);
}

#undef ONNXC_LOW_REGISTERS

// The products of a row of three taps for all pixels of a line, with one pixel of zeros before and
// after them.
template <int NR, class Product, class W, std::size_t ROWS, std::size_t VECTORS>
[[gnu::always_inline]] inline void add_line(W (&sums)[ROWS][VECTORS], const std::uint8_t* x,
                                            Index ldx, const std::int8_t* w, Index words) {
  const Index tap = words / 3;
  add_words<NR, Product, 1, 0>(sums, x, ldx, w, tap);
  add_words<NR, Product>(sums, x + 4 * tap, ldx, w + tap * NR * 4, tap);
  add_words<NR, Product, 0, 1>(sums, x + 8 * tap, ldx, w + 2 * tap * NR * 4, tap);
}

// LINE: as add_line; there is one run for each row of taps.
template <int ROWS, int NR, bool LINE = false, class Y, class Product, class Epilogue>
[[gnu::always_inline]] inline void int8_tile(const Int8Tile<Y, Product>& t,
                                             const Int8Place<Y>& place, const Epilogue& epilogue) {
  constexpr int n = tile_lanes<NR>;
  // Two rows and two columns at a time share the halves that words are split into.
  constexpr int nv = kLanes == 1 && ROWS == 2 ? 2 : tile_vectors<NR>;
  constexpr std::size_t rows = ROWS, vectors = nv;
  using W = words<n>;
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    if (j0 > 0 && j0 >= t.columns) break;
    W sums[rows][vectors];
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) {
      const W start = load_words<W>(t.start + j0 + n * j);
#pragma GCC unroll 32
      for (int i = 0; i < ROWS; ++i) sums[i][j] = start;
    }
    const std::int8_t* w = t.w + j0 * 4;
    for (Index h = 0; h < t.taps_h; ++h) {
      if constexpr (LINE) {
        add_line<NR, Product>(sums, place.x + h * t.x_step_h, t.ldx, w, t.words);
        w += t.words * NR * 4;
        continue;
      }
      for (Index v = 0; v < t.taps_w; ++v, w += t.words * NR * 4)
        add_words<NR, Product>(sums, place.x + h * t.x_step_h + v * t.x_step_w, t.ldx, w, t.words);
    }
    const std::int32_t* residual = t.residual_places;
    for (Index left = t.residual_words; left > 0; --left, residual += 3, w += NR * 4)
      add_word<NR, Product>(
          sums, place.x + residual[0] * t.x_step_h + residual[1] * t.x_step_w + residual[2] * 4,
          t.ldx, w);
#pragma GCC unroll 32
    for (int i = 0; i < ROWS; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) {
        const Index column = j0 + n * j;
        if (t.columns <= column) break;
        finish_sums<vec<n>>(sums[i][j], t.columns - column, place.y + i * t.ldy + column,
                            place.at + i * t.ld_epilogue + column, t.channel + column, epilogue);
      }
    }
  }
}

// Tiles over `extent` rows, at least ROWS, one after the other, from `first` on, the last one
// ending at the last row.
template <int ROWS, int NR, class Y, class Product, class Epilogue>
[[gnu::always_inline]] inline void int8_tiles(const Int8Tile<Y, Product>& t,
                                              const Int8Place<Y>& first, Index extent,
                                              const Epilogue& epilogue) {
  for (Index i = 0; i < extent; i += ROWS)
    int8_tile<ROWS, NR>(t, place_of_row(t, first, i + ROWS <= extent ? i : extent - ROWS),
                        epilogue);
}

// The same. ROWS must not exceed a fixed extent; a smaller dynamic extent is done row by row.
// FIXED: an extent that is frequent, or -1. RUN: bytes of the only run of panels of one column, of
// which there are always four, or 0.
template <int ROWS, int NR, Index FIXED = -1, int RUN = 0, class Y, class Product, class Epilogue>
[[gnu::always_inline]] inline void int8_rows(const Int8Tile<Y, Product>& t,
                                             const Int8Place<Y>& first, Index extent,
                                             Index panel_size, const Epilogue& epilogue) {
  if constexpr (NR == 1) {
    Index i = 0;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    if constexpr (RUN > 0 && FIXED != 1) i = int8_row_pairs<RUN>(t, first, extent, epilogue);
#endif
    for (; i < extent; ++i) int8_single_columns(t, place_of_row(t, first, i), panel_size, epilogue);
    return;
  }
  if (extent < ROWS) {
    int8_tiles<1, NR>(t, first, extent, epilogue);
    return;
  }
  if constexpr (kLanes == 1) {
    // A row alone takes all columns at a time: less than the same row again in a tile of two.
    for (Index i = 0; i + ROWS <= extent; i += ROWS)
      int8_tile<ROWS, NR>(t, place_of_row(t, first, i), epilogue);
    if (extent % ROWS != 0) int8_tile<1, NR>(t, place_of_row(t, first, extent - 1), epilogue);
    return;
  }
  constexpr bool lower = FIXED > 0 && wastes_rows(FIXED, ROWS);
  const Index missing = lower ? (ROWS - extent % ROWS) % ROWS : 0,
              low = missing <= extent / ROWS ? missing : 0, high = extent - low * (ROWS - 1);
  for (Index i = 0; i < high; i += ROWS)
    int8_tile<ROWS, NR>(t, place_of_row(t, first, i + ROWS <= extent ? i : extent - ROWS),
                        epilogue);
  if constexpr (lower) {
    for (Index i = high; i < extent; i += ROWS - 1)
      int8_tile<ROWS - 1, NR>(t, place_of_row(t, first, i), epilogue);
  }
}

// The heights of tiles for an open extent, where `most` rows, at least 8, fit the registers. One
// has the epilogue of full panels inlined, of which many extents are multiples; the others are
// shared by all epilogues, for which they store their sums.
struct Int8Heights {
  int inlined, shared[4];

  constexpr explicit Int8Heights(int most)
      : inlined(most < 16 ? 8 : 16), shared{most, inlined / 2, inlined / 4, 1} {}

  // The height that costs the least. A tile costs its rows, the loads of its weights, about a row,
  // and those of its sums.
  int choose(Index extent) const {
    int best = 1;
    Index least = 4 * extent;
    const auto consider = [&](int rows, int more) {
      const Index cost = (extent + rows - 1) / rows * (rows + more);
      if (rows > extent || cost >= least) return;
      least = cost;
      best = rows;
    };
    consider(inlined, 1);
    for (int rows : shared) consider(rows, 3);
    return best;
  }
};

// The sums of one tile, [ROWS][NR].
template <int ROWS, int NR, class Product>
[[gnu::noinline]] void int8_tile_sums(const Int8Tile<std::int32_t, Product>& given,
                                      const std::uint8_t* x, std::int32_t* sums) {
  Int8Tile<std::int32_t, Product> t = given;
  t.columns = t.ldy = NR;
  int8_tile<ROWS, NR>(t, Int8Place<std::int32_t>{x, sums, 0}, NoEpilogue{});
}

// That function for one of the heights.
template <int ROWS, int NR, class Product>
auto int8_tile_sums_of(int rows) {
  constexpr Int8Heights heights(ROWS);
  if (rows == heights.shared[0]) return int8_tile_sums<heights.shared[0], NR, Product>;
  if (rows == heights.shared[1]) return int8_tile_sums<heights.shared[1], NR, Product>;
  if (rows == heights.shared[2]) return int8_tile_sums<heights.shared[2], NR, Product>;
  if (rows == heights.inlined) return int8_tile_sums<heights.inlined, NR, Product>;
  return int8_tile_sums<1, NR, Product>;
}

// `rows` rows of sums, [rows][NR], as results.
template <int NR, class Y, class Product, class Epilogue>
[[gnu::always_inline]] inline void finish_int8_rows(const Int8Tile<Y, Product>& t,
                                                    const Int8Place<Y>& place, Index rows,
                                                    const std::int32_t* sums,
                                                    const Epilogue& epilogue) {
  constexpr int n = tile_lanes<NR>;
  for (Index i = 0; i < rows; ++i, sums += NR)
    for (Index j = 0; j < NR && j < t.columns; j += n)
      finish_sums<vec<n>>(load_words<words<n>>(sums + j), t.columns - j, place.y + i * t.ldy + j,
                          place.at + i * t.ld_epilogue + j, t.channel + j, epilogue);
}

// Where few rows fit, one height wastes little.
template <int ROWS, int NR>
constexpr bool has_int8_heights = NR > 1 && ROWS >= 8;

// The height of tiles for an open extent.
template <int ROWS, int NR>
int open_int8_rows(Index extent) {
  if constexpr (has_int8_heights<ROWS, NR>) return Int8Heights(ROWS).choose(extent);
  return ROWS;
}

// The same as int8_rows for an extent that is open, of which tiles of one height would compute many
// rows twice, or one by one.  rows: open_int8_rows.
template <int ROWS, int NR, class Y, class Product, class Epilogue>
[[gnu::always_inline]] inline void int8_open_rows(const Int8Tile<Y, Product>& t,
                                                  const Int8Place<Y>& first, Index extent, int rows,
                                                  Index panel_size, const Epilogue& epilogue) {
  if constexpr (!has_int8_heights<ROWS, NR>) {
    int8_rows<ROWS, NR>(t, first, extent, panel_size, epilogue);
  } else {
    constexpr Int8Heights heights(ROWS);
    if (rows == heights.inlined && t.columns >= NR)
      return int8_tiles<heights.inlined, NR>(t, first, extent, epilogue);
    const auto sum = int8_tile_sums_of<ROWS, NR, Product>(rows);
    const Int8Tile<std::int32_t, Product> summed = t.summed();
    constexpr std::size_t most = ROWS * NR;
    std::int32_t sums[most];
    for (Index i = 0; i < extent; i += rows) {
      const Int8Place<Y> place = place_of_row(t, first, i + rows <= extent ? i : extent - rows);
      sum(summed, place.x, sums);
      finish_int8_rows<NR>(t, place, rows, sums, epilogue);
    }
  }
}

}  // namespace onnxc
