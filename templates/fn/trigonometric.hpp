// trigonometric.hpp - sine, cosine, tangent and their inverses.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "runtime_min/simd.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

// Whether the target has vectors of double: then sine and cosine of floats are computed in double,
// which leaves nothing but the last rounding. Not where scalars keep more bits than a double.
#if (defined(__SSE2__) || defined(__aarch64__) || defined(__VSX__)) && __FLT_EVAL_METHOD__ == 0
constexpr bool kDoubleVectors = true;
#else
constexpr bool kDoubleVectors = false;
#endif

namespace trigonometric_detail {

// The bits of 2^20. Above that the C library reduces arguments: their multiples of pi / 2 have more
// than 20 bits.
constexpr std::uint32_t kLargest = 0x49800000u;

// pi / 2 in two parts; the high one has 33 bits, so its products with such multiples are exact.
constexpr double kHalfPiHigh = 1.57079632673412561417;
constexpr double kHalfPiLow = 6.07710050650619224932e-11;
// Adding 1.5 * 2^52 leaves the nearest integer in the low bits of the sum.
constexpr double kRounding = 6755399441055744.0;

template <int N>
struct Doubles {
  using type = Vector<double, N>;
  using bits = Vector<std::uint64_t, N>;
};

// The sine of x + quarters * pi / 2, by Taylor's series on [-pi/4, pi/4]. B: the bits of D.
template <class B, class D>
[[gnu::always_inline]] inline D sine(D x, unsigned quarters) {
  const D shifted = x * 0.63661977236758134308 + kRounding;
  const D n = shifted - kRounding;
  const D r = (x - n * kHalfPiHigh) - n * kHalfPiLow, z = r * r;
  const D sine = r + r * z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880))));
  const D cosine =
      z * (z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 - z / 3628800.0))) - 0.5) + 1.0;
  B quarter, s, c;
  std::memcpy(&quarter, &shifted, sizeof quarter);
  std::memcpy(&s, &sine, sizeof s);
  std::memcpy(&c, &cosine, sizeof c);
  quarter += quarters;
  const B odd = B{} - (quarter & 1u);
  s = ((s & ~odd) | (c & odd)) ^ ((quarter & 2u) << 62);
  D result;
  std::memcpy(&result, &s, sizeof result);
  return result;
}

// Of floats of a size that `sine` takes, as doubles: half a register of them at a time.
template <class T>
[[gnu::always_inline]] inline T float_sine(T x, unsigned quarters) {
  if constexpr (lanes<T> == 1) {
    return static_cast<float>(sine<std::uint64_t>(static_cast<double>(x), quarters));
  } else {
    constexpr int half = lanes<T> / 2;
    using Floats = vec<half>;
    using Many = Doubles<half>;
    Floats parts[2];
    std::memcpy(parts, &x, sizeof x);
    for (Floats& part : parts) {
      const auto wide = convert_lanes<typename Many::type>(part);
      const auto result = sine<typename Many::bits>(wide, quarters);
      part = convert_lanes<Floats>(result);
    }
    std::memcpy(&x, parts, sizeof x);
    return x;
  }
}

// Whether no lane is above the largest argument, or NaN.
template <class T>
[[gnu::always_inline]] inline bool all_small(T x) {
  const auto magnitude = to_bits(x) & 0x7fffffffu;
  if constexpr (lanes<T> == 1) {
    return magnitude <= kLargest;
  } else {
    const T zero{}, one = broadcast<T>(1.0f);
    return horizontal_sum(magnitude <= kLargest ? zero : one) == 0.0f;
  }
}

}  // namespace trigonometric_detail

template <class T>
[[gnu::always_inline]] inline T sin(T x) {
  if constexpr (kDoubleVectors && !is_double<T>)
    if (trigonometric_detail::all_small(x)) return trigonometric_detail::float_sine(x, 0);
  return each_lane(x, [](auto v) { return std::sin(v); });
}

template <class T>
[[gnu::always_inline]] inline T cos(T x) {
  if constexpr (kDoubleVectors && !is_double<T>)
    if (trigonometric_detail::all_small(x)) return trigonometric_detail::float_sine(x, 1);
  return each_lane(x, [](auto v) { return std::cos(v); });
}

template <class T>
[[gnu::always_inline]] inline T tan(T x) {
  return each_lane(x, [](auto v) { return std::tan(v); });
}

template <class T>
[[gnu::always_inline]] inline T asin(T x) {
  return each_lane(x, [](auto v) { return std::asin(v); });
}

template <class T>
[[gnu::always_inline]] inline T acos(T x) {
  return each_lane(x, [](auto v) { return std::acos(v); });
}

template <class T>
[[gnu::always_inline]] inline T atan(T x) {
  return each_lane(x, [](auto v) { return std::atan(v); });
}

}  // namespace fn
}  // namespace onnxc
