// greater.hpp - whether a is greater than b.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline bool greater(T a, T b) {
  return a > b;
}

}  // namespace fn
}  // namespace onnxc
