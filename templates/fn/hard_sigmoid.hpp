// hard_sigmoid.hpp - alpha * x + beta between 0 and 1.
#pragma once

#include "templates/fn/gate.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T hard_sigmoid(T x, float alpha, float beta) {
  // Near the zero of the line the sum cancels and the rounding of a product would be what is left:
  // these have none.
  const T a = real<T>(alpha), a_high = upper_half(a), a_low = a - a_high;
  const T b = at_most(at_least(x, real<T>(-1e30f)), real<T>(1e30f));
  const T high = upper_half(b), low = b - high;
  const T line = a_high * high + real<T>(beta) + a_high * low + a_low * high + a_low * low;
  return at_most(at_least(line, T{}), real<T>(1.0f));
}

}  // namespace fn
}  // namespace onnxc
