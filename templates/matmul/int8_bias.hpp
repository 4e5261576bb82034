// int8_bias.hpp - what sums of products of 8-bit integers start from where only the input holds the
// zero point.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

// start[j] = bias[j] - zero * sums[j], wrapping; signed zero points count as unsigned ones, 128
// more. bias may be null. s: count.
template <class S, class T>
void int8_bias(S s, const T* zero, const std::int32_t* sums, const std::int32_t* bias,
               std::int32_t* start) {
  const int z = std::is_signed_v<T> ? *zero + 128 : *zero;
  for (Index j = 0; j < s.count; ++j) {
    const std::uint32_t off = static_cast<std::uint32_t>(z) * static_cast<std::uint32_t>(sums[j]);
    const std::uint32_t from = bias != nullptr ? static_cast<std::uint32_t>(bias[j]) : 0;
    start[j] = static_cast<std::int32_t>(from - off);
  }
}

}  // namespace onnxc
