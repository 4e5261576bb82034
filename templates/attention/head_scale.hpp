// head_scale.hpp - the factor of attention scores.
#pragma once

#include <cmath>

#include "runtime_min/types.hpp"

namespace onnxc {

// The model's scale; for NaN the default, 1 / sqrt(width of a head).
inline float head_scale(float given, Index width) {
  if (given == given) return given;
  return width > 0 ? 1.0f / std::sqrt(static_cast<float>(width)) : 1.0f;
}

}  // namespace onnxc
