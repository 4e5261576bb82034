// sincos_2pi.hpp - cosine and sine of 2 pi p / q for integers p and q.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

template <class C>
struct SinCos {
  C cos, sin;
};

// cos and sin of 2 pi part / whole; 0 <= part, 0 < whole, both below 2^59. The octant is found in
// integers, so that the Taylor series see at most pi / 4 and multiples of pi / 2 are exact.
template <class C>
inline SinCos<C> sincos_2pi(std::int64_t part, std::int64_t whole) {
  const std::int64_t eighths = (part % whole) * 8;
  const std::int64_t octant = eighths / whole, rest = eighths % whole;
  const bool odd = (octant & 1) != 0;
  const C t = static_cast<C>(odd ? whole - rest : rest) / static_cast<C>(whole) *
              static_cast<C>(0.78539816339744830962L);
  const C s = t * t;
  C c = 1, d = 1;
  // Horner's form of the Taylor series; the first term left out is below half an ulp for either
  // type.
  for (int k = sizeof(C) > 4 ? 18 : 12; k > 0; k -= 2) {
    c = 1 - c * s / static_cast<C>(k * (k - 1));
    d = 1 - d * s / static_cast<C>(k * (k + 1));
  }
  d *= t;
  // Octants 1, 2, 5 and 6 are nearer to the other axis.
  const bool swapped = (octant & 3) == 1 || (octant & 3) == 2;
  const C x = swapped ? d : c, y = swapped ? c : d;
  return {octant >= 2 && octant < 6 ? -x : x, octant >= 4 ? -y : y};
}

}  // namespace onnxc
