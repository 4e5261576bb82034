// bit_cast.hpp - the same bits as another type of the same width.
#pragma once

#include <cstring>
#include <type_traits>

#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The width of a type that does not fill its byte, else 0.
template <class T>
constexpr int kNarrowBits = 0;
template <int kBits, class Byte>
constexpr int kNarrowBits<small_int<kBits, Byte>> = kBits;
template <>
constexpr int kNarrowBits<float4e2m1> = 4;

template <class Y, class T>
inline Y bit_cast_narrow(T x) {
  unsigned code;
  if constexpr (std::is_same_v<T, float4e2m1>)
    code = x.bits;
  else
    code = static_cast<unsigned>(x.value) & ((1u << kNarrowBits<T>)-1u);
  if constexpr (std::is_same_v<Y, float4e2m1>)
    return Y::from_bits(static_cast<std::uint8_t>(code));
  else
    return Y(code);
}

// x, y: [count].  s: count.
template <class S, class T, class Y>
void bit_cast(S s, const T* x, Y* y) {
  static_assert(sizeof(T) == sizeof(Y) && kNarrowBits<T> == kNarrowBits<Y>,
                "the types differ in width");
  for (Index i = 0; i < s.count; ++i) {
    if constexpr (kNarrowBits<T> != 0) {
      y[i] = bit_cast_narrow<Y>(x[i]);
    } else if constexpr (std::is_same_v<Y, bool>) {
      unsigned char byte;  // a bool may hold 0 and 1 only
      std::memcpy(&byte, x + i, 1);
      y[i] = byte != 0;
    } else {
      std::memcpy(y + i, x + i, sizeof(Y));
    }
  }
}

}  // namespace onnxc
