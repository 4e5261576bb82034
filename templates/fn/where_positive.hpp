// where_positive.hpp - the second operand where the first is above 0, else the third.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T where_positive(T x, T a, T b) {
  return select(greater_than(x, T{}), a, b);
}

}  // namespace fn
}  // namespace onnxc
