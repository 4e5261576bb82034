// equal.hpp - whether two are equal.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline bool equal(T a, T b) {
  return a == b;
}

}  // namespace fn
}  // namespace onnxc
