// member_shapes.hpp - whether the members of a sequence have the shape that its type says.
#pragma once

#include <cstdint>

#include "runtime_min/value.hpp"

namespace onnxc {

// Sizes without a number: any, or the same in all members.
constexpr std::int64_t kAnySize = -1, kOneSize = -2;

inline bool members_have_shape(const Value& list, Index rank, const std::int64_t* dims) {
  for (std::int64_t i = 0; i < list.size(); ++i) {
    const Value member = list.at(i), first = list.at(0);
    if (member.rank() != rank) return false;
    for (Index k = 0; k < rank; ++k) {
      const std::int64_t want = dims[k] == kOneSize ? first.dim(k) : dims[k];
      if (want != kAnySize && member.dim(k) != want) return false;
    }
  }
  return true;
}

}  // namespace onnxc
