// sum.hpp - sum of the operands.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T, class... Rest>
[[gnu::always_inline]] inline T sum(T x, Rest... rest) {
  return (x + ... + rest);
}

}  // namespace fn
}  // namespace onnxc
