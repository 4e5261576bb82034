// softmax.hpp - softmax and its logarithm along one axis of float tensors.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The last count % kLanes elements of a row, filled up with a value that does not change the
// result.
[[gnu::always_inline]] inline vfloat load_tail(const float* x, Index count, float filler) {
  constexpr std::size_t width = kLanes;
  float padded[width];
  for (float& v : padded) v = filler;
  for (Index i = 0; i < kLanes && i < count; ++i) padded[i] = x[i];
  return load(padded);
}

[[gnu::always_inline]] inline void store_tail(float* y, Index count, vfloat v) {
  constexpr std::size_t width = kLanes;
  float padded[width];
  store(padded, v);
  for (Index i = 0; i < kLanes && i < count; ++i) y[i] = padded[i];
}

// y = f(x) for each vector of a row, the last one partial.
template <class F>
[[gnu::always_inline]] inline void for_row_vectors(const float* x, float* y, Index count,
                                                   float filler, F f) {
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(y + i, f(load(x + i)));
  }
  if (i < count) store_tail(y + i, count - i, f(load_tail(x + i, count - i, filler)));
}

[[gnu::noinline]] inline float row_max(const float* x, Index count) {
  if (count < kLanes) return horizontal_max(load_tail(x, count, -kInfinity));
  vfloat largest = load(x);
  Index i = kLanes;
  for (; i + kLanes <= count; i += kLanes) largest = max(largest, load(x + i));
  // The last full vector overlaps the one before, which a maximum does not mind.
  return horizontal_max(max(largest, load(x + count - kLanes)));
}

[[gnu::noinline]] inline void softmax_row(const float* x, Index count, float* y) {
  const float largest = row_max(x, count);
  vfloat sum = {};
  for_row_vectors(x, y, count, -kInfinity, [&](vfloat v) {
    const vfloat e = math::exp(v - largest);
    sum += e;
    return e;
  });
  const float factor = 1.0f / horizontal_sum(sum);
  for_row_vectors(y, y, count, 0.0f, [&](vfloat v) { return v * factor; });
}

// The logarithm of the sum of exp(x - largest).
[[gnu::always_inline]] inline float row_log_sum(const float* x, Index count, float largest) {
  vfloat sum = {};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) sum += math::exp(load(x + i) - largest);
  if (i < count) sum += math::exp(load_tail(x + i, count - i, -kInfinity) - largest);
  return math::log(horizontal_sum(sum));
}

[[gnu::noinline]] inline void log_softmax_row(const float* x, Index count, float* y) {
  const float largest = row_max(x, count), offset = row_log_sum(x, count, largest);
  for_row_vectors(x, y, count, 0.0f, [&](vfloat v) { return (v - largest) - offset; });
}

// As many slices side by side as V has lanes, `inner` floats from one element to the next.
template <bool LOGARITHM, class V>
[[gnu::always_inline]] inline void softmax_columns(const float* x, Index count, Index inner,
                                                   float* y) {
  V largest = load<V>(x);
  for (Index k = 1; k < count; ++k) largest = max(largest, load<V>(x + k * inner));
  V sum = {};
  for (Index k = 0; k < count; ++k) {
    const V shifted = load<V>(x + k * inner) - largest;
    const V e = math::exp(shifted);
    sum += e;
    store<V>(y + k * inner, LOGARITHM ? shifted : e);
  }
  const V last = LOGARITHM ? math::log(sum) : 1.0f / sum;
  for (Index k = 0; k < count; ++k) {
    const V v = load<V>(y + k * inner);
    store<V>(y + k * inner, LOGARITHM ? v - last : v * last);
  }
}

// `columns` slices side by side.
template <bool LOGARITHM>
[[gnu::noinline]] void softmax_plane(const float* x, Index count, Index inner, Index columns,
                                     float* y) {
  for_lanes(columns, [&](Index i, auto lane) {
    softmax_columns<LOGARITHM, decltype(lane)>(x + i, count, inner, y + i);
  });
}

// Rows shorter than a vector, as many side by side as there are lanes.
template <bool LOGARITHM>
[[gnu::always_inline]] inline void softmax_short_rows(const float* x, Index rows, Index count,
                                                      float* y) {
  constexpr std::size_t size = kLanes * kLanes;
  float columns[size] = {};
  for (Index r = 0; r < rows; r += kLanes, x += kLanes * count, y += kLanes * count) {
    const Index own = rows - r < kLanes ? rows - r : Index{kLanes};
    for (Index i = 0; i < own; ++i)
      for (Index k = 0; k < count; ++k) columns[k * kLanes + i] = x[i * count + k];
    softmax_columns<LOGARITHM, vfloat>(columns, count, kLanes, columns);
    for (Index i = 0; i < own; ++i)
      for (Index k = 0; k < count; ++k) y[i * count + k] = columns[k * kLanes + i];
  }
}

// Whether rows fill the lanes better side by side than one after the other.
template <class S>
constexpr bool has_short_rows(const S& s) {
  return kLanes > 1 && s.inner == 1 && s.axis < kLanes && s.outer >= kLanes;
}

// x, y: [outer, axis, inner], the same memory or not overlapping.  s: outer, axis, inner,
// logarithm. A slice of only minus infinities gives NaN, as the definition says. Divisible.
template <class S>
void softmax(S s, const float* x, float* y) {
  if (s.axis == 0) return;
  const Index groups = s.inner > 4 * kLanes ? s.inner / (4 * kLanes) : 1;
  const auto [own, own_groups] = chunk_grid(chunk_of(s), s.outer, 1, groups, 4 * kLanes);
  const Span inner = {own_groups.begin * 4 * kLanes,
                      own_groups.end == groups ? s.inner : own_groups.end * 4 * kLanes};
  if (has_short_rows(s)) {
    const Index at = own.begin * s.axis;
    s.logarithm ? softmax_short_rows<true>(x + at, own.size(), s.axis, y + at)
                : softmax_short_rows<false>(x + at, own.size(), s.axis, y + at);
    return;
  }
  for (Index o = own.begin; o < own.end && own_groups.size() > 0; ++o) {
    const Index at = o * s.axis * s.inner + inner.begin;
    if (s.inner == 1) {
      s.logarithm ? log_softmax_row(x + at, s.axis, y + at) : softmax_row(x + at, s.axis, y + at);
    } else if (s.logarithm) {
      softmax_plane<true>(x + at, s.axis, s.inner, inner.size(), y + at);
    } else {
      softmax_plane<false>(x + at, s.axis, s.inner, inner.size(), y + at);
    }
  }
}

}  // namespace onnxc
