// slice_at.hpp - copies one slice along an axis out of a tensor, or into one.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// x: [outer, extent, inner], y: [outer, inner], taken at *at, or counted from the end.
// s: outer, extent, inner, reverse.
template <class S, class T>
Status take_slice(S s, const T* x, const std::int64_t* at, T* y) {
  if (*at < 0 || *at >= s.extent) return Status::bad_shape;
  const Index slice = static_cast<Index>(s.reverse ? s.extent - 1 - *at : *at);
  for (Index o = 0; o < s.outer; ++o)
    for (Index i = 0; i < s.inner; ++i)
      y[o * s.inner + i] = x[(o * s.extent + slice) * s.inner + i];
  return Status::ok;
}

// x: [outer, inner], y: [outer, extent, inner], written at *at, or counted from the end.
// s: outer, extent, inner, reverse.
template <class S, class T>
Status put_slice(S s, const T* x, const std::int64_t* at, T* y) {
  if (*at < 0 || *at >= s.extent) return Status::bad_shape;
  const Index slice = static_cast<Index>(s.reverse ? s.extent - 1 - *at : *at);
  for (Index o = 0; o < s.outer; ++o)
    for (Index i = 0; i < s.inner; ++i)
      y[(o * s.extent + slice) * s.inner + i] = x[o * s.inner + i];
  return Status::ok;
}

}  // namespace onnxc
