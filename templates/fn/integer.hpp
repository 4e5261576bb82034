// integer.hpp - integer conversions and arithmetic that are defined for every value.
#pragma once

#include <limits>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

// Truncates towards zero. Out of range, the types of 32 and 64 bits saturate; narrower ones keep
// the low bits of the 32-bit result, as for casts between integers. NaN becomes 0.
template <class To, class From>
inline To to_integer(From x) {
  using Wide = std::conditional_t<(sizeof(To) < sizeof(int)), int, To>;
  // Twice the highest power of two: the first value too large, exact in every floating-point type.
  constexpr From kEnd = static_cast<From>(std::numeric_limits<Wide>::max() / 2 + 1) * From{2};
  constexpr From kBegin = std::is_signed_v<Wide> ? -kEnd : From{0};
  if (!(x < kEnd)) return x != x ? To{0} : static_cast<To>(std::numeric_limits<Wide>::max());
  if (!(x > kBegin)) return static_cast<To>(std::numeric_limits<Wide>::min());
  return static_cast<To>(static_cast<Wide>(x));
}

}  // namespace fn
}  // namespace onnxc
