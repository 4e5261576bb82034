// matmul_tile.hpp - the register-tiled inner loop that gemm, batched matmul and convolution share.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/matmul_rows_thumb.hpp"
#include "templates/matmul/tile_operands.hpp"

namespace onnxc {

template <int ROWS>
constexpr int first_half = (ROWS + 1) / 2;

// Stores COUNT floats through the epilogue, by vectors of WIDTH and then of half of that, so that
// the epilogue reads nothing past them.
template <int COUNT, int WIDTH, class Epilogue>
[[gnu::always_inline]] inline void finish_floats(const float* x, float* y, Index at, Index channel,
                                                 const Epilogue& epilogue) {
  if constexpr (WIDTH < 4) {
    for (int j = 0; j < COUNT; ++j) y[j] = epilogue(x[j], at + j, channel + j);
  } else if constexpr (COUNT >= WIDTH) {
    store(y, epilogue(load<vec<WIDTH>>(x), at, channel));
    finish_floats<COUNT - WIDTH, WIDTH / 2>(x + WIDTH, y + WIDTH, at + WIDTH, channel + WIDTH,
                                            epilogue);
  } else {
    finish_floats<COUNT, WIDTH / 2>(x, y, at, channel, epilogue);
  }
}

// Stores the first COUNT lanes of v, fewer than all.
template <int COUNT, class V, class Epilogue>
[[gnu::always_inline]] inline void finish_part(V v, float* y, Index at, Index channel,
                                               const Epilogue& epilogue) {
  if constexpr (std::is_empty_v<Epilogue>) {
    // Without operands of its own the epilogue may see the other lanes.
    store_first<COUNT>(y, epilogue(v, at, channel));
  } else {
    float part[static_cast<std::size_t>(lanes<V>)];
    store(part, v);
    finish_floats<COUNT, lanes<V> / 2>(part, y, at, channel, epilogue);
  }
}

// GCC 12 takes the loads of MVE constants in an epilogue for half as long as they are, and branches
// over it with a cbz that does not reach. It counts four bytes for each line of this, which is
// none.
[[gnu::always_inline]] inline void lengthen_branch() {
#if defined(__ARM_FEATURE_MVE) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ <= 12
  asm volatile("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
#endif
}

// Stores the accumulators of the COLUMNS from j0 on, through the epilogue.
template <int ROWS, int COLUMNS, class V, std::size_t ALL_ROWS, std::size_t VECTORS, class Epilogue>
[[gnu::always_inline]] inline void finish_tile(const TileOperands& t, int j0,
                                               const V (&acc)[ALL_ROWS][VECTORS],
                                               const Epilogue epilogue) {
  lengthen_branch();
  constexpr int half = first_half<ROWS>;
  constexpr int whole = COLUMNS / lanes<V>, rest = COLUMNS % lanes<V>;
  // Copies, since the stores might alias references.
  float* y = t.y[0] + j0;
  Index at = t.at[0] + j0;
  float* const second_y = t.y[1] + j0;
  const Index second_at = t.at[1] + j0, channel = t.channel + j0, ldy = t.ldy,
              ld_epilogue = t.ld_epilogue;
#pragma GCC unroll 32
  for (int i = 0; i < ROWS; ++i) {
    if (i == half) y = second_y, at = second_at;
#pragma GCC unroll 4
    for (int j = 0; j < whole; ++j) {
      const int column = lanes<V> * j;
      store(y + column, epilogue(acc[i][j], at + column, channel + column));
    }
    if constexpr (rest > 0) {
      constexpr int column = lanes<V> * whole;
      finish_part<rest>(acc[i][whole], y + column, at + column, channel + column, epilogue);
    }
    y += ldy;
    at += ld_epilogue;
  }
}

// Where the accumulators of COLUMNS columns from j0 on start: from y, from the bias or from zero.
template <int ROWS, int COLUMNS, class V, std::size_t ALL_ROWS, std::size_t VECTORS>
[[gnu::always_inline]] inline void start_tile(const TileOperands& t, int j0,
                                              V (&acc)[ALL_ROWS][VECTORS]) {
  constexpr int half = first_half<ROWS>;
  constexpr int whole = COLUMNS / lanes<V>, rest = COLUMNS % lanes<V>;
  const auto y_row = [&](int i) {
    return i < half ? t.y[0] + i * t.ldy : t.y[1] + (i - half) * t.ldy;
  };
  if (t.accumulate) {
#pragma GCC unroll 32
    for (int i = 0; i < ROWS; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < whole; ++j) acc[i][j] = load<V>(y_row(i) + j0 + lanes<V> * j);
      if constexpr (rest > 0) acc[i][whole] = load_first<V, rest>(y_row(i) + j0 + lanes<V> * whole);
    }
    return;
  }
#pragma GCC unroll 4
  for (int j = 0; j < static_cast<int>(VECTORS); ++j) {
    V start = {};
    if (t.bias != nullptr) {
      const float* bias = t.bias + j0 + lanes<V> * j;
      start = j < whole ? load<V>(bias) : load_first<V, rest>(bias);
    }
#pragma GCC unroll 32
    for (int i = 0; i < ROWS; ++i) acc[i][j] = start;
  }
}

// Prefetches large outputs, COLUMNS columns from j0 on: the sums of the tile hide the latency.
template <int ROWS, int COLUMNS>
[[gnu::always_inline]] inline void prefetch_outputs(const TileOperands& t, int j0) {
  if (!t.prefetch_output) return;
  constexpr int half = first_half<ROWS>;
  for (int i = 0; i < ROWS; ++i) {
    const float* y = (i < half ? t.y[0] + i * t.ldy : t.y[1] + (i - half) * t.ldy) + j0;
#pragma GCC unroll 4
    for (int j = 0; j < COLUMNS; j += 16) prefetch<1>(y + j);
  }
}

// Whether the columns beyond the last whole vector are computed as one of half the width, where
// wide vectors take twice the time of those.
template <int NR, int COLUMNS>
constexpr bool ends_in_half =
    tile_lanes<NR> >= 16 && COLUMNS > tile_lanes<NR>&& COLUMNS % tile_lanes<NR> > 0 &&
    COLUMNS % tile_lanes<NR> <= tile_lanes<NR> / 2;

// The first half of the lanes.
template <class V>
[[gnu::always_inline]] inline auto first_lanes(V v) {
  vec<lanes<V> / 2> half;
  std::memcpy(&half, &v, sizeof half);
  return half;
}

// Multiples of the distance of two rows.
struct RowSteps {
  Index once, three, five;

  explicit RowSteps(Index ldx) : once(ldx), three(3 * ldx), five(5 * ldx) {
    // Otherwise compilers compute the addresses of the rows one from the other in every step.
#if !defined(ONNXC_NO_VECTOR_EXTENSIONS)
    asm("" : "+r"(three), "+r"(five));
#endif
  }
};

// Row i of ROWS. Seven rows are reached from one pointer and the multiples that addresses can hold.
template <int ROWS>
[[gnu::always_inline]] inline const float* tile_row(const float* const (&base)[4],
                                                    const RowSteps& step, int i) {
  constexpr int half = first_half<ROWS>;
  const int in_half = i < half ? i : i - half, r = in_half % 7;
  const float* x = base[(i < half ? 0 : 2) + in_half / 7];
  return r == 3   ? x + step.three
         : r == 5 ? x + step.five
         : r == 6 ? x + 2 * step.three
                  : x + r * step.once;
}

// COLUMNS columns from j0 on, at most tile_vectors<NR>.
template <int ROWS, int NR, int COLUMNS, class Epilogue>
[[gnu::always_inline]] inline void tile_block(const TileOperands& t, int j0,
                                              const Epilogue& epilogue) {
  constexpr int n = tile_lanes<NR>;
  constexpr bool halved = ends_in_half<NR, COLUMNS>;
  constexpr int nv = halved ? COLUMNS / n : (COLUMNS + n - 1) / n;
  constexpr int whole = halved ? nv * n : COLUMNS, rest = COLUMNS - whole;
  constexpr std::size_t vectors = nv, all_rows = ROWS;
  using V = vec<n>;
  using Half = vec<halved ? n / 2 : n>;
  const Index ldx = t.ldx;
  const RowSteps steps(ldx);
  V acc[all_rows][vectors];
  Half half_acc[all_rows][1];
  start_tile<ROWS, whole>(t, j0, acc);
  if constexpr (halved) start_tile<ROWS, rest>(t, j0 + whole, half_acc);
  if constexpr (n >= 8) prefetch_outputs<ROWS, COLUMNS>(t, j0);
  const float* prefetch_weights = t.prefetch_weights;
  const Index prefetch_step = t.prefetch_step;
  for (Index h = 0; h < t.taps_h; ++h) {
    const float* w = t.w + h * t.w_step_h + j0;
    for (Index v = 0; v < t.taps_w; ++v) {
      const Index tap = h * t.x_step_h + (t.runs != nullptr ? t.runs[v].offset : v * t.x_step_w);
      const Index run = t.runs != nullptr ? t.runs[v].length : t.run;
      const float* base[4] = {t.x[0] + tap, t.x[0] + tap + 7 * ldx, t.x[1] + tap,
                              t.x[1] + tap + 7 * ldx};
#pragma GCC unroll 1
      for (Index k = 0; k < run; ++k) {
        V b[vectors];
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) b[j] = load<V>(w + n * j);
        Half half_b;
        if constexpr (halved) half_b = load<Half>(w + whole);
        if constexpr (n >= 8) {
#pragma GCC unroll 4
          for (int j = 0; j < n * nv; j += 16) prefetch(w + NR * 16 + j);
          prefetch(prefetch_weights);
          prefetch_weights += prefetch_step;
        }
#pragma GCC unroll 32
        for (int i = 0; i < ROWS; ++i) {
          const float a = *tile_row<ROWS>(base, steps, i);
#pragma GCC unroll 4
          for (int j = 0; j < nv; ++j) acc[i][j] += times(b[j], a);
          if constexpr (halved) half_acc[i][0] += first_lanes(broadcast<V>(a)) * half_b;
        }
#pragma GCC unroll 4
        for (int g = 0; g < 4; ++g) ++base[g];
        w += NR;
      }
    }
  }
  const auto finish = [&](const auto& with) {
    finish_tile<ROWS, whole>(t, j0, acc, with);
    if constexpr (halved) finish_tile<ROWS, rest>(t, j0 + whole, half_acc, with);
  };
  if constexpr (has_epilogue<Epilogue>) {
    if (t.finish) return finish(epilogue);
  }
  finish(NoEpilogue{});
}

// Whether a tile of so many rows and columns is computed by add_float_rows.
template <int ROWS, int NR, int COLUMNS>
constexpr bool has_float_rows = kHasFloatRows&& NR == 8 && COLUMNS == 8 &&
                                (ROWS == 3 || ROWS == 5 || ROWS == 6);

// Calls f(offset in x, length, weights) for every run of a tile's taps.
template <int NR, class F>
[[gnu::always_inline]] inline void each_tap_run(const TileOperands& t, F f) {
  for (Index h = 0; h < t.taps_h; ++h) {
    const float* w = t.w + h * t.w_step_h;
    for (Index v = 0; v < t.taps_w; ++v) {
      const Index tap = t.runs != nullptr ? t.runs[v].offset : v * t.x_step_w;
      const Index run = t.runs != nullptr ? t.runs[v].length : t.run;
      f(h * t.x_step_h + tap, run, w);
      w += run * NR;
    }
  }
}

// Rows [first, first + COUNT) of a tile of ROWS rows: five with four columns from j0 on, or three
// with eight.
template <int ROWS, int COUNT, class Epilogue>
[[gnu::always_inline]] inline void tile_of_float_rows(const TileOperands& t, int first, int j0,
                                                      const Epilogue& epilogue) {
  constexpr int columns = COUNT == 5 ? 4 : 8, half = first_half<ROWS>;
  constexpr std::size_t rows = COUNT, width = columns;
  const auto y_row = [&](int i) {
    return t.y[(first + i) / half] + (first + i) % half * t.ldy + j0;
  };
  float sums[rows][width];
#pragma GCC unroll 5
  for (int i = 0; i < COUNT; ++i) {
    const float* const start = t.accumulate ? y_row(i) : t.bias + j0;
    const bool zero = !t.accumulate && t.bias == nullptr;
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) sums[i][j] = zero ? 0.0f : start[j];
  }
  each_tap_run<8>(t, [&](Index tap, Index run, const float* w) {
    const float* x[rows];
#pragma GCC unroll 5
    for (int i = 0; i < COUNT; ++i)
      x[i] = t.x[(first + i) / half] + tap + (first + i) % half * t.ldx;
    add_float_rows(sums, x, w + j0, run);
  });
  const auto finish = [&](const auto with) {
    for (int i = 0; i < COUNT; ++i) {
      float* const y = y_row(i);
      const Index at = t.at[(first + i) / half] + (first + i) % half * t.ld_epilogue + j0;
#pragma GCC unroll 8
      for (int j = 0; j < columns; ++j) y[j] = with(sums[i][j], at + j, t.channel + j0 + j);
    }
  };
  if constexpr (has_epilogue<Epilogue>) {
    if (t.finish) return finish(epilogue);
  }
  finish(NoEpilogue{});
}

// One tile of ROWS rows and the first COLUMNS of the NR columns of a panel. Depends on no shape, so
// every layer of a model shares it.
template <int ROWS, int NR, class Epilogue, int COLUMNS = NR>
[[gnu::noinline]] void matmul_tile(const TileOperands& t, const Epilogue& epilogue) {
  if constexpr (has_float_rows<ROWS, NR, COLUMNS>) {
    if constexpr (ROWS == 5) {
      for (int j = 0; j < NR; j += 4) tile_of_float_rows<5, 5>(t, 0, j, epilogue);
    } else {
      for (int i = 0; i < ROWS; i += 3) tile_of_float_rows<ROWS, 3>(t, i, 0, epilogue);
    }
    return;
  }
  constexpr int block = tile_lanes<NR> * tile_vectors<NR>;
  int j0 = 0;
  for (; j0 + block <= COLUMNS; j0 += block) tile_block<ROWS, NR, block>(t, j0, epilogue);
  if constexpr (COLUMNS % block > 0) tile_block<ROWS, NR, COLUMNS % block>(t, j0, epilogue);
}

// Numbers of rows for which there are tiles, distinguished when a tile runs: compilers see every
// call, and so do tools that add up stack sizes.
template <int... ROWS>
struct TileHeights {};

template <int... A, int... B>
constexpr TileHeights<A..., B...> joined_heights(TileHeights<A...>, TileHeights<B...>) {
  return {};
}

// The tile of `rows` rows on the first COLUMNS columns of a panel.
template <int NR, int COLUMNS, class Epilogue, int... ROWS>
[[gnu::always_inline]] inline void tile_of_rows(TileHeights<ROWS...>, int rows,
                                                const TileOperands& t, const Epilogue& epilogue) {
  static_cast<void>(
      ((rows == ROWS && (matmul_tile<ROWS, NR, Epilogue, COLUMNS>(t, epilogue), true)) || ...));
}

// Copies `count` floats of an unfinished row through the epilogue. There are whole vectors to read
// from x.
template <class Epilogue>
[[gnu::always_inline]] inline void finish_row(const float* x, float* y, Index at, Index channel,
                                              Index count, const Epilogue& epilogue) {
  Index j = 0;
  for (; j + kLanes <= count; j += kLanes) store(y + j, epilogue(load(x + j), at + j, channel + j));
  if constexpr (std::is_empty_v<Epilogue> && kLanes > 1) {
    // Without operands of its own the epilogue may see what is past the row.
    if (j >= count) return;
    constexpr std::size_t width = kLanes;
    float rest[width];
    store(rest, epilogue(load(x + j), at + j, channel + j));
    std::memcpy(y + j, rest, static_cast<std::size_t>(count - j) * sizeof(float));
  } else {
    for (; j < count; ++j) y[j] = epilogue(x[j], at + j, channel + j);
  }
}

// Runs a tile through a buffer, and the epilogue on that: where fewer than NR columns exist, since
// a tile touches whole panels, and for the heights that have the epilogue not inlined.
template <int MR, int NR, class Epilogue, class Heights>
[[gnu::noinline]] void edge_tile(Heights heights, int rows, TileOperands t, const Epilogue& given) {
  constexpr std::size_t width = NR;
  constexpr std::size_t capacity = NR * MR + kLanes;
  alignas(64) float y[capacity];
  alignas(64) float bias[width] = {};
  const Epilogue epilogue = given;
  const TileOperands outer = t;
  const int half = (rows + 1) / 2;
  const std::size_t bytes = static_cast<std::size_t>(outer.columns) * sizeof(float);
  const auto row_of = [&](int i) {
    return i < half ? outer.y[0] + i * outer.ldy : outer.y[1] + (i - half) * outer.ldy;
  };
  if (t.accumulate) {
    for (int i = 0; i < rows; ++i) std::memcpy(y + i * NR, row_of(i), bytes);
  }
  if (t.bias != nullptr) {
    std::memcpy(bias, t.bias, bytes);
    t.bias = bias;
  }
  t.y[0] = y;
  t.y[1] = y + half * NR;
  t.ldy = NR;
  t.finish = false;
  tile_of_rows<NR, NR>(heights, rows, t, NoEpilogue{});
  for (int i = 0; i < rows; ++i) {
    const Index at = i < half ? outer.at[0] + i * outer.ld_epilogue
                              : outer.at[1] + (i - half) * outer.ld_epilogue;
    if (has_epilogue<Epilogue> && outer.finish) {
      finish_row(y + i * NR, row_of(i), at, outer.channel, outer.columns, epilogue);
    } else {
      finish_row(y + i * NR, row_of(i), at, outer.channel, outer.columns, NoEpilogue{});
    }
  }
}

template <int... I>
constexpr TileHeights<(I + 1)...> all_heights(std::integer_sequence<int, I...>) {
  return {};
}

// Where the extent is known at run time only, each height would be an instance for each epilogue.
// Then the large ones alone have it inlined, which are all tiles of large extents.
template <int MR, class Epilogue, class Heights>
constexpr bool shares_heights =
    has_epilogue<Epilogue>&& MR > 4 &&
    std::is_same_v<Heights, decltype(all_heights(std::make_integer_sequence<int, MR>{}))>;

// The heights above two thirds of the largest.
template <int MR, int... I>
constexpr auto large_heights(std::integer_sequence<int, I...>) {
  constexpr int first = MR * 2 / 3 + 1;
  return TileHeights<(first + I)...>{};
}

// Runs a tile on all or a part of a panel.  Columns: of the product, -1: known at run time.
template <int MR, int NR, Index Columns, class Heights, class Epilogue>
[[gnu::always_inline]] inline void run_tile(Heights heights, int rows, const TileOperands& t,
                                            const Epilogue& epilogue) {
  if constexpr (shares_heights<MR, Epilogue, Heights>) {
    constexpr int large = MR * 2 / 3;
    if (rows <= large || t.columns < NR) return edge_tile<MR, NR>(heights, rows, t, epilogue);
    constexpr auto inlined = large_heights<MR>(std::make_integer_sequence<int, MR - large>{});
    tile_of_rows<NR, NR>(inlined, rows, t, epilogue);
  } else if constexpr (Columns > 0 && Columns % NR == 0) {
    tile_of_rows<NR, NR>(heights, rows, t, epilogue);
  } else if constexpr (Columns > 0) {
    if constexpr (Columns > NR) {
      if (t.columns >= NR) return tile_of_rows<NR, NR>(heights, rows, t, epilogue);
    }
    tile_of_rows<NR, static_cast<int>(Columns % NR)>(heights, rows, t, epilogue);
  } else {
    if (t.columns >= NR) return tile_of_rows<NR, NR>(heights, rows, t, epilogue);
    edge_tile<MR, NR>(heights, rows, t, epilogue);
  }
}

// `extent` rows as tiles: `tall` ones of tall_rows, the others of `rows`.
struct RowSplit {
  Index tiles, tall;
  int rows, tall_rows;
};

// Tiles of nearly equal height.
constexpr RowSplit split_rows(Index extent, int most) {
  const Index tiles = (extent + most - 1) / most;
  if (tiles == 0) return {0, 0, 0, 0};
  const int rows = static_cast<int>(extent / tiles);
  return {tiles, extent % tiles, rows, rows + 1};
}

// Where the extent is known at run time only, cores with little memory for code have tiles of two
// heights: the largest, and single rows for what is left over.
constexpr RowSplit split_open_rows(Index extent, int most) {
  if (!kLittleCode) return split_rows(extent, most);
  return {extent / most + extent % most, extent / most, 1, most};
}

// Fixed: the extent as a constant, or -1.
template <Index Fixed>
constexpr RowSplit split_extent(Index extent, int most) {
  return Fixed < 0 ? split_open_rows(extent, most) : split_rows(extent, most);
}

// The heights of split_extent<Fixed> for an extent, a constant or -1, of tiles that have at most
// Most rows.
template <Index Fixed, int Most>
constexpr auto heights_of() {
  if constexpr (Fixed > 0) {
    constexpr RowSplit fixed = split_rows(Fixed, Most);
    if constexpr (fixed.tall > 0) {
      return TileHeights<fixed.tall_rows, fixed.rows>{};
    } else {
      return TileHeights<fixed.rows>{};
    }
  } else if constexpr (Fixed == 0) {
    return TileHeights<>{};
  } else if constexpr (kLittleCode) {
    return TileHeights<Most, 1>{};
  } else {
    return all_heights(std::make_integer_sequence<int, Most>{});
  }
}

// A row split with its tiles. Fixed >= 0 is the extent as a constant, which leaves at most two
// heights; -1 means known at run time, likewise for the columns of the product.
template <int MR, int NR, Index Fixed, Index Columns = -1>
struct RowTiles {
  static constexpr int most = tile_rows<MR, NR>;
  RowSplit split;

  explicit RowTiles(Index extent) : split(split_extent<Fixed>(extent, most)) {}

  int rows(Index i) const { return i < split.tall ? split.tall_rows : split.rows; }
  Index first_row(Index i) const {
    return i < split.tall ? i * split.tall_rows
                          : split.tall * split.tall_rows + (i - split.tall) * split.rows;
  }
  template <class Epilogue>
  [[gnu::always_inline]] static void run(int rows, const TileOperands& t,
                                         const Epilogue& epilogue) {
    run_tile<most, NR, Columns>(heights_of<Fixed, most>(), rows, t, epilogue);
  }
};

}  // namespace onnxc
