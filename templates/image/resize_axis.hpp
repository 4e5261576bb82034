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

// A scale as a fraction, up / down.
struct ResizeScale {
  std::int64_t up, down;
};

// The first convergent that is v as a float, so that 0.33333334 is a third. v: above 0 and below
// 2^30.
inline ResizeScale resize_scale_of(float v) {
  double whole = static_cast<double>(v), power = 1.0;
  for (; whole < 8388608.0; whole *= 2.0) power *= 2.0;
  if (power > 0x1p60) return {1, std::int64_t{1} << 60};
  std::int64_t number = static_cast<std::int64_t>(whole), of = static_cast<std::int64_t>(power);
  ResizeScale last{0, 1}, found{1, 0};
  while (of != 0) {
    const std::int64_t times = number / of, rest = number % of;
    const ResizeScale next{times * found.up + last.up, times * found.down + last.down};
    last = found;
    found = next;
    const double up = static_cast<double>(found.up), down = static_cast<double>(found.down);
    if (2.0 * std::abs(up * power - whole * down) <= down) break;
    number = of;
    of = rest;
  }
  return found;
}

inline bool resize_is_less(ResizeScale a, ResizeScale b) { return a.up * b.down < b.up * a.down; }

// count * scale, ties up.
inline std::int64_t resize_rounded(ResizeScale scale, std::int64_t count) {
  return (2 * scale.up * count + scale.down) / (2 * scale.down);
}

// A coordinate in the input: `ratio`, in (0, 1], after the position `below`. half: the sign of
// ratio - 1/2, whole: whether ratio is 1, both exact.
struct ResizePoint {
  std::int64_t below;
  float ratio;
  int half;
  bool whole;
};

// The coordinate number / of. Integers, as in floats the smallest error takes an exact half to the
// other neighbour.
inline ResizePoint resize_point(std::int64_t number, std::int64_t of) {
  std::int64_t below = number / of, rest = number % of;
  if (rest <= 0) {
    rest += of;
    --below;
  }
  return {below, static_cast<float>(rest) / static_cast<float>(of),
          rest > of - rest    ? 1
          : rest == of - rest ? 0
                              : -1,
          rest == of};
}

// The coordinate that output position o comes from.  s: in, out, coordinates.
template <class S>
ResizePoint resize_coordinate(const S& s, std::int64_t o, ResizeScale scale) {
  const std::int64_t up = scale.up, down = scale.down, in = s.in, out = s.out, centre = 2 * o + 1;
  switch (s.coordinates) {
    case ResizeMode::kHalfPixelSymmetric:
      return resize_point((in - 1) * up + (centre - out) * down, 2 * up);
    case ResizeMode::kPytorchHalfPixel:
      return out > 1 ? resize_point(centre * down - up, 2 * up) : resize_point(0, 1);
    case ResizeMode::kAlignCorners:
      return out > 1 ? resize_point(o * (in - 1), out - 1) : resize_point(0, 1);
    case ResizeMode::kAsymmetric:
      return resize_point(o * down, up);
    case ResizeMode::kTfHalfPixelForNn:
      return resize_point(centre * down, 2 * up);
    default:
      return resize_point(centre * down - up, 2 * up);
  }
}

// The same in the region from `start` to `end`, parts of the input.
template <class S>
double resize_region_coordinate(const S& s, Index o, float start, float end) {
  const double last = static_cast<double>(s.in - 1), from = static_cast<double>(start),
               to = static_cast<double>(end);
  if (s.out <= 1) return 0.5 * (from + to) * last;
  const double x = static_cast<double>(o), rest = static_cast<double>(s.out - 1 - o);
  return (from * rest + to * x) * last / (rest + x);
}

inline ResizePoint resize_point_of(double x) {
  const double below = std::ceil(x) - 1.0, ratio = x - below;
  return {static_cast<std::int64_t>(below), static_cast<float>(ratio),
          ratio > 0.5   ? 1
          : ratio < 0.5 ? -1
                        : 0,
          ratio >= 1.0};
}

inline float cubic_weight(float distance, float a) {
  const float d = std::abs(distance);
  if (d < 1.0f) return ((a + 2.0f) * d - (a + 3.0f)) * d * d + 1.0f;
  if (d < 2.0f) return (((d - 5.0f) * d + 8.0f) * d - 4.0f) * a;
  return 0.0f;
}

// Whether the position after the one below is nearer.
inline bool nearest_is_next(Index rule, const ResizePoint& x, bool shrinks) {
  if (x.whole) return true;
  switch (rule) {
    case ResizeMode::kRoundPreferFloor:
      return x.half > 0;
    case ResizeMode::kRoundPreferCeil:
      return x.half >= 0;
    case ResizeMode::kFloor:
      return false;
    case ResizeMode::kByScale:
      return shrinks;
    default:
      return true;
  }
}

inline std::int64_t clamp_index(std::int64_t v, Index count) {
  return v <= 0 ? 0 : v >= count - 1 ? count - 1 : v;
}

// Weights of taps first .. first + count after the position below the coordinate.
template <class S>
void resize_weights(const S& s, const ResizePoint& x, float shrink, Index first, Index count,
                    float* weights) {
  const auto weight = [&](Index k) {
    const std::int64_t at = x.below + first + k;
    if (s.exclude_outside && (at < 0 || at >= s.in)) return 0.0f;
    const float distance = (static_cast<float>(first + k) - x.ratio) * shrink;
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
ResizeTaps resize_taps(const S& s, ResizeScale scale) {
  const bool wide = s.antialias && scale.up < scale.down;
  const std::int64_t support = s.filter == ResizeMode::kCubic ? 2 : 1;
  const std::int64_t side = wide ? (support * scale.down + scale.up - 1) / scale.up : support;
  return {wide ? static_cast<float>(scale.up) / static_cast<float>(scale.down) : 1.0f,
          static_cast<Index>(1 - side),
          s.filter == ResizeMode::kNearest ? 1 : static_cast<Index>(2 * side)};
}

// Taps and weights of the output with coordinate x; unused ones stay as they are.
template <class S>
void resize_row(const S& s, const ResizeTaps& taps, const ResizePoint& x, ResizeScale scale,
                std::int64_t* tap, float* weight) {
  if (s.filter == ResizeMode::kNearest) {
    const bool next = nearest_is_next(s.nearest, x, scale.up < scale.down);
    tap[0] = clamp_index(x.below + (next ? 1 : 0), s.in);
    weight[0] = 1.0f;
    return;
  }
  for (Index k = 0; k < taps.count; ++k) tap[k] = clamp_index(x.below + taps.first + k, s.in);
  resize_weights(s, x, taps.shrink, taps.first, taps.count, weight);
}

// The rows of a table for the region from `start` to `end`. What is outside of the input takes the
// extrapolation value.
template <class S>
Status resize_region_rows(const S& s, const ResizeTaps& filter, ResizeScale scale, float start,
                          float end, std::int64_t* taps, float* weights) {
  for (Index o = 0; o < s.out; ++o, taps += s.max_taps, weights += s.max_taps) {
    const double x = resize_region_coordinate(s, o, start, end);
    if (x != x) return Status::bad_value;
    if (x >= 0.0 && x <= static_cast<double>(s.in - 1))
      resize_row(s, filter, resize_point_of(x), scale, taps, weights);
    else
      taps[0] = -1;
  }
  return Status::ok;
}

// The scale of an axis: from a list of floats, or of fractions of sizes, or a constant; up is 0
// where it is none.  s: axis, up, down.
template <class S>
ResizeScale resize_scale_at(const S& s, const std::int64_t* scales) {
  return {scales[2 * s.axis], scales[2 * s.axis + 1]};
}
template <class S>
ResizeScale resize_scale_at(const S& s, const float* scales) {
  if (scales == nullptr) return {s.up, s.down};
  const float v = scales[s.axis];
  return v > 0.0f && v < 1e9f ? resize_scale_of(v) : ResizeScale{0, 1};
}

// Whether a scale that is given as a float leads to the extents.
template <class S>
bool resize_scale_fits(const S& s, ResizeScale scale) {
  const float v =
      static_cast<float>(static_cast<double>(scale.up) / static_cast<double>(scale.down));
  return !s.checked || std::floor(v * static_cast<float>(s.in)) == static_cast<float>(s.out);
}

// Fills the tables of one axis: taps[out][max_taps] positions in the input, weights as many;
// unused taps weigh nothing. An output outside of the input that takes the extrapolation value has
// first tap -1. The scale is that of entry `axis` in scales, floats or fractions, or up / down
// where they are null. The region comes from roi[axis] and roi[roi_end]; bad ones give bad_value or
// bad_shape.
// s: in, out, max_taps, filter, coordinates, nearest, antialias, exclude_outside, cubic_a, up,
// down, axis, checked (out must be what the scale gives), roi_end, roi_from, roi_to (when roi is
// null).
template <class S, class Q, class R>
Status resize_table(S s, const Q* scales, const R* roi, std::int64_t* taps, float* weights) {
  const ResizeScale scale = resize_scale_at(s, scales);
  if (scale.up <= 0 || scale.down <= 0) return Status::bad_value;
  if (!resize_scale_fits(s, scale)) return Status::bad_shape;
  if (s.out == 0) return Status::ok;
  if (s.in == 0) return Status::bad_shape;
  const ResizeTaps filter = resize_taps(s, scale);
  if (filter.count > s.max_taps) return Status::bad_shape;
  const Index entries = s.out * s.max_taps;
  for (Index i = 0; i < entries; ++i) taps[i] = 0;
  for (Index i = 0; i < entries; ++i) weights[i] = 0.0f;
  if (s.coordinates == ResizeMode::kTfCropAndResize) {
    const float start =
        roi != nullptr ? static_cast<float>(roi[s.axis]) : static_cast<float>(s.roi_from);
    const float end =
        roi != nullptr ? static_cast<float>(roi[s.roi_end]) : static_cast<float>(s.roi_to);
    return resize_region_rows(s, filter, scale, start, end, taps, weights);
  }
  for (Index o = 0; o < s.out; ++o, taps += s.max_taps, weights += s.max_taps)
    resize_row(s, filter, resize_coordinate(s, o, scale), scale, taps, weights);
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

// x: [outer, in, inner], y: [outer, out, inner].  s: outer, in, out, inner, max_taps,
// extrapolation.
template <class S, class T, class Y>
void resize_axis(S s, const T* x, const std::int64_t* taps, const float* weights, Y* y) {
  using A = resize_sum<std::conditional_t<std::is_same_v<Y, double>, double, T>>;
  using E = resize_element<T, A>;
  const Y outside = resize_result<Y>(static_cast<A>(s.extrapolation));
  for (Index o = 0; o < s.outer; ++o, x += s.in * s.inner) {
    for (Index i = 0; i < s.out; ++i, y += s.inner) {
      const std::int64_t* tap = taps + i * s.max_taps;
      const float* weight = weights + i * s.max_taps;
      Index j = 0;
      if constexpr (std::is_same_v<T, float> && std::is_same_v<Y, float>) {
        for (; tap[0] >= 0 && j + kLanes <= s.inner; j += kLanes) {
          vfloat sum{};
          for (Index k = 0; k < s.max_taps; ++k)
            sum += load(x + static_cast<Index>(tap[k]) * s.inner + j) * weight[k];
          store(y + j, sum);
        }
      }
      for (; j < s.inner; ++j) {
        E sum{};
        for (Index k = 0; tap[0] >= 0 && k < s.max_taps; ++k)
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

// The one scale of all axes with policy 1 (not larger) or 2 (not smaller).  s: count, in, policy.
template <class S>
ResizeScale resize_common_scale(const S& s, const std::int64_t* sizes) {
  ResizeScale common{sizes[0], s.in[0]};
  for (Index i = 1; i < s.count; ++i) {
    const ResizeScale own{sizes[i], s.in[i]};
    if (s.policy == 1 ? resize_is_less(own, common) : resize_is_less(common, own)) common = own;
  }
  return common;
}

// Those that sizes lead to.  s: count, in[count], policy.
template <class S>
Status resize_sized_extents(S s, const std::int64_t* sizes, Index* extents) {
  for (Index i = 0; i < s.count; ++i) {
    if (sizes[i] <= 0 || sizes[i] >= (1 << 30) || s.in[i] == 0) return Status::bad_value;
    extents[i] = static_cast<Index>(sizes[i]);
  }
  if (s.policy == 0 || s.count == 0) return Status::ok;
  const ResizeScale common = resize_common_scale(s, sizes);
  for (Index i = 0; i < s.count; ++i) {
    const std::int64_t out = resize_rounded(common, s.in[i]);
    if (out >= (1 << 30)) return Status::bad_value;
    extents[i] = static_cast<Index>(out);
  }
  return Status::ok;
}

// The scales that the sizes ask for, fractions of two integers: one an axis, or with a policy the
// same for all. s: count, in[count], out[count], policy. An error when the sizes do not lead to
// `out`.
template <class S>
Status resize_scales(S s, const std::int64_t* sizes, std::int64_t* scales) {
  for (Index i = 0; i < s.count; ++i)
    if (sizes[i] <= 0 || sizes[i] >= (1 << 30) || s.in[i] == 0) return Status::bad_value;
  if (s.count == 0) return Status::ok;
  const ResizeScale common = resize_common_scale(s, sizes);
  for (Index i = 0; i < s.count; ++i) {
    const ResizeScale own = s.policy == 0 ? ResizeScale{sizes[i], s.in[i]} : common;
    if (resize_rounded(own, s.in[i]) != s.out[i]) return Status::bad_shape;
    scales[2 * i] = own.up;
    scales[2 * i + 1] = own.down;
  }
  return Status::ok;
}

// The derivative of resize_axis by its data. dy: [outer, out, inner], weights: null for the nearest
// neighbour, dx: [outer, in, inner].  s: outer, in, out, inner, max_taps. Divisible.
template <class S, class T>
void resize_axis_grad(S s, const T* dy, const std::int64_t* taps, const float* weights, T* dx) {
  using A = compute_t<T>;
  const Span own = chunk_range(s, s.outer);
  for (Index o = own.begin; o < own.end; ++o) {
    T* const to = dx + o * s.in * s.inner;
    for (Index i = 0; i < s.in * s.inner; ++i) to[i] = static_cast<T>(0.0f);
    for (Index i = 0; i < s.out; ++i) {
      const T* const from = dy + (o * s.out + i) * s.inner;
      const std::int64_t* tap = taps + i * s.max_taps;
      for (Index k = 0; tap[0] >= 0 && k < s.max_taps; ++k) {
        T* const row = to + static_cast<Index>(tap[k]) * s.inner;
        const A weight = weights != nullptr ? static_cast<A>(weights[i * s.max_taps + k]) : A{1};
        for (Index j = 0; j < s.inner; ++j)
          row[j] = static_cast<T>(static_cast<A>(row[j]) + weight * static_cast<A>(from[j]));
      }
    }
  }
}

}  // namespace onnxc
