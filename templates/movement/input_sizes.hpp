// input_sizes.hpp - checks the sizes of inputs with open dimensions, and says which one is wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime_min/extent.hpp"

namespace onnxc {

// Notes in `found`, unless null, that this axis of a port has another size than wanted; axis -1:
// the port itself.
template <class BadSize>
void note_size(BadSize* found, const char* port, int axis, std::int64_t size, std::int64_t wanted) {
  if (found != nullptr) *found = {port, axis, size, wanted};
}

// Whether the sizes of an input are the wanted ones; a negative one never is.
template <std::size_t kRank, class BadSize>
bool has_sizes(const std::int64_t (&dims)[kRank], const Extent (&wanted)[kRank], const char* input,
               BadSize* found) {
  for (std::size_t axis = 0; axis < kRank; ++axis) {
    const auto size = static_cast<std::int64_t>(wanted[axis]);
    const std::int64_t want = size > 0 ? size : 0;
    if (dims[axis] == want) continue;
    note_size(found, input, static_cast<int>(axis), dims[axis], want);
    return false;
  }
  return true;
}

// Whether a size that an input defines lies in [low, high].
template <class BadSize>
bool is_within(std::int64_t size, std::int64_t low, std::int64_t high, const char* input, int axis,
               BadSize* found) {
  if (low <= size && size <= high) return true;
  note_size(found, input, axis, size, size < low ? low : high);
  return false;
}

}  // namespace onnxc
