// trips.hpp - the number of iterations that a loop ran: as a dynamic dimension, or checked.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// counter: [1], not negative. trips: [1]. Always ok, like other kernels that report extents.
inline Status trip_count(const std::int64_t* counter, Index* trips) {
  *trips = static_cast<Index>(*counter);
  return Status::ok;
}

// counter: [1]. s: count, what a result of the loop is declared to have.
template <class S>
Status expect_trips(S s, const std::int64_t* counter) {
  return *counter == static_cast<std::int64_t>(s.count) ? Status::ok : Status::bad_shape;
}

}  // namespace onnxc
