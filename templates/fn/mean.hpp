// mean.hpp - mean of the operands.
#pragma once

#include "templates/fn/real.hpp"

namespace onnxc {
namespace fn {

template <class T, class... Rest>
[[gnu::always_inline]] inline T mean(T x, Rest... rest) {
  return (x + ... + rest) / real<T>(static_cast<float>(1 + sizeof...(rest)));
}

}  // namespace fn
}  // namespace onnxc
