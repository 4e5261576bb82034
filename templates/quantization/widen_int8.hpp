// widen_int8.hpp - vectors of 8-bit integers as 32-bit ones and as floats.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

typedef std::int32_t vint32 __attribute__((vector_size(4 * kLanes)));

// kLanes bytes from p on. By way of 16 bits: GCC 12 takes bytes to 32 bits one by one.
template <class B>
[[gnu::always_inline]] inline vint32 widen_int8(const B* p) {
  typedef B Bytes __attribute__((vector_size(kLanes)));
  typedef std::int16_t Halves __attribute__((vector_size(2 * kLanes)));
  Bytes bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return __builtin_convertvector(__builtin_convertvector(bytes, Halves), vint32);
}

template <class V = vfloat, class B>
[[gnu::always_inline]] inline V bytes_as_floats(const B* p) {
  if constexpr (lanes<V> == 1) {
    return static_cast<V>(*p);
  } else {
    return __builtin_convertvector(widen_int8(p), V);
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
    old += reinterpret_cast<bits_t<V>>(__builtin_convertvector(numbers, vint32));
  }
  std::memcpy(sums, &old, sizeof old);
}

}  // namespace onnxc
