// range.hpp - an arithmetic sequence.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The number of elements before `limit`.
template <class T>
Status range_extents(const T* start, const T* limit, const T* delta, Index* extents) {
  using C = compute_t<T>;
  const C first = static_cast<C>(*start), end = static_cast<C>(*limit),
          step = static_cast<C>(*delta);
  if constexpr (std::is_integral_v<C>) {
    if (step == 0) return Status::bad_value;
    const bool up = step > 0;
    // Differences of 64-bit integers fit their unsigned type.
    const auto wide = [](C v) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)); };
    const std::uint64_t span = up ? wide(end) - wide(first) : wide(first) - wide(end);
    const std::uint64_t size = up ? wide(step) : std::uint64_t{0} - wide(step);
    const bool none = up ? end <= first : end >= first;
    const std::uint64_t count = none ? 0 : (span - 1) / size + 1;
    if (count > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
      return Status::bad_shape;
    extents[0] = static_cast<Index>(count);
  } else {
    const C count = std::ceil((end - first) / step);
    if (step == C{} || !(count < static_cast<C>(1 << 30))) return Status::bad_value;
    extents[0] = count > C{} ? static_cast<Index>(count) : 0;
  }
  return Status::ok;
}

// start, delta: [1]. y: [count].  s: count.
template <class S, class T>
void range(S s, const T* start, const T* delta, T* y) {
  using C = compute_t<T>;
  const C first = static_cast<C>(*start), step = static_cast<C>(*delta);
  for (Index i = 0; i < s.count; ++i) {
    if constexpr (std::is_integral_v<C>) {
      using W = wrap_t<C>;
      y[i] = static_cast<T>(static_cast<W>(first) + static_cast<W>(i) * static_cast<W>(step));
    } else {
      y[i] = static_cast<T>(first + static_cast<C>(i) * step);
    }
  }
}

}  // namespace onnxc
