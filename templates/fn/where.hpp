// where.hpp - the second operand where the first is true, else the third.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline T where(bool condition, T x, T y) {
  return condition ? x : y;
}

}  // namespace fn
}  // namespace onnxc
