// swi_glu.hpp - a linear value gated by the Swish of another.
#pragma once

#include "templates/fn/mul.hpp"
#include "templates/fn/swish.hpp"

namespace onnxc {
namespace fn {

template <class V>
inline V swi_glu(V gate, V value, float alpha) {
  return mul(swish(gate, alpha), value);
}

}  // namespace fn
}  // namespace onnxc
