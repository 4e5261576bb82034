// shape_extents.hpp - the output shapes of Reshape, Expand, Tile, Squeeze and Unsqueeze whose
// parameters are dynamic.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/cast.hpp"

namespace onnxc {

namespace shape_extents_detail {

constexpr std::int64_t kMax = std::numeric_limits<Index>::max();

// a * b, saturated. Neither is negative.
inline std::int64_t times(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kMax / b ? kMax : a * b;
}

template <class S>
std::int64_t elements(S s) {
  std::int64_t all = 1;
  for (Index i = 0; i < s.rank; ++i) all = times(all, s.from[i]);
  return all;
}

}  // namespace shape_extents_detail

// wanted: [count]; -1 at most once, for the remaining extent, 0 for the input's extent where
// `zero_copies`. s: rank, from[rank], count, out_rank, zero_copies.
template <class S>
Status reshape_extents(S s, const std::int64_t* wanted, Index* extents) {
  using namespace shape_extents_detail;
  if (s.count != s.out_rank) return Status::bad_shape;
  const std::int64_t all = elements(s);
  std::int64_t known = 1;
  Index open = -1;
  for (Index i = 0; i < s.out_rank; ++i) {
    std::int64_t d = wanted[i];
    if (d == -1) {
      if (open >= 0) return Status::bad_shape;
      open = i;
      continue;
    }
    if (d == 0 && s.zero_copies) {
      if (i >= s.rank) return Status::bad_shape;
      d = s.from[i];
    }
    if (d < 0 || d > kMax) return Status::bad_shape;
    known = times(known, d);
    extents[i] = static_cast<Index>(d);
  }
  if (open < 0) return known == all ? Status::ok : Status::bad_shape;
  if (known == 0 || all % known != 0) return Status::bad_shape;
  extents[open] = static_cast<Index>(all / known);
  return Status::ok;
}

// wanted: [count], aligned with the input at the end.  s: rank, from[rank], count, out_rank.
template <class S>
Status expand_extents(S s, const std::int64_t* wanted, Index* extents) {
  if (s.out_rank != (s.rank > s.count ? s.rank : s.count)) return Status::bad_shape;
  for (Index i = 0; i < s.out_rank; ++i) {
    const Index x = i - (s.out_rank - s.rank), w = i - (s.out_rank - s.count);
    const std::int64_t own = x >= 0 ? s.from[x] : 1, other = w >= 0 ? wanted[w] : 1;
    if (other < 0 || (own != other && own != 1 && other != 1)) return Status::bad_shape;
    extents[i] = static_cast<Index>(own == 1 ? other : own);
  }
  return Status::ok;
}

// repeats: [count].  s: rank, from[rank], count.
template <class S>
Status tile_extents(S s, const std::int64_t* repeats, Index* extents) {
  if (s.count != s.rank) return Status::bad_shape;
  for (Index i = 0; i < s.rank; ++i) {
    if (repeats[i] < 0) return Status::bad_shape;
    extents[i] = static_cast<Index>(shape_extents_detail::times(repeats[i], s.from[i]));
  }
  return Status::ok;
}

// Tile before opset 6: one axis and its repeat count, of any type.  s: rank, from[rank].
template <class S, class T, class A>
Status tile_axis_extents(S s, const T* tiles, const A* axis, Index* extents) {
  const auto number = [](auto v) {
    return fn::cast<std::int64_t>(static_cast<compute_t<decltype(v)>>(v));
  };
  const std::int64_t given = number(*axis), at = given < 0 ? given + s.rank : given;
  if (at < 0 || at >= s.rank) return Status::bad_index;
  if (number(*tiles) < 0) return Status::bad_shape;
  for (Index i = 0; i < s.rank; ++i)
    extents[i] = i != at
                     ? s.from[i]
                     : static_cast<Index>(shape_extents_detail::times(number(*tiles), s.from[i]));
  return Status::ok;
}

// axes: [count], or null for all axes of extent 1.  s: rank, from[rank], count, out_rank.
template <class S>
Status squeeze_extents(S s, const std::int64_t* axes, Index* extents) {
  Index next = 0;
  for (Index i = 0; i < s.rank; ++i) {
    bool gone = axes == nullptr && s.from[i] == 1;
    for (Index k = 0; axes != nullptr && k < s.count; ++k) {
      if (axes[k] < -s.rank || axes[k] >= s.rank) return Status::bad_index;
      if (axes[k] != i && axes[k] + s.rank != i) continue;
      if (gone || s.from[i] != 1) return Status::bad_shape;
      gone = true;
    }
    if (gone) continue;
    if (next == s.out_rank) return Status::bad_shape;
    extents[next++] = s.from[i];
  }
  return next == s.out_rank ? Status::ok : Status::bad_shape;
}

// axes: [count].  s: rank, from[rank], count, out_rank.
template <class S>
Status unsqueeze_extents(S s, const std::int64_t* axes, Index* extents) {
  if (s.count != s.out_rank - s.rank) return Status::bad_shape;
  Index next = 0;
  for (Index i = 0; i < s.out_rank; ++i) {
    bool fresh = false;
    for (Index k = 0; k < s.count; ++k) {
      if (axes[k] < -s.out_rank || axes[k] >= s.out_rank) return Status::bad_index;
      if (axes[k] != i && axes[k] + s.out_rank != i) continue;
      if (fresh) return Status::bad_index;
      fresh = true;
    }
    extents[i] = fresh ? 1 : s.from[next++];
  }
  return Status::ok;
}

}  // namespace onnxc
