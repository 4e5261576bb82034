// wide_sum.hpp - sums of integers in 128 bits, for results that fit where a sum does not. Two
// words, as 32-bit targets have no wider type.
#pragma once

#include <cstdint>
#include <type_traits>

namespace onnxc {

// In two's complement where the numbers are signed.
struct WideSum {
  std::uint64_t high, low;
};

template <class C>
inline WideSum wide_number(C x) {
  const std::uint64_t sign = std::is_signed_v<C> && x < C{0} ? ~std::uint64_t{0} : 0;
  return {sign, static_cast<std::uint64_t>(x)};
}

inline WideSum wide_sum(WideSum a, WideSum b) {
  const std::uint64_t low = a.low + b.low;
  return {a.high + b.high + (low < a.low ? 1u : 0u), low};
}

// Of numbers without sign; what is beyond becomes the largest.
inline WideSum saturated_sum(WideSum a, WideSum b) {
  const WideSum sum = wide_sum(a, b);
  const bool beyond = sum.high < a.high || (sum.high == a.high && sum.low < a.low);
  return beyond ? WideSum{~std::uint64_t{0}, ~std::uint64_t{0}} : sum;
}

inline bool wide_less(WideSum a, WideSum b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

inline WideSum wide_square(std::uint64_t x) {
  const std::uint64_t upper = x >> 32, lower = x & 0xffffffffu, cross = upper * lower;
  return wide_sum(wide_sum({upper * upper, lower * lower}, {cross >> 32, cross << 32}),
                  {cross >> 32, cross << 32});
}

template <class C>
inline std::uint64_t wide_magnitude(C x) {
  const auto bits = static_cast<std::uint64_t>(x);
  return std::is_signed_v<C> && x < C{0} ? std::uint64_t{0} - bits : bits;
}

// x / by, rounded down, where that fits one word.
inline std::uint64_t wide_quotient(WideSum x, std::uint64_t by) {
  if (x.high == 0) return x.low / by;
  std::uint64_t rest = x.high, quotient = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const bool carry = rest >> 63 != 0;
    rest = rest << 1 | (x.low >> bit & 1u);
    quotient <<= 1;
    if (carry || rest >= by) {
      rest -= by;
      quotient |= 1u;
    }
  }
  return quotient;
}

// The square root, rounded down.
inline std::uint64_t wide_root(WideSum x) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t next = root | std::uint64_t{1} << bit;
    if (!wide_less(x, wide_square(next))) root = next;
  }
  return root;
}

}  // namespace onnxc
