// extents.hpp - writes dynamic dimensions into a tensor.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

// y: [count].  s: count, values[count].
template <class S>
void extents(S s, std::int64_t* y) {
  for (Index i = 0; i < s.count; ++i) y[i] = s.values[i];
}

}  // namespace onnxc
