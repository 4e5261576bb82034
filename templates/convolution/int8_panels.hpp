// int8_panels.hpp - weights of convolutions of 8-bit integers, packed at compile time of the model.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

// Neighbouring taps of all channels are one run.
template <class S>
constexpr bool merges_taps(const S& s) {
  return s.group == 1 && s.dilation_w == 1;
}

// Words of one run, and runs of one row of taps.
template <class S>
constexpr Index run_words(const S& s) {
  return ((merges_taps(s) ? s.k_w * s.in_c : s.in_c / s.group) + 3) / 4;
}
template <class S>
constexpr Index row_runs(const S& s) {
  return merges_taps(s) ? 1 : s.k_w;
}

// Weights in the order of the panels: [out_c, in_c / group, k_h, k_w] as ONNX has them, read by
// output channel, row of taps, run, and position in the run.
template <class S>
struct Int8Weights {
  const S& s;
  const std::int8_t* w;

  std::int8_t at(Index o, Index h, Index run, Index i) const {
    const Index in_group = s.in_c / s.group;
    const Index tap = merges_taps(s) ? i / in_group : run, c = merges_taps(s) ? i % in_group : i;
    return tap < s.k_w && c < in_group ? w[((o * in_group + c) * s.k_h + h) * s.k_w + tap]
                                       : std::int8_t{0};
  }
  // One word of NR columns from channel `first` on, of which `columns` exist.
  void put(Index first, Index columns, Index width, Index h, Index run, Index k,
           std::int8_t* to) const {
    for (Index j = 0; j < width; ++j)
      for (Index b = 0; b < 4; ++b)
        *to++ = j < columns ? at(first + j, h, run, 4 * k + b) : std::int8_t{0};
  }
};

// Bytes of one packed panel: [k_h][runs][words][NR][4], then the residual words,
// [residual_words][NR][4].
template <int NR, class S>
constexpr Index int8_panel_size(const S& s) {
  return (s.k_h * row_runs(s) * run_words(s) + s.residual_words) * NR * 4;
}

template <int NR, class S>
constexpr Index int8_panels(const S& s) {
  return s.group * ((s.out_c / s.group + NR - 1) / NR);
}

// Calls f(panel, first output channel, columns) for every panel, group by group.
template <int NR, class S, class F>
void each_int8_panel(const S& s, F f) {
  const Index out_group = s.out_c / s.group;
  Index panel = 0;
  for (Index g = 0; g < s.group; ++g)
    for (Index j = 0; j < out_group; j += NR, ++panel)
      f(panel, g * out_group + j, out_group - j < NR ? out_group - j : Index{NR});
}

// Calls f(row of taps, run, word) for every word of a pixel's window.
template <class S, class F>
void each_window_word(const S& s, F f) {
  for (Index h = 0; h < s.k_h; ++h)
    for (Index run = 0; run < row_runs(s); ++run)
      for (Index k = 0; k < run_words(s); ++k) f(h, run, k);
}

// Residual words of a panel, the largest count: words of `rest` that are not zero, for weights w +
// rest.
template <int NR, class S>
Index residual_words(const S& s, const std::int8_t* rest) {
  constexpr std::size_t size = NR * 4;
  const Int8Weights<S> weights = {s, rest};
  Index most = 0;
  each_int8_panel<NR>(s, [&](Index, Index first, Index columns) {
    Index count = 0;
    each_window_word(s, [&](Index h, Index run, Index k) {
      std::int8_t word[size];
      weights.put(first, columns, NR, h, run, k, word);
      for (std::int8_t v : word)
        if (v != 0) {
          ++count;
          break;
        }
    });
    most = most < count ? count : most;
  });
  return most;
}

// packed: [int8_panels][int8_panel_size].  residual_places: [int8_panels][residual_words][3],
// zeroed.  rest: null without `residual_words`.
template <int NR, class S>
void pack_conv2d_int8(const S& s, const std::int8_t* w, const std::int8_t* rest,
                      std::int8_t* packed, std::int32_t* residual_places) {
  const Int8Weights<S> first_part = {s, w}, second_part = {s, rest};
  each_int8_panel<NR>(s, [&](Index panel, Index first, Index columns) {
    std::int8_t* to = packed + panel * int8_panel_size<NR>(s);
    std::int32_t* place = residual_places + panel * s.residual_words * 3;
    each_window_word(s, [&](Index h, Index run, Index k) {
      first_part.put(first, columns, NR, h, run, k, to);
      to += NR * 4;
    });
    if (s.residual_words == 0) return;
    const std::int8_t* const end = packed + (panel + 1) * int8_panel_size<NR>(s);
    each_window_word(s, [&](Index h, Index run, Index k) {
      if (to == end) return;
      second_part.put(first, columns, NR, h, run, k, to);
      bool any = false;
      for (Index i = 0; i < NR * 4; ++i) any = any || to[i] != 0;
      if (!any) return;
      *place++ = static_cast<std::int32_t>(h);
      *place++ = static_cast<std::int32_t>(run);
      *place++ = static_cast<std::int32_t>(k);
      to += NR * 4;
    });
  });
}

}  // namespace onnxc
