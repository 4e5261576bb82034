// binarize.hpp - one above a threshold, zero otherwise.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T binarize(T x, float threshold) {
  if constexpr (std::is_integral<T>::value) {
    constexpr float kMax = 9223372036854775808.0f;
    if (threshold < -kMax) return T(1);
    if (!(threshold < kMax)) return T(0);
    // The largest integer that is not above the threshold, without rounding x to a float.
    const auto whole = static_cast<std::int64_t>(threshold);
    const bool above = static_cast<float>(whole) > threshold;
    return T(static_cast<std::int64_t>(x) > whole - (above ? 1 : 0) ? 1 : 0);
  } else if constexpr (std::is_floating_point<T>::value) {
    return x > static_cast<T>(threshold) ? T(1) : T(0);
  } else {
    return select(greater_than(x, threshold), broadcast<T>(1.0f), broadcast<T>(0.0f));
  }
}

}  // namespace fn
}  // namespace onnxc
