// int8_single_columns.hpp - products of 8-bit integers with panels of one column.
//
// They are for cores with an instruction that sums the products of two vectors of bytes: four
// panels at a time, a row of the input with each. There the input counts as less 128, which makes
// it signed.
#pragma once

#include <cstdint>

#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/flash.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/simd_int8_mve.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/int8_operands.hpp"

namespace onnxc {

// The sums of up to four panels of one column, and where the panels begin. Columns that do not
// exist are computed as the first one.
struct SingleColumns {
  std::uint32_t sums[4];
  Index row[4];
};

template <class Y>
[[gnu::always_inline]] inline SingleColumns start_columns(const Int8Tile<Y>& t, Index panel_size) {
  SingleColumns columns;
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const int column = j < t.columns ? j : 0;
    columns.sums[j] = static_cast<std::uint32_t>(constant_at(t.start + column));
    columns.row[j] = column * panel_size;
  }
  return columns;
}

template <class Y, class Epilogue>
[[gnu::always_inline]] inline void finish_columns(const Int8Tile<Y>& t, const Int8Place<Y>& place,
                                                  const SingleColumns& c,
                                                  const Epilogue& epilogue) {
  if constexpr (kLanes >= 4) {
    finish_sums<vec<4>>(words<4>{c.sums[0], c.sums[1], c.sums[2], c.sums[3]}, t.columns, place.y,
                        place.at, t.channel, epilogue);
  } else {
    for (int j = 0; j < 4 && j < t.columns; ++j)
      finish_sums<float>(c.sums[j], 1, place.y + j, place.at + j, t.channel + j, epilogue);
  }
}

// One row of the input with up to four panels of one column, panel_size bytes apart.
template <class Y, class Epilogue>
[[gnu::always_inline]] inline void int8_single_columns(const Int8Tile<Y>& t,
                                                       const Int8Place<Y>& place, Index panel_size,
                                                       const Epilogue& epilogue) {
  SingleColumns c = start_columns(t, panel_size);
  const std::int8_t* w = t.w;
  for (Index h = 0; h < t.taps_h; ++h) {
    for (Index v = 0; v < t.taps_w; ++v, w += 4 * t.words)
      add_row_products(c.sums, place.x + h * t.x_step_h + v * t.x_step_w, w, c.row, 4 * t.words);
  }
  const std::int32_t* residual = t.residual_places;
  for (Index i = 0; i < t.residual_words; ++i, w += 4, residual += 3) {
    // Each panel has places of its own.
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const std::int32_t* own = residual + (j < t.columns ? j : 0) * t.residual_words * 3;
      const auto place_at = [&](int k) { return static_cast<Index>(constant_at(own + k)); };
      const std::uint8_t* x =
          place.x + place_at(0) * t.x_step_h + place_at(1) * t.x_step_w + place_at(2) * 4;
      for (int b = 0; b < 4; ++b)
        c.sums[j] += static_cast<std::uint32_t>((x[b] - 128) * constant_at(w + (c.row[j] + b)));
    }
  }
  finish_columns(t, place, c, epilogue);
}

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
// Two rows at a time with four panels of one column and one run of RUN bytes; the number of rows
// done, all but one perhaps.
template <int RUN, class Y, class Epilogue>
[[gnu::always_inline]] inline Index int8_row_pairs(const Int8Tile<Y>& t, const Int8Place<Y>& first,
                                                   Index extent, const Epilogue& epilogue) {
  const words<4> start = load_words<words<4>>(t.start);
  Int8Place<Y> place = first;
  const std::uint8_t* const end = first.x + extent / 2 * 2 * t.ldx;
  for (; place.x < end; place = place_of_row(t, place, 2)) {
    std::uint32_t sums[2][4];
    pair_products<RUN>(sums, place.x, t.ldx, t.w);
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k)
      finish_sums<vec<4>>(start + join_sums(sums[k]), 4, place.y + k * t.ldy,
                          place.at + k * t.ld_epilogue, t.channel, epilogue);
  }
  return extent / 2 * 2;
}

// Four rows, LDX bytes apart, with four panels of one column, of which each row of taps is a run of
// RUN bytes.
template <int RUN, int LDX, bool WORDS, class Y, class Epilogue>
[[gnu::always_inline]] inline void int8_row_quad(const Int8Tile<Y>& t, const Int8Place<Y>& place,
                                                 Index panel_size, const Epilogue& epilogue) {
  std::uint32_t sums[2][4][2] = {};
#pragma GCC unroll 1
  for (int half = 0; half < 2; ++half) {
    const std::int8_t* const w = t.w + half * 2 * panel_size;
    for (Index h = 0; h < t.taps_h; ++h)
      quad_products<RUN, LDX, WORDS>(sums[half], place.x + h * t.x_step_h, w + h * RUN, panel_size);
  }
  const words<4> start = load_words<words<4>>(t.start);
#pragma GCC unroll 1
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t row[4] = {sums[0][i][0], sums[0][i][1], sums[1][i][0], sums[1][i][1]};
    finish_sums<vec<4>>(start + join_sums(row), 4, place.y + i * t.ldy,
                        place.at + i * t.ld_epilogue, t.channel, epilogue);
  }
}
#endif

// Rows four at a time, the last ones done twice where one would be left out; the number of rows
// done.
template <int RUN, int LDX, bool WORDS, class Y, class Epilogue>
[[gnu::always_inline]] inline Index int8_row_quads([[maybe_unused]] const Int8Tile<Y>& t,
                                                   [[maybe_unused]] const Int8Place<Y>& first,
                                                   [[maybe_unused]] Index extent,
                                                   [[maybe_unused]] Index panel_size,
                                                   [[maybe_unused]] const Epilogue& epilogue) {
  Index done = 0;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
  while (extent >= 4 && extent - done >= 3) {
    const Index row = min_extent(done, extent - 4);
    int8_row_quad<RUN, LDX, WORDS>(t, place_of_row(t, first, row), panel_size, epilogue);
    done = row + 4;
  }
#endif
  return done;
}

}  // namespace onnxc
