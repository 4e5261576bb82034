// cumulative_axis.hpp - running sums and products along an axis given at run time.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/reduction/cumulative.hpp"

namespace onnxc {

namespace cumulate_axis_detail {

struct Rows {
  Index outer, extent, inner;
  bool exclusive, reverse;
};

}  // namespace cumulate_axis_detail

// x, y: [dims], axis: [1].  s: rank, dims[rank], exclusive, reverse.
template <template <class> class Op, class S, class T, class I>
Status cumulative_axis(S s, const T* x, const I* axis, T* y) {
  const auto given = static_cast<std::int64_t>(*axis);
  if (given < -s.rank || given >= s.rank) return Status::bad_index;
  const Index at = static_cast<Index>(given < 0 ? given + s.rank : given);
  cumulate_axis_detail::Rows rows{1, s.dims[at], 1, s.exclusive, s.reverse};
  for (Index i = 0; i < at; ++i) rows.outer *= s.dims[i];
  for (Index i = at + 1; i < s.rank; ++i) rows.inner *= s.dims[i];
  cumulative<Op>(rows, x, y);
  return Status::ok;
}

}  // namespace onnxc
