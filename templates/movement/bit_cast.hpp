// bit_cast.hpp - the same bits as another type of the same width.
#pragma once

#include <cstring>
#include <type_traits>

#include "runtime_min/complex.hpp"
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

// The real part of a complex number is the low half of the bits, on every machine.
template <class T>
inline T swapped_halves(T x) {
  constexpr std::size_t half = sizeof(T) / 2;
  unsigned char from[sizeof(T)], to[sizeof(T)];
  std::memcpy(from, &x, sizeof x);
  for (std::size_t i = 0; i < sizeof x; ++i) to[i] = from[(i + half) % sizeof x];
  std::memcpy(&x, to, sizeof x);
  return x;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
constexpr bool kLowHalfIsFirst = false;
#else
constexpr bool kLowHalfIsFirst = true;
#endif

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
      if constexpr (kIsComplex<T> != kIsComplex<Y> && !kLowHalfIsFirst) y[i] = swapped_halves(y[i]);
    }
  }
}

}  // namespace onnxc
