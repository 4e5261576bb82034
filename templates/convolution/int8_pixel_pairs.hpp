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
  constexpr bool fits = words > 0 && words <= kMostPairWords && columns >= 8 &&
                        fixed_extent(&S::out_w) >= 2 &&
                        (splits_windows<S>() || columns <= kMostPairColumns);
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

// Two outputs side by side, the first one number `output`. split(i, to): writes row i of their taps
// as half words.
template <int NR, class S, class Y, class Epilogue, class Split>
[[gnu::always_inline]] inline void int8_pixel_pair(const Int8Pairs<NR, S, Y>& p, Index output,
                                                   const Epilogue& epilogue, const Split& split) {
  const S& s = p.s;
  constexpr Index words = known_run_words<S>();
  constexpr Index rows = splits_windows<S>() ? fixed_extent(&S::k_h) : 1;
  constexpr std::size_t size = rows * words * 4;
  std::uint32_t halves[size];
  const Int8Place<Y> place = {nullptr, p.c.y + output * s.out_c, p.c.at + output * s.out_c};
  const std::int8_t* const w = p.c.w + p.columns.begin / NR * p.panel_size;
  if constexpr (splits_windows<S>()) {
    for (Index i = 0; i < s.k_h; ++i) split(i, halves + i * words * 4);
    int8_row_pair<NR>(RowPair{halves, rows * words, w, p.panel_size}, p.columns, p.c.start, place,
                      s.out_c, epilogue);
  } else {
    constexpr std::size_t most = (fixed_extent(&S::out_c) + 1) / 2 * 2;
    std::uint32_t sums[2 * most];
    start_int8_row_pair(p.columns, p.c.start, sums);
    for (Index i = 0; i < s.k_h; ++i) {
      split(i, halves);
      add_int8_row_pair<NR>(RowPair{halves, words, w + i * words * NR * 4, p.panel_size},
                            p.columns.size(), sums);
    }
    finish_int8_row_pair(sums, p.columns, place, s.out_c, epilogue);
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
