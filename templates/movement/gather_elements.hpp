// gather_elements.hpp - GatherElements and ScatterElements: single elements along one axis.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/movement/scatter_op.hpp"

namespace onnxc {

namespace gather_elements_detail {

// Calls f(position in the indices, base offset in the data) for every index element, where base
// lacks the indexed axis.
template <int kRank, int kAxis, class S, class F>
inline void walk(S s, Index& at, Index base, F& f) {
  if constexpr (kAxis == kRank) {
    f(at++, base);
  } else {
    for (Index i = 0; i < s.dims[kAxis]; ++i)
      walk<kRank, kAxis + 1>(s, at, base + (kAxis == s.axis ? 0 : i * s.strides[kAxis]), f);
  }
}

template <class S, class I>
inline bool all_inside(S s, const I* indices) {
  for (Index k = 0; k < s.count; ++k) {
    const auto i = static_cast<std::int64_t>(indices[k]);
    if (i < -s.extent || i >= s.extent) return false;
  }
  return true;
}

template <class S, class I>
inline Index offset(S s, I index) {
  const auto i = static_cast<Index>(index);
  return (i < 0 ? i + s.extent : i) * s.strides[s.axis];
}

}  // namespace gather_elements_detail

// x: walked with strides[kRank], `extent` long along `axis`; indices, y: [dims]. bad_index, with
// nothing written, if an index is out of range.  s: dims[kRank], strides[kRank], axis, extent,
// count.
template <int kRank, class S, class T, class I>
Status gather_elements(S s, const T* x, const I* indices, T* y) {
  if (!gather_elements_detail::all_inside(s, indices)) return Status::bad_index;
  auto pick = [&](Index at, Index base) {
    y[at] = x[base + gather_elements_detail::offset(s, indices[at])];
  };
  Index at = 0;
  gather_elements_detail::walk<kRank, 0>(s, at, 0, pick);
  return Status::ok;
}

// y starts as x: [size]; updates, indices: [dims]. kOp combines an update with the element there.
// s: as above, and size.
template <int kRank, ScatterOp kOp, class S, class T, class I>
Status scatter_elements(S s, const T* x, const I* indices, const T* updates, T* y) {
  if (!gather_elements_detail::all_inside(s, indices)) return Status::bad_index;
  if (x != y)
    for (Index i = 0; i < s.size; ++i) y[i] = x[i];
  auto place = [&](Index at, Index base) {
    scatter_one<kOp>(y[base + gather_elements_detail::offset(s, indices[at])], updates[at]);
  };
  Index at = 0;
  gather_elements_detail::walk<kRank, 0>(s, at, 0, place);
  return Status::ok;
}

}  // namespace onnxc
