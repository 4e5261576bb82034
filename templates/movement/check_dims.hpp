// check_dims.hpp - checks dimensions that are inputs against those that the code was compiled for.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

// actual: [count]; each must equal want or lie in [low, high] (empty when low > high), else
// bad_shape. s: count, want[count], low, high.
template <class S, class I>
Status expect(S s, const I* actual) {
  for (Index i = 0; i < s.count; ++i) {
    const auto v = static_cast<std::int64_t>(actual[i]);
    if (v != s.want[i] && (v < s.low || v > s.high)) return Status::bad_shape;
  }
  return Status::ok;
}

}  // namespace onnxc
