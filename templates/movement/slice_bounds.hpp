// slice_bounds.hpp - slices with dynamic bounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/movement/strided_copy.hpp"

namespace onnxc {

namespace slice_bounds_detail {

template <int kRank>
struct Box {
  Index dims[std::size_t{kRank}], from[std::size_t{kRank}], to[std::size_t{kRank}];
  Index from_offset, to_offset;
};

inline std::int64_t clamp(std::int64_t v, std::int64_t low, std::int64_t high) {
  return v < low ? low : v > high ? high : v;
}

// Start and count of one axis of n elements.
inline Index cut(std::int64_t n, std::int64_t start, std::int64_t end, std::int64_t step,
                 Index& count) {
  if (start < 0) start += n;
  if (end < 0) end += n;
  const bool forward = step > 0;
  start = forward ? clamp(start, 0, n) : clamp(start, n > 0 ? 0 : -1, n - 1);
  end = forward ? clamp(end, 0, n) : clamp(end, -1, n - 1);
  const std::int64_t span = forward ? end - start : start - end;
  // Steps beyond the axis change nothing; negating the lowest one would overflow.
  const std::int64_t size = forward ? step : step < -n - 1 ? n + 1 : -step;
  count = static_cast<Index>(span > 0 ? (span - 1) / size + 1 : 0);
  return static_cast<Index>(start);
}

}  // namespace slice_bounds_detail

// The output shape of slice_bounds, from the same inputs.  s: dims[kRank], count.
template <int kRank, class S, class I>
Status slice_extents(S s, const I* starts, const I* ends, const I* axes, const I* steps,
                     Index* extents) {
  bool seen[std::size_t{kRank}] = {};
  for (int i = 0; i < kRank; ++i) extents[i] = s.dims[i];
  for (Index k = 0; k < s.count; ++k) {
    const std::int64_t given = axes ? static_cast<std::int64_t>(axes[k]) : k;
    const std::int64_t axis = given < 0 ? given + kRank : given,
                       step = steps ? static_cast<std::int64_t>(steps[k]) : 1;
    if (axis < 0 || axis >= kRank || seen[axis]) return Status::bad_index;
    seen[axis] = true;
    if (step == 0) return Status::bad_value;
    slice_bounds_detail::cut(s.dims[axis], static_cast<std::int64_t>(starts[k]),
                             static_cast<std::int64_t>(ends[k]), step, extents[axis]);
  }
  return Status::ok;
}

// x: [dims], starts, ends and (unless null) axes and steps: [count], y: [out].
// s: dims[kRank], out[kRank], count.
template <int kRank, class S, class T, class I>
Status slice_bounds(S s, const T* x, const I* starts, const I* ends, const I* axes, const I* steps,
                    T* y) {
  slice_bounds_detail::Box<kRank> box{};
  bool seen[std::size_t{kRank}] = {};
  Index from = 1, to = 1;
  for (int i = kRank; i-- > 0; from *= s.dims[i], to *= s.out[i]) {
    box.dims[i] = s.dims[i];
    box.from[i] = from;
    box.to[i] = to;
  }
  for (Index k = 0; k < s.count; ++k) {
    const std::int64_t given = axes ? static_cast<std::int64_t>(axes[k]) : k;
    const std::int64_t axis = given < 0 ? given + kRank : given,
                       step = steps ? static_cast<std::int64_t>(steps[k]) : 1;
    if (axis < 0 || axis >= kRank || seen[axis]) return Status::bad_index;
    seen[axis] = true;
    if (step == 0) return Status::bad_value;
    const Index start =
        slice_bounds_detail::cut(s.dims[axis], static_cast<std::int64_t>(starts[k]),
                                 static_cast<std::int64_t>(ends[k]), step, box.dims[axis]);
    box.from_offset += start * box.from[axis];
    // The step of a single element is unused and may be too large to multiply.
    if (box.dims[axis] > 1) box.from[axis] *= static_cast<Index>(step);
  }
  for (int i = 0; i < kRank; ++i)
    if (box.dims[i] != s.out[i]) return Status::bad_shape;
  for (int i = 0; i < kRank; ++i)
    if (box.dims[i] == 0) return Status::ok;
  strided_copy<kRank>(box, x, y);
  return Status::ok;
}

}  // namespace onnxc
