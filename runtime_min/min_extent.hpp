// min_extent.hpp - limits of extents, by names that the compiler has for symbolic extents as well.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

constexpr Index min_extent(Index a, Index b) { return a < b ? a : b; }
constexpr Index max_extent(Index a, Index b) { return a > b ? a : b; }

}  // namespace onnxc
