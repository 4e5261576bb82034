// bitwise.hpp - and, or, exclusive or, complement and shifts of integers.
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

// Of unsigned integers; by their width or more gives 0.
template <class T>
inline T shift_left(T x, T by) {
  return by < static_cast<T>(8 * sizeof(T)) ? static_cast<T>(static_cast<wrap_t<T>>(x) << by)
                                            : T{0};
}

template <class T>
inline T shift_right(T x, T by) {
  return by < static_cast<T>(8 * sizeof(T)) ? static_cast<T>(x >> by) : T{0};
}

}  // namespace fn
}  // namespace onnxc
