// extent_arithmetic.hpp - minimum and maximum of extents, and members of a shape struct as
// constants; the compiler has the same names for symbolic extents.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

constexpr Index min_extent(Index a, Index b) { return a < b ? a : b; }
constexpr Index max_extent(Index a, Index b) { return a > b ? a : b; }

// How many pieces of a size fit; 0 for pieces without one.
constexpr Index fitting(Index capacity, Index piece) { return piece > 0 ? capacity / piece : 0; }

// fixed_extent(&S::m) is S::m if that is static, otherwise -1.
constexpr Index fixed_extent(const Index* constant) { return *constant; }
constexpr Index fixed_extent(const bool* constant) { return *constant; }
template <class S, class Member>
constexpr Index fixed_extent(Member S::*) {
  return -1;
}

// static_extent(&S::m) is S::m, for what a kernel cannot do without: no other member compiles.
constexpr Index static_extent(const Index* constant) { return *constant; }

}  // namespace onnxc
