// comparison.hpp - equality and order of two operands; tests for NaN and infinities.
#pragma once

#include <limits>

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline bool equal(T a, T b) {
  return a == b;
}

template <class T>
inline bool less(T a, T b) {
  return a < b;
}

template <class T>
inline bool less_or_equal(T a, T b) {
  return a <= b;
}

template <class T>
inline bool greater(T a, T b) {
  return a > b;
}

template <class T>
inline bool greater_or_equal(T a, T b) {
  return a >= b;
}

template <class T>
inline bool is_nan(T x) {
  return x != x;
}

// Whether x is an infinity of a wanted sign.
template <class T>
inline bool is_inf(T x, bool negative, bool positive) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  return (positive && x == kInfinity) || (negative && x == -kInfinity);
}

}  // namespace fn
}  // namespace onnxc
