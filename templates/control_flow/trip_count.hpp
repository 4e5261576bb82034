// trip_count.hpp - how often a loop ran.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

inline Status trip_count(const std::int64_t* counter, Index* trips) {
  *trips = static_cast<Index>(*counter);
  return Status::ok;
}

}  // namespace onnxc
