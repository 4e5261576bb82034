// identity.hpp - the operand itself.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T identity(T x) {
  return x;
}

}  // namespace fn
}  // namespace onnxc
