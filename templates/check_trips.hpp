// check_trips.hpp - a loop whose outputs have a fixed length ran as often as that.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// s: expected.
template <class S>
Status check_trips(S s, const std::int64_t* trips) {
  return *trips == s.expected ? Status::ok : Status::bad_shape;
}

}  // namespace onnxc
