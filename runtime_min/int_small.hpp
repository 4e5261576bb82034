// int_small.hpp - the 4-bit and 2-bit integers, one element a byte.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

// The byte holds the value itself. The constructor keeps the lowest bits.
template <int kBits, class Byte>
struct small_int {
  static constexpr int kHighest = (1 << (kBits - (std::is_signed_v<Byte> ? 1 : 0))) - 1;
  static constexpr int kLowest = std::is_signed_v<Byte> ? -kHighest - 1 : 0;

  Byte value;

  small_int() = default;
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  explicit small_int(T x) : value(wrap(static_cast<unsigned>(x))) {}
  operator Byte() const { return value; }

 private:
  static Byte wrap(unsigned x) {
    constexpr unsigned kSign = std::is_signed_v<Byte> ? 1u << (kBits - 1) : 0u;
    const unsigned low = x & ((1u << kBits) - 1u);
    return static_cast<Byte>(static_cast<int>(low ^ kSign) - static_cast<int>(kSign));
  }
};

using int4 = small_int<4, std::int8_t>;
using uint4 = small_int<4, std::uint8_t>;
using int2 = small_int<2, std::int8_t>;
using uint2 = small_int<2, std::uint8_t>;

template <int kBits, class Byte>
struct compute<small_int<kBits, Byte>> {
  using type = Byte;
};

}  // namespace onnxc
