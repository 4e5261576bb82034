// reduce_axes.hpp - reductions whose axes are given at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime_min/half.hpp"
#include "runtime_min/types.hpp"
#include "templates/reduction/reduce.hpp"

namespace onnxc {

namespace reduce_axes_detail {

// Whether the axes that stay (and ones, where they are kept) are the output's.
template <int kRank, class S>
inline bool fits(S s, const bool* gone) {
  Index next = 0;
  for (int i = 0; i < kRank; ++i) {
    if (gone[i] && !s.keep) continue;
    if (next >= s.out_rank || s.out[next] != (gone[i] ? 1 : s.dims[i])) return false;
    ++next;
  }
  return next == s.out_rank;
}

// Steps to the next position over the axes of one kind; false after the last.
template <int kRank, class S>
inline bool advance(S s, const bool* gone, bool kind, const Index* strides, Index* at,
                    Index& offset) {
  for (int i = kRank; i-- > 0;) {
    if (gone[i] != kind) continue;
    offset += strides[i];
    if (++at[i] < s.dims[i]) return true;
    offset -= strides[i] * s.dims[i];
    at[i] = 0;
  }
  return false;
}

}  // namespace reduce_axes_detail

// The shape that reduce_axes leads to.  s: dims[kRank], axis_count, keep, noop, out_rank.
template <int kRank, class S>
Status reduce_extents(S s, const std::int64_t* axes, Index* extents) {
  bool gone[std::size_t{kRank}];
  for (bool& g : gone) g = s.axis_count == 0 && !s.noop;
  for (Index i = 0; i < s.axis_count; ++i) {
    if (axes[i] < -kRank || axes[i] >= kRank) return Status::bad_index;
    gone[axes[i] < 0 ? axes[i] + kRank : axes[i]] = true;
  }
  Index next = 0;
  for (int i = 0; i < kRank; ++i) {
    if (gone[i] && !s.keep) continue;
    if (next == s.out_rank) return Status::bad_shape;
    extents[next++] = gone[i] ? 1 : s.dims[i];
  }
  return next == s.out_rank ? Status::ok : Status::bad_shape;
}

// x: [dims], axes: [axis_count], y: [out]. No axes mean all, or with noop none.
// s: dims[kRank], axis_count, keep, noop, out_rank, out[out_rank].
template <template <class> class Op, int kRank, class S, class T>
Status reduce_axes(S s, const T* x, const std::int64_t* axes, T* y) {
  using C = compute_t<T>;
  bool gone[std::size_t{kRank}];
  for (bool& g : gone) g = s.axis_count == 0 && !s.noop;
  for (Index i = 0; i < s.axis_count; ++i) {
    if (axes[i] < -kRank || axes[i] >= kRank) return Status::bad_index;
    gone[axes[i] < 0 ? axes[i] + kRank : axes[i]] = true;
  }
  if (!reduce_axes_detail::fits<kRank>(s, gone)) return Status::bad_shape;
  Index strides[std::size_t{kRank}], kept = 1, count = 1, step = 1;
  for (int i = kRank; i-- > 0;) {
    strides[i] = step;
    step *= s.dims[i];
    (gone[i] ? count : kept) *= s.dims[i];
  }
  Index at[std::size_t{kRank}] = {}, base = 0;
  for (Index o = 0; o < kept; ++o) {
    auto acc = Op<C>::start();
    Index offset = base;
    for (Index k = 0; k < count; ++k) {
      acc = Op<C>::add(acc, static_cast<C>(x[offset]));
      reduce_axes_detail::advance<kRank>(s, gone, true, strides, at, offset);
    }
    y[o] = static_cast<T>(Op<C>::finish(acc, count));
    reduce_axes_detail::advance<kRank>(s, gone, false, strides, at, base);
  }
  return Status::ok;
}

}  // namespace onnxc
