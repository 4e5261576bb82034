// random_values.hpp - floats from -1 to 1, the same in every run, shared by the kernel tests.
#pragma once

#include <vector>

#include "runtime_min/types.hpp"

namespace kernel_test {

// By a linear congruence.
inline std::vector<float> values(onnxc::Index count, unsigned seed) {
  std::vector<float> v(static_cast<std::size_t>(count));
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return v;
}

}  // namespace kernel_test
