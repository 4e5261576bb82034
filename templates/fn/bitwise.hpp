// bitwise.hpp - and, or, xor and complement of integers.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline T bitwise_and(T a, T b) {
  return static_cast<T>(a & b);
}

template <class T>
inline T bitwise_or(T a, T b) {
  return static_cast<T>(a | b);
}

template <class T>
inline T bitwise_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}

template <class T>
inline T bitwise_not(T x) {
  return static_cast<T>(~x);
}

}  // namespace fn
}  // namespace onnxc
