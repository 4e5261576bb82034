// less.hpp - whether a is less than b.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline bool less(T a, T b) {
  return a < b;
}

}  // namespace fn
}  // namespace onnxc
