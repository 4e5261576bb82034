// unit_blocks.hpp - products of one row with weights by blocks of units, whose sums stay in
// registers until they are gates.
//
// A block is as many units as a vector has lanes; the last one, if it has fewer, the narrowest
// vector of four or more that holds them. Its weights lie as [depth][gate][unit], with zeros where
// there is no unit. A single sequence reads each weight once a step, so that nothing is gained by
// the register tiles of a matrix product, and much is lost by sums that go through memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The width of the last block when `rest` units are left for it.
constexpr Index last_block(Index rest, Index lanes) {
  Index width = lanes;
  while (width >= 8 && width / 2 >= rest) width /= 2;
  return width;
}

// Units with those that fill the last block.
constexpr Index padded_units(Index hidden, Index lanes) {
  const Index rest = hidden % lanes;
  return rest == 0 ? hidden : hidden - rest + last_block(rest, lanes);
}

// COUNT consecutive units in a vector, of a block of WIDTH, from unit `first` on, which is unit
// `lane` of its block.
template <class Vector, int COUNT, Index WIDTH>
struct Units {
  using V = Vector;
  static constexpr Index kWidth = WIDTH;
  Index first, lane;

  // Units of a state or of other rows without gaps.
  [[gnu::always_inline]] V get(const float* row) const { return load_first<V, COUNT>(row + first); }
  [[gnu::always_inline]] void put(float* row, V v) const { store_first<COUNT>(row + first, v); }

  // Where rows of GATES gates for these units begin in packed weights.
  template <std::size_t GATES>
  [[gnu::always_inline]] const float* rows_of(const float* w, Index depth) const {
    return w + (first - lane) * static_cast<Index>(GATES) * depth + lane;
  }

  // Gate g of a row.
  [[gnu::always_inline]] V gate(const float* row, Index g) const {
    return load<V>(row + g * WIDTH);
  }
};

// Calls f(Units) for the vectors of one block: more than one where vectors are narrower than it.
template <Index WIDTH, int COUNT, int LANE = 0, class F>
[[gnu::always_inline]] inline void for_vectors_of_block(Index first, const F& f) {
  if constexpr (LANE < COUNT) {
    using V = vec<(WIDTH < kLanes ? static_cast<int>(WIDTH) : kLanes)>;
    constexpr int left = COUNT - LANE;
    f(Units<V, (left < lanes<V> ? left : lanes<V>), WIDTH>{first + LANE, LANE});
    for_vectors_of_block<WIDTH, COUNT, LANE + lanes<V>>(first, f);
  }
}

// Blocks of `hidden` units.
constexpr Index count_blocks(Index hidden, Index lanes) { return (hidden + lanes - 1) / lanes; }

// Calls f(Units) for the blocks, whole ones of LANES in the order that `backwards` says.
template <int LANES, Index HIDDEN, class F>
[[gnu::always_inline]] inline void for_units(Span blocks, bool backwards, const F& f) {
  constexpr Index all = count_blocks(HIDDEN, LANES), rest = HIDDEN % LANES;
  const bool last = rest > 0 && blocks.end == all;
  const Index end = last ? all - 1 : blocks.end;
  for (Index j = blocks.begin; j < end; ++j)
    for_vectors_of_block<LANES, LANES>((backwards ? blocks.begin + end - 1 - j : j) * LANES, f);
  if constexpr (rest > 0)
    if (last)
      for_vectors_of_block<last_block(rest, LANES), static_cast<int>(rest)>((all - 1) * LANES, f);
}

// Where a step of one sequence reads and writes: row t of the input and of y, the states before and
// after. old is null for zeros, y where it is left out.
struct UnitStep {
  Index i, t;
  bool is_last;
  const float* old;
  float *now, *y;

  // The new state of some units, wherever it goes.
  template <class U>
  [[gnu::always_inline]] void put(const U& units, typename U::V h) const {
    units.put(now, h);
    if (y != nullptr) units.put(y, h);
  }
};

// The units of a state, of which null is zeros.
template <class U>
[[gnu::always_inline]] inline typename U::V state_of(const U& units, const float* state) {
  return state != nullptr ? units.get(state) : typename U::V{};
}

// The last state of a sequence without steps.
inline void keep_state(Index hidden, const float* first, float* last) {
  for (Index j = 0; j < hidden && last != nullptr; ++j)
    last[j] = first != nullptr ? first[j] : 0.0f;
}

// Runs step(UnitStep) for the steps of one sequence; h: scratch for two states. s: as for
// run_steps.
template <class S, class Step>
[[gnu::always_inline]] inline Status run_sequence(const S& s, const std::int32_t* lengths,
                                                  const float* h0, float* h, float* y, float* y_h,
                                                  const Step& step) {
  const Index length = lengths != nullptr ? lengths[0] : s.steps;
  if (length < 0 || length > s.steps) return Status::bad_value;
  const Index own = s.direction * s.h_direction;
  const float* old = h0 != nullptr ? h0 + own : nullptr;
  float* const ys = y != nullptr ? y + s.direction * s.y_direction : nullptr;
  float* const last = y_h != nullptr ? y_h + own : nullptr;
  for (Index i = 0; i < length; ++i) {
    const Index t = s.reverse ? length - 1 - i : i;
    const bool is_last = i + 1 == length;
    float* const now = is_last && last != nullptr ? last : h + i % 2 * s.hidden;
    step(UnitStep{i, t, is_last, old, now, ys != nullptr ? ys + t * s.y_step : nullptr});
    old = now;
  }
  for (Index i = length; i < s.steps && ys != nullptr; ++i)
    for (Index j = 0; j < s.hidden; ++j) ys[i * s.y_step + j] = 0.0f;
  if (length == 0) keep_state(s.hidden, old, last);
  return Status::ok;
}

// Streams of depth in a sum, which hide the latency of additions. They follow from the extents
// alone.
constexpr std::size_t sum_streams(Index depth, std::size_t gates) {
  return depth < 8 ? 1 : gates > 2 ? 2 : 4;
}

// sums[g] += x times the weights of gate g, for DEPTH numbers. w: as Units::rows_of gives it.
template <Index DEPTH, class U, std::size_t GATES>
[[gnu::always_inline]] inline void add_products(const U& units, const float* x, const float* w,
                                                typename U::V (&sums)[GATES]) {
  using V = typename U::V;
  constexpr std::size_t streams = sum_streams(DEPTH, GATES);
  constexpr Index part = DEPTH / static_cast<Index>(streams);
  constexpr Index row = static_cast<Index>(GATES) * U::kWidth;
  V partial[streams][GATES] = {};
  for (std::size_t g = 0; g < GATES; ++g) partial[0][g] = sums[g];
  const auto add = [&](std::size_t stream, Index k) ONNXC_INLINE_LAMBDA {
    const V factor = broadcast<V>(x[k]);
    for (std::size_t g = 0; g < GATES; ++g)
      partial[stream][g] += factor * units.gate(w + k * row, static_cast<Index>(g));
  };
  for (Index k = 0; k < part; ++k)
    for (std::size_t i = 0; i < streams; ++i) add(i, static_cast<Index>(i) * part + k);
  for (Index k = part * static_cast<Index>(streams); k < DEPTH; ++k) add(0, k);
  for (std::size_t g = 0; g < GATES; ++g) {
    for (std::size_t i = 1; i + 1 < streams; i += 2) partial[i][g] += partial[i + 1][g];
    for (std::size_t i = 1; i < streams; i += 2) partial[0][g] += partial[i][g];
    sums[g] = partial[0][g];
  }
}

// The sums of gates [first, first + GATES) before the state has its part: their bias and the
// product with the input, or where INPUTS is 0 what x holds of both, for OF gates. start may be
// null.
template <Index INPUTS, Index HIDDEN, std::size_t OF, class U, std::size_t GATES>
[[gnu::always_inline]] inline void start_gates(const U& units, const float* x, const float* start,
                                               const float* w, Index first,
                                               typename U::V (&sums)[GATES]) {
  using V = typename U::V;
  if constexpr (INPUTS == 0) {
    const float* const row = units.template rows_of<OF>(x, 1);
    for (std::size_t g = 0; g < GATES; ++g)
      sums[g] = units.gate(row, first + static_cast<Index>(g));
  } else {
    for (V& sum : sums) sum = V{};
    if (start != nullptr)
      for (std::size_t g = 0; g < GATES; ++g)
        sums[g] = units.gate(units.template rows_of<GATES>(start, 1), static_cast<Index>(g));
    add_products<INPUTS>(units, x, units.template rows_of<GATES>(w, INPUTS + HIDDEN), sums);
  }
}
template <Index INPUTS, Index HIDDEN, class U, std::size_t GATES>
[[gnu::always_inline]] inline void start_sums(const U& units, const float* x, const float* start,
                                              const float* w, typename U::V (&sums)[GATES]) {
  start_gates<INPUTS, HIDDEN, GATES>(units, x, start, w, 0, sums);
}

// The part of the state, null for zeros: its weights follow those of the input.
template <Index INPUTS, Index HIDDEN, class U, std::size_t GATES>
[[gnu::always_inline]] inline void add_state(const U& units, const float* h, const float* w,
                                             typename U::V (&sums)[GATES]) {
  if (h == nullptr) return;
  const float* const rows = units.template rows_of<GATES>(w, INPUTS + HIDDEN);
  add_products<HIDDEN>(units, h, rows + INPUTS * static_cast<Index>(GATES) * U::kWidth, sums);
}

}  // namespace onnxc
