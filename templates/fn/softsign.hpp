// softsign.hpp - x / (1 + |x|).
#pragma once

#include "templates/fn/abs.hpp"
#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T softsign(T x) {
  // Infinity over infinity would be NaN; far below it the quotient is one already.
  const T bounded = at_most(at_least(x, real<T>(-1e30f)), real<T>(1e30f));
  return bounded / (real<T>(1.0f) + abs(bounded));
}

}  // namespace fn
}  // namespace onnxc
