// cast.hpp - an element in another type, as its compute type.
#pragma once

#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"
#include "templates/fn/integer.hpp"

namespace onnxc {
namespace fn {

// To a narrow float: rounded to it, and back in float.
template <class To, class From>
inline compute_t<To> cast(From x) {
  if constexpr (std::is_same_v<To, bool>)
    return x != From{};
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return to_integer<To>(x);
  else if constexpr (std::is_integral_v<compute_t<To>> && std::is_floating_point_v<From>)
    return static_cast<compute_t<To>>(To(to_integer<int>(x)));
  else
    return static_cast<compute_t<To>>(static_cast<To>(x));
}

// To an 8-bit float, where values too large become infinity or NaN; as that type, since rounding a
// float to it again would saturate.
template <class To, class From>
inline To cast_unsaturated(From x) {
  return To::from(x, false);
}

template <class To, class From>
inline float cast_rounded(From x, bool saturate, int rounding) {
  return To::from(x, saturate, static_cast<Rounding>(rounding));
}

}  // namespace fn
}  // namespace onnxc
