// widen_int8.hpp - vectors of 8-bit integers as 32-bit ones and as floats.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

using vint32 = Vector<std::int32_t, kLanes>;

// kLanes bytes from p on. By way of 16 bits: GCC 12 takes bytes to 32 bits one by one.
template <class B>
[[gnu::always_inline]] inline vint32 widen_int8(const B* p) {
  Vector<B, kLanes> bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return convert_lanes<vint32>(convert_lanes<Vector<std::int16_t, kLanes>>(bytes));
}

template <class V = vfloat, class B>
[[gnu::always_inline]] inline V bytes_as_floats(const B* p) {
  if constexpr (lanes<V> == 1) {
    return static_cast<V>(*p);
  } else {
    return convert_lanes<V>(widen_int8(p));
  }
}

// Adds integers; overflow of 32 bits wraps.
template <class V>
[[gnu::always_inline]] inline void add_as_integers(V numbers, std::int32_t* sums) {
  bits_t<V> old;
  std::memcpy(&old, sums, sizeof old);
  if constexpr (lanes<V> == 1) {
    old += static_cast<bits_t<V>>(static_cast<std::int32_t>(numbers));
  } else {
    old += same_bits<bits_t<V>>(convert_lanes<vint32>(numbers));
  }
  std::memcpy(sums, &old, sizeof old);
}

}  // namespace onnxc
