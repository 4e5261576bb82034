// resize_axis.hpp - interpolation along one axis at a time: tables of taps and weights, and their
// application.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/complex.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Numbered as by the compiler.
struct ResizeMode {
  enum Filter : Index { kNearest, kLinear, kCubic };
  enum Coordinates : Index {
    kHalfPixel,
    kHalfPixelSymmetric,
    kPytorchHalfPixel,
    kAlignCorners,
    kAsymmetric,
    kTfCropAndResize,
    kTfHalfPixelForNn
  };
  // kByScale is version 10: up when the axis shrinks, else down.
  enum Nearest : Index { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil, kByScale };
};

// The coordinate in the input that output position o comes from.  s: in, out, coordinates.
template <class S>
float resize_coordinate(const S& s, Index o, float scale, float start, float end) {
  const float x = static_cast<float>(o), in = static_cast<float>(s.in);
  const float exact = scale * in, last = static_cast<float>(s.out - 1);
  switch (s.coordinates) {
    case ResizeMode::kHalfPixel:
      return (x + 0.5f) / scale - 0.5f;
    case ResizeMode::kHalfPixelSymmetric:
      return in / 2.0f * (1.0f - static_cast<float>(s.out) / exact) + (x + 0.5f) / scale - 0.5f;
    case ResizeMode::kPytorchHalfPixel:
      return s.out > 1 ? (x + 0.5f) / scale - 0.5f : 0.0f;
    case ResizeMode::kAlignCorners:
      return s.out > 1 ? x * (in - 1.0f) / last : 0.0f;
    case ResizeMode::kAsymmetric:
      return x / scale;
    case ResizeMode::kTfHalfPixelForNn:
      return (x + 0.5f) / scale;
    default:
      return s.out > 1 ? start * (in - 1.0f) + x * (end - start) * (in - 1.0f) / last
                       : 0.5f * (start + end) * (in - 1.0f);
  }
}

inline float cubic_weight(float distance, float a) {
  const float d = std::abs(distance);
  if (d < 1.0f) return ((a + 2.0f) * d - (a + 3.0f)) * d * d + 1.0f;
  if (d < 2.0f) return (((d - 5.0f) * d + 8.0f) * d - 4.0f) * a;
  return 0.0f;
}

// Whether the position after `base`, at distance `ratio` in (0, 1] behind the coordinate, is
// nearer.
inline bool nearest_is_next(Index rule, float ratio, float scale) {
  if (ratio == 1.0f) return true;
  switch (rule) {
    case ResizeMode::kRoundPreferFloor:
      return ratio > 0.5f;
    case ResizeMode::kRoundPreferCeil:
      return ratio >= 0.5f;
    case ResizeMode::kFloor:
      return false;
    case ResizeMode::kByScale:
      return scale < 1.0f;
    default:
      return true;
  }
}

inline Index clamp_index(float v, Index count) {
  return v <= 0.0f ? 0 : v >= static_cast<float>(count - 1) ? count - 1 : static_cast<Index>(v);
}

// Weights of taps first .. first + count behind the position below the coordinate.
template <class S>
void resize_weights(const S& s, float ratio, float shrink, Index first, Index count, float base,
                    float* weights) {
  const auto weight = [&](Index k) {
    const float position = static_cast<float>(first + k);
    if (s.exclude_outside &&
        (base + position < 0.0f || base + position > static_cast<float>(s.in - 1)))
      return 0.0f;
    const float distance = (position - ratio) * shrink;
    if (s.filter == ResizeMode::kCubic)
      return cubic_weight(distance, static_cast<float>(s.cubic_a));
    const float w = 1.0f - std::abs(distance);
    return w > 0.0f ? w : 0.0f;
  };
  float sum = 0.0f;
  for (Index k = 0; k < count; ++k) sum += weight(k);
  const float norm = (s.antialias || s.exclude_outside) && sum != 0.0f ? sum : 1.0f;
  for (Index k = 0; k < count; ++k) weights[k] = weight(k) / norm;
}

// The taps of a filter around a coordinate: `count` positions from `first` on, relative to the
// position below it. shrink: below 1, the filter is widened for antialiasing.
struct ResizeTaps {
  float shrink;
  Index first, count;
};

template <class S>
ResizeTaps resize_taps(const S& s, float scale) {
  const float shrink = s.antialias && scale < 1.0f ? scale : 1.0f;
  const float support = s.filter == ResizeMode::kCubic ? 2.0f : 1.0f;
  const Index first = static_cast<Index>(std::floor(-support / shrink)) + 1;
  return {shrink, first, s.filter == ResizeMode::kNearest ? 1 : 2 - 2 * first};
}

// Taps and weights of the output with coordinate x; unused ones stay as they are.
template <class S>
void resize_row(const S& s, const ResizeTaps& taps, float x, float scale, std::int64_t* tap,
                float* weight) {
  // The position below, or one less for a whole coordinate.
  const float base = std::ceil(x) - 1.0f;
  if (s.filter == ResizeMode::kNearest) {
    tap[0] = clamp_index(base + (nearest_is_next(s.nearest, x - base, scale) ? 1.0f : 0.0f), s.in);
    weight[0] = 1.0f;
    return;
  }
  for (Index k = 0; k < taps.count; ++k)
    tap[k] = clamp_index(base + static_cast<float>(taps.first + k), s.in);
  resize_weights(s, x - base, taps.shrink, taps.first, taps.count, base, weight);
}

// Fills the tables of one axis: taps[out][most_taps] positions in the input, weights as many;
// unused taps weigh nothing. An output outside of the input that takes the extrapolation value has
// first tap -1. The scale is read from scales[scale_at] when not null, the region from
// roi[roi_start] and roi[roi_end]; bad ones give bad_value or bad_shape.
// s: in, out, most_taps, filter, coordinates, nearest, antialias, exclude_outside, cubic_a, scale,
// scale_at, checked (out must be what the scale gives), roi_start, roi_end, roi_from, roi_to (when
// roi is null).
template <class S, class R>
Status resize_table(S s, const float* scales, const R* roi, std::int64_t* taps, float* weights) {
  const float scale = static_cast<float>(scales != nullptr ? scales[s.scale_at] : s.scale);
  if (!(scale > 0.0f) || !(scale < 1e9f)) return Status::bad_value;
  if (s.checked && std::floor(scale * static_cast<float>(s.in)) != static_cast<float>(s.out))
    return Status::bad_shape;
  if (s.in == 0 && s.out != 0) return Status::bad_shape;
  const float start =
      roi != nullptr ? static_cast<float>(roi[s.roi_start]) : static_cast<float>(s.roi_from);
  const float end =
      roi != nullptr ? static_cast<float>(roi[s.roi_end]) : static_cast<float>(s.roi_to);
  const ResizeTaps filter = resize_taps(s, scale);
  if (filter.count > s.most_taps) return Status::bad_shape;
  const Index entries = s.out * s.most_taps;
  for (Index i = 0; i < entries; ++i) taps[i] = 0;
  for (Index i = 0; i < entries; ++i) weights[i] = 0.0f;
  for (Index o = 0; o < s.out; ++o, taps += s.most_taps, weights += s.most_taps) {
    const float x = resize_coordinate(s, o, scale, start, end);
    if (x != x) return Status::bad_value;
    if (s.coordinates == ResizeMode::kTfCropAndResize &&
        !(x >= 0.0f && x <= static_cast<float>(s.in - 1)))
      taps[0] = -1;
    else
      resize_row(s, filter, x, scale, taps, weights);
  }
  return Status::ok;
}

// Converts an interpolated value to the element type: rounded and saturated for integers.
template <class T, class A>
T resize_result(A v) {
  if constexpr (kIsComplex<T> && !kIsComplex<A>) {
    return {v, A{}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return v != A{};
  } else if constexpr (std::is_integral_v<T>) {
    constexpr A low = static_cast<A>(std::numeric_limits<T>::min());
    constexpr A high = static_cast<A>(std::numeric_limits<T>::max());
    if (!(v > low)) return std::numeric_limits<T>::min();
    return v >= high ? std::numeric_limits<T>::max() : static_cast<T>(v);
  } else if constexpr (std::is_integral_v<compute_t<T>>) {
    if (!(v > static_cast<A>(T::kLowest))) return T(T::kLowest);
    return v >= static_cast<A>(T::kHighest) ? T(T::kHighest) : T(static_cast<int>(v));
  } else {
    return static_cast<T>(v);
  }
}

// Strings are only moved.
template <class T>
constexpr bool kIsSummed = std::is_arithmetic_v<compute_t<T>> || kIsComplex<T>;

// The type of coordinates and weights, and that of weighted elements.
template <class T>
using resize_sum =
    std::conditional_t<std::is_floating_point_v<real_t<compute_t<T>>>, real_t<compute_t<T>>, float>;
template <class T, class A>
using resize_element = std::conditional_t<kIsComplex<T>, complex_number<A>, A>;

// x: [outer, in, inner], y: [outer, out, inner].  s: outer, in, out, inner, most_taps,
// extrapolation.
template <class S, class T, class Y>
void resize_axis(S s, const T* x, const std::int64_t* taps, const float* weights, Y* y) {
  using A = resize_sum<std::conditional_t<std::is_same_v<Y, double>, double, T>>;
  using E = resize_element<T, A>;
  const Y outside = resize_result<Y>(static_cast<A>(s.extrapolation));
  for (Index o = 0; o < s.outer; ++o, x += s.in * s.inner) {
    for (Index i = 0; i < s.out; ++i, y += s.inner) {
      const std::int64_t* tap = taps + i * s.most_taps;
      const float* weight = weights + i * s.most_taps;
      Index j = 0;
      if constexpr (std::is_same_v<T, float> && std::is_same_v<Y, float>) {
        for (; tap[0] >= 0 && j + kLanes <= s.inner; j += kLanes) {
          vfloat sum{};
          for (Index k = 0; k < s.most_taps; ++k)
            sum += load(x + static_cast<Index>(tap[k]) * s.inner + j) * weight[k];
          store(y + j, sum);
        }
      }
      for (; j < s.inner; ++j) {
        E sum{};
        for (Index k = 0; tap[0] >= 0 && k < s.most_taps; ++k)
          sum = sum + static_cast<A>(weight[k]) * static_cast<E>(static_cast<compute_t<T>>(
                                                      x[static_cast<Index>(tap[k]) * s.inner + j]));
        y[j] = tap[0] >= 0 ? resize_result<Y>(sum) : outside;
      }
    }
  }
}

// The value outside of the input; empty for strings.
template <class T>
T resize_outside(float value) {
  if constexpr (kIsSummed<T>)
    return resize_result<T>(static_cast<resize_sum<T>>(value));
  else
    return T{};
}

// Nearest neighbours along one axis: copies, so that every element stays as it is.
template <class S, class T>
void resize_axis_nearest(S s, const T* x, const std::int64_t* taps, T* y) {
  const T outside = resize_outside<T>(s.extrapolation);
  for (Index o = 0; o < s.outer; ++o, x += s.in * s.inner) {
    for (Index i = 0; i < s.out; ++i, y += s.inner) {
      const Index tap = static_cast<Index>(taps[i]);
      for (Index j = 0; j < s.inner; ++j) y[j] = tap >= 0 ? x[tap * s.inner + j] : outside;
    }
  }
}

// The extents that scales lead to.  s: count, in[count].
template <class S>
Status resize_scaled_extents(S s, const float* scales, Index* extents) {
  for (Index i = 0; i < s.count; ++i) {
    if (!(scales[i] > 0.0f)) return Status::bad_value;
    const float out = std::floor(scales[i] * static_cast<float>(s.in[i]));
    if (!(out < static_cast<float>(1 << 30))) return Status::bad_value;
    extents[i] = static_cast<Index>(out);
  }
  return Status::ok;
}

// Those that sizes lead to; with policy 1 (not larger) or 2 (not smaller) one scale for all.
// s: count, in[count], policy.
template <class S>
Status resize_sized_extents(S s, const std::int64_t* sizes, Index* extents) {
  float common = 0.0f;
  for (Index i = 0; i < s.count; ++i) {
    if (sizes[i] <= 0 || sizes[i] >= (1 << 30) || s.in[i] == 0) return Status::bad_value;
    extents[i] = static_cast<Index>(sizes[i]);
    const float scale = static_cast<float>(sizes[i]) / static_cast<float>(s.in[i]);
    if (i == 0 || (s.policy == 1 ? scale < common : scale > common)) common = scale;
  }
  for (Index i = 0; s.policy != 0 && i < s.count; ++i) {
    const float out = std::floor(common * static_cast<float>(s.in[i]) + 0.5f);
    if (!(out < static_cast<float>(1 << 30))) return Status::bad_value;
    extents[i] = static_cast<Index>(out);
  }
  return Status::ok;
}

// The scales that the sizes ask for: one an axis, or with policy 1 (not larger) or 2 (not smaller)
// the same for all. s: count, in[count], out[count], policy. An error when the sizes do not lead to
// `out`.
template <class S>
Status resize_scales(S s, const std::int64_t* sizes, float* scales) {
  float common = 0.0f;
  for (Index i = 0; i < s.count; ++i) {
    if (sizes[i] <= 0) return Status::bad_value;
    scales[i] = static_cast<float>(sizes[i]) / static_cast<float>(s.in[i]);
    const bool better = s.policy == 1 ? scales[i] < common : scales[i] > common;
    if (i == 0 || better) common = scales[i];
  }
  for (Index i = 0; i < s.count; ++i) {
    const float rounded = std::floor(common * static_cast<float>(s.in[i]) + 0.5f);
    if (s.policy == 0 ? sizes[i] != s.out[i] : rounded != static_cast<float>(s.out[i]))
      return Status::bad_shape;
    if (s.policy != 0) scales[i] = common;
  }
  return Status::ok;
}

// The derivative of resize_axis by its data. dy: [outer, out, inner], weights: null for the nearest
// neighbour, dx: [outer, in, inner].  s: outer, in, out, inner, most_taps. Divisible.
template <class S, class T>
void resize_axis_grad(S s, const T* dy, const std::int64_t* taps, const float* weights, T* dx) {
  using A = compute_t<T>;
  const Span own = chunk_range(s, s.outer);
  for (Index o = own.begin; o < own.end; ++o) {
    T* const to = dx + o * s.in * s.inner;
    for (Index i = 0; i < s.in * s.inner; ++i) to[i] = static_cast<T>(0.0f);
    for (Index i = 0; i < s.out; ++i) {
      const T* const from = dy + (o * s.out + i) * s.inner;
      const std::int64_t* tap = taps + i * s.most_taps;
      for (Index k = 0; tap[0] >= 0 && k < s.most_taps; ++k) {
        T* const row = to + static_cast<Index>(tap[k]) * s.inner;
        const A weight = weights != nullptr ? static_cast<A>(weights[i * s.most_taps + k]) : A{1};
        for (Index j = 0; j < s.inner; ++j)
          row[j] = static_cast<T>(static_cast<A>(row[j]) + weight * static_cast<A>(from[j]));
      }
    }
  }
}

}  // namespace onnxc
