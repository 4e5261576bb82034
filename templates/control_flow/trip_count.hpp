// trip_count.hpp - the number of iterations that a loop ran, as a dynamic dimension.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// counter: [1], not negative. trips: [1]. Always ok, like other kernels that report extents.
inline Status trip_count(const std::int64_t* counter, Index* trips) {
  *trips = static_cast<Index>(*counter);
  return Status::ok;
}

}  // namespace onnxc
