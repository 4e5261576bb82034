// is_inf.hpp - whether x is an infinity of a wanted sign.
#pragma once

#include <limits>

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline bool is_inf(T x, bool negative, bool positive) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  return (positive && x == kInfinity) || (negative && x == -kInfinity);
}

}  // namespace fn
}  // namespace onnxc
