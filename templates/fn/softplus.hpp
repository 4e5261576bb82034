// softplus.hpp - log(1 + exp(x)), without overflow.
#pragma once

#include "templates/fn/abs.hpp"
#include "templates/fn/exp.hpp"
#include "templates/fn/log.hpp"

namespace onnxc {
namespace fn {

template <class T>
[[gnu::always_inline]] inline T softplus(T x) {
  return at_least(x, T{}) + log(real<T>(1.0f) + exp(-abs(x)));
}

}  // namespace fn
}  // namespace onnxc
