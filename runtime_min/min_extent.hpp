// min_extent.hpp - arithmetic on extents, by names that the compiler has for symbolic extents as
// well.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

constexpr Index min_extent(Index a, Index b) { return a < b ? a : b; }
constexpr Index max_extent(Index a, Index b) { return a > b ? a : b; }

// How many pieces of a size fit; 0 for pieces without one.
constexpr Index fitting(Index capacity, Index piece) { return piece > 0 ? capacity / piece : 0; }

}  // namespace onnxc
