// simd_int8_words.hpp - four bytes at a time in a general register, for Arm cores with the DSP
// extension and without vectors.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/simd.hpp"

namespace onnxc {

#if defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
constexpr bool kBytesInWords = kLanes == 1;

// The larger one of each of the four bytes of a and b.
template <class T>
[[gnu::always_inline]] inline std::uint32_t larger_bytes(std::uint32_t a, std::uint32_t b) {
  std::uint32_t larger;
  if constexpr (std::is_signed_v<T>) {
    asm("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(larger) : "r"(a), "r"(b) : "cc");
  } else {
    asm("usub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(larger) : "r"(a), "r"(b) : "cc");
  }
  return larger;
}

// Adds the bytes 0 and 2 to the halves of `even`, and 1 and 3 to those of `odd`.
template <class T>
[[gnu::always_inline]] inline void add_to_halves(std::uint32_t& even, std::uint32_t& odd,
                                                 std::uint32_t bytes) {
  if constexpr (std::is_signed_v<T>) {
    asm("sxtab16 %0, %0, %1" : "+r"(even) : "r"(bytes));
    asm("sxtab16 %0, %0, %1, ror #8" : "+r"(odd) : "r"(bytes));
  } else {
    asm("uxtab16 %0, %0, %1" : "+r"(even) : "r"(bytes));
    asm("uxtab16 %0, %0, %1, ror #8" : "+r"(odd) : "r"(bytes));
  }
}
#else
constexpr bool kBytesInWords = false;
template <class T>
std::uint32_t larger_bytes(std::uint32_t a, std::uint32_t b);
template <class T>
void add_to_halves(std::uint32_t& even, std::uint32_t& odd, std::uint32_t bytes);
#endif

}  // namespace onnxc
