// pad_widths.hpp - padding with dynamic widths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime_min/types.hpp"
#include "templates/movement/pad.hpp"

namespace onnxc {

namespace pad_widths_detail {

template <int kRank>
struct Borders {
  Index dims[std::size_t{kRank}], extent[std::size_t{kRank}], before[std::size_t{kRank}],
      from[std::size_t{kRank}], inner[std::size_t{kRank}];
  Index from_offset;
};

}  // namespace pad_widths_detail

// The output shape of pad_widths.  s: source[kRank], count.
template <int kRank, class S, class I>
Status pad_extents(S s, const std::int64_t* pads, const I* axes, Index* extents) {
  constexpr std::int64_t kFar = std::numeric_limits<Index>::max() / 4;
  bool seen[std::size_t{kRank}] = {};
  for (int i = 0; i < kRank; ++i) extents[i] = s.source[i];
  for (Index k = 0; k < s.count; ++k) {
    const std::int64_t given = axes ? static_cast<std::int64_t>(axes[k]) : k;
    const std::int64_t axis = given < 0 ? given + kRank : given;
    if (axis < 0 || axis >= kRank || seen[axis]) return Status::bad_index;
    seen[axis] = true;
    const std::int64_t n = s.source[axis], low = pads[k], high = pads[s.count + k];
    if (n > kFar || low < -n || high < -n || low > kFar || high > kFar || n + low + high < 0)
      return Status::bad_shape;
    extents[axis] = static_cast<Index>(n + low + high);
  }
  return Status::ok;
}

// x: [source], pads: [2 * count], value: [1], axes: [count] or null (the first axes), y: [dims].
// s: source[kRank], dims[kRank], count.
template <int kRank, PadMode kMode, class S, class T, class I>
Status pad_widths(S s, const T* x, const std::int64_t* pads, const T* value, const I* axes, T* y) {
  pad_widths_detail::Borders<kRank> b{};
  bool seen[std::size_t{kRank}] = {};
  Index from = 1, inner = 1;
  for (int i = kRank; i-- > 0; from *= s.source[i], inner *= s.dims[i]) {
    b.dims[i] = s.dims[i];
    b.extent[i] = s.source[i];
    b.from[i] = from;
    b.inner[i] = inner;
  }
  std::int64_t total[std::size_t{kRank}];
  for (int i = 0; i < kRank; ++i) total[i] = s.source[i];
  for (Index k = 0; k < s.count; ++k) {
    const std::int64_t given = axes ? static_cast<std::int64_t>(axes[k]) : k;
    const std::int64_t axis = given < 0 ? given + kRank : given;
    if (axis < 0 || axis >= kRank || seen[axis]) return Status::bad_index;
    seen[axis] = true;
    // Larger widths could overflow the sums.
    const std::int64_t n = s.source[axis], low = pads[k], high = pads[s.count + k];
    if (low < -n || high < -n || low > s.dims[axis] || high > s.dims[axis])
      return Status::bad_shape;
    const std::int64_t kept = n + (low < 0 ? low : 0) + (high < 0 ? high : 0);
    if (kept < 0 || (kept == 0 && kMode != PadMode::constant && (low > 0 || high > 0)))
      return Status::bad_shape;
    b.extent[axis] = static_cast<Index>(kept);
    b.before[axis] = static_cast<Index>(low > 0 ? low : 0);
    b.from_offset += static_cast<Index>(low < 0 ? -low : 0) * b.from[axis];
    total[axis] = n + low + high;
  }
  for (int i = 0; i < kRank; ++i)
    if (total[i] != s.dims[i]) return Status::bad_shape;
  pad<kRank, kMode>(b, x, value, y);
  return Status::ok;
}

}  // namespace onnxc
