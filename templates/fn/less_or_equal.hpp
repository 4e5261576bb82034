// less_or_equal.hpp - whether a is at most b.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline bool less_or_equal(T a, T b) {
  return a <= b;
}

}  // namespace fn
}  // namespace onnxc
