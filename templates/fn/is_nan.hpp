// is_nan.hpp - whether x is NaN.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
inline bool is_nan(T x) {
  return x != x;
}

}  // namespace fn
}  // namespace onnxc
