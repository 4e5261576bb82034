// int8_pixel_pairs.hpp - convolutions of 8-bit integers two outputs at a time, for cores without
// vectors.
#pragma once

#include <cstdint>

#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/int8_row_pairs.hpp"

namespace onnxc {

// Words of a row of taps, whose channels are one run; or 0: not known, or several runs.
template <class S>
constexpr Index known_run_words() {
  constexpr Index k = fixed_extent(&S::k_w), channels = fixed_extent(&S::in_c);
  constexpr bool one_run = fixed_extent(&S::group) == 1 && fixed_extent(&S::dilation_w) == 1;
  return one_run && k > 0 && channels > 0 && fixed_extent(&S::k_h) > 0 ? (k * channels + 3) / 4 : 0;
}

// Whether all rows of taps are split at once.
template <class S>
constexpr bool splits_windows() {
  return fixed_extent(&S::k_h) * known_run_words<S>() <= kMostPairWords;
}

template <int NR, class S>
constexpr bool has_pixel_pairs() {
  constexpr Index words = known_run_words<S>(), columns = fixed_extent(&S::out_c);
  constexpr bool fits =
      words > 0 && words <= kMostPairWords && columns >= 8 && fixed_extent(&S::out_w) >= 2;
  return kHasRowPairs<NR> && fits && fixed_extent(&S::residual_words) == 0;
}

// Operands that all panels of a convolution share.
template <class Y>
struct Int8Convolution {
  const std::int8_t* w;
  const std::int32_t *start, *residual_places;
  Y* y;  // of the image
  Index at;
};

// A convolution whose outputs are computed in pairs.
template <int NR, class S, class Y>
struct Int8Pairs {
  const S& s;
  const Int8Convolution<Y>& c;
  Index panel_size;
  Span columns;
};

// Two outputs side by side, whose windows are longer than what is split at a time: row by row, with
// the sums of some columns. Everything else as for int8_pixel_pair.
template <int NR, class S, class Y, class Epilogue, class Split>
[[gnu::always_inline]] inline void int8_long_pixel_pair(const Int8Pairs<NR, S, Y>& p,
                                                        const Int8Place<Y>& place,
                                                        const Epilogue& epilogue,
                                                        const Split& split) {
  constexpr Index words = known_run_words<S>(), columns = fixed_extent(&S::out_c),
                  most = columns < kMostPairColumns ? (columns + 1) / 2 * 2 : kMostPairColumns;
  static_assert(most % NR == 0 || columns < kMostPairColumns);
  constexpr std::size_t size = words * 4, kept = 2 * most;
  std::uint32_t halves[size], sums[kept];
  for (Index j = p.columns.begin; j < p.columns.end; j += most) {
    const Span block = {j, j + most < p.columns.end ? j + most : p.columns.end};
    const std::int8_t* const w = p.c.w + j / NR * p.panel_size;
    start_int8_row_pair(block, p.c.start, sums);
    for (Index i = 0; i < p.s.k_h; ++i) {
      split(i, halves);
      add_int8_row_pair<NR>(RowPair{halves, words, w + i * words * NR * 4, p.panel_size},
                            block.size(), sums);
    }
    finish_int8_row_pair(sums, block, place, p.s.out_c, epilogue);
  }
}

// Two outputs side by side, the first one number `output`. split(i, to): writes row i of their taps
// as half words.
template <int NR, class S, class Y, class Epilogue, class Split>
[[gnu::always_inline]] inline void int8_pixel_pair(const Int8Pairs<NR, S, Y>& p, Index output,
                                                   const Epilogue& epilogue, const Split& split) {
  const S& s = p.s;
  const Int8Place<Y> place = {nullptr, p.c.y + output * s.out_c, p.c.at + output * s.out_c};
  if constexpr (splits_windows<S>()) {
    constexpr Index words = known_run_words<S>(), rows = fixed_extent(&S::k_h);
    constexpr std::size_t size = rows * words * 4;
    std::uint32_t halves[size];
    for (Index i = 0; i < s.k_h; ++i) split(i, halves + i * words * 4);
    const std::int8_t* const w = p.c.w + p.columns.begin / NR * p.panel_size;
    int8_row_pair<NR>(RowPair{halves, rows * words, w, p.panel_size}, p.columns, p.c.start, place,
                      s.out_c, epilogue);
  } else {
    int8_long_pixel_pair(p, place, epilogue, split);
  }
}

// `count` outputs side by side from number `begin` on, which have all their taps in the image: from
// x on, `width` pixels a row. Returns how many are done: an even number.
template <int NR, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline Index int8_pixel_pairs(const Int8Pairs<NR, S, Y>& p,
                                                     const std::uint8_t* x, Index width,
                                                     Index begin, Index count,
                                                     const Epilogue& epilogue) {
  const Index step = p.s.stride_w * p.s.in_c, row = p.s.dilation_h * width * p.s.in_c;
  Index i = 0;
  for (; i + 2 <= count; i += 2) {
    const std::uint8_t* const first = x + i * step;
    int8_pixel_pair(p, begin + i, epilogue, [&](Index r, std::uint32_t* to) {
      const std::uint8_t* const from = first + r * row;
      split_row_pair<0>(from, from + step, known_run_words<S>(), to);
    });
  }
  return i;
}

}  // namespace onnxc
