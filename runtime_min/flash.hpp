// flash.hpp - reads of constants. On an AVR these are in a memory that loads of data do not reach,
// with addresses and an instruction of its own; elsewhere all loads are alike.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// p: of a constant of the model.
#if defined(__AVR__)
[[gnu::always_inline]] inline std::uint8_t next_flash_byte(const std::uint8_t*& p) {
  std::uint8_t byte;
  asm("lpm %0, %a1+" : "=r"(byte), "+z"(p));
  return byte;
}
[[gnu::always_inline]] inline std::uint16_t next_flash_word(const std::uint8_t*& p) {
  std::uint16_t word;
  asm("lpm %A0, %a1+\n\tlpm %B0, %a1+" : "=r"(word), "+z"(p));
  return word;
}
template <class T>
[[gnu::always_inline]] inline T constant_at(const T* p) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(p);
  if constexpr (sizeof(T) == 1) {
    return static_cast<T>(next_flash_byte(from));
  } else {
    std::uint16_t words[sizeof(T) / 2];
#pragma GCC unroll 4
    for (std::uint16_t& word : words) word = next_flash_word(from);
    T value;
    std::memcpy(&value, words, sizeof value);
    return value;
  }
}
#else
template <class T>
[[gnu::always_inline]] inline T constant_at(const T* p) {
  return *p;
}
#endif

// The same as a vector.
template <class V>
[[gnu::always_inline]] inline V load_constant(const float* p) {
  if constexpr (lanes<V> == 1) {
    return constant_at(p);
  } else {
    return load<V>(p);
  }
}

}  // namespace onnxc
