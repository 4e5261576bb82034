// unique.hpp - counts the distinct elements, or slices along an axis, then gives them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// -1, 0, 1 as slice i of [outer, extent, inner] comes before, equals or follows slice j. NaN equals
// itself and follows every number.
template <class S, class T>
int unique_order(S s, const T* x, std::int64_t i, std::int64_t j) {
  for (Index o = 0; o < s.outer; ++o)
    for (Index k = 0; k < s.inner; ++k) {
      const auto a = static_cast<compute_t<T>>(x[(o * s.extent + i) * s.inner + k]);
      const auto b = static_cast<compute_t<T>>(x[(o * s.extent + j) * s.inner + k]);
      const bool a_nan = !(a == a), b_nan = !(b == b);
      if (a < b || (b_nan && !a_nan)) return -1;
      if (b < a || (a_nan && !b_nan)) return 1;
    }
  return 0;
}

// x: [outer, extent, inner], extents: [reports], how many distinct
// slices, group: [2 * extent], filled with the
// group of every slice.  s: outer, extent, inner, reports.
template <class S, class T>
void unique_groups(S s, const T* x, std::int64_t* group, Index* extents) {
  std::int64_t* const order = group + s.extent;
  for (Index i = 0; i < s.extent; ++i) order[i] = i;
  std::sort(order, order + s.extent, [&](std::int64_t i, std::int64_t j) {
    const int c = unique_order(s, x, i, j);
    return c < 0 || (c == 0 && i < j);
  });
  Index groups = 0;
  for (Index k = 0; k < s.extent; ++k) {
    if (k == 0 || unique_order(s, x, order[k - 1], order[k]) != 0) ++groups;
    group[order[k]] = groups - 1;
  }
  for (Index i = 0; i < s.reports; ++i) extents[i] = groups;
}

// x, group: as above, y: [outer, found, inner], first, count: [found], inverse: [extent], each null
// if they are not wanted.  s: outer, extent, inner, found, sorted.
template <class S, class T>
void unique(S s, const T* x, T* y, std::int64_t* first, std::int64_t* inverse, std::int64_t* count,
            std::int64_t* group) {
  std::int64_t* const place = group + s.extent;
  for (Index g = 0; g < s.found; ++g) place[g] = -1;
  for (Index g = 0; count && g < s.found; ++g) count[g] = 0;
  Index seen = 0;
  for (Index i = 0; i < s.extent; ++i) {
    const std::int64_t g = group[i];
    const bool fresh = place[g] < 0;
    if (fresh) place[g] = s.sorted ? g : seen++;
    const Index to = static_cast<Index>(place[g]);
    if (inverse) inverse[i] = to;
    if (count) ++count[to];
    if (!fresh) continue;
    if (first) first[to] = i;
    for (Index o = 0; y && o < s.outer; ++o)
      for (Index k = 0; k < s.inner; ++k)
        y[(o * s.found + to) * s.inner + k] = x[(o * s.extent + i) * s.inner + k];
  }
}

}  // namespace onnxc
