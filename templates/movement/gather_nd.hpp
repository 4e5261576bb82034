// gather_nd.hpp - GatherND and ScatterND: slices addressed by index tuples.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/movement/scatter_op.hpp"

namespace onnxc {

namespace gather_nd_detail {

// Offset of the slice that an index tuple addresses, or -1 if it is out of range.
template <int kDepth, class S>
inline Index offset(S s, const std::int64_t* tuple) {
  Index at = 0;
  for (int d = 0; d < kDepth; ++d) {
    const std::int64_t i = tuple[d];
    if (i < -s.extents[d] || i >= s.extents[d]) return -1;
    at += static_cast<Index>(i < 0 ? i + s.extents[d] : i) * s.strides[d];
  }
  return at;
}

}  // namespace gather_nd_detail

// x: [batch, batch_size], indices: [batch, count, kDepth], y: [batch, count, inner].
// s: batch, batch_size, count, inner, extents[kDepth], strides[kDepth].
template <int kDepth, class S, class T>
Status gather_nd(S s, const T* x, const std::int64_t* indices, T* y) {
  for (Index b = 0; b < s.batch; ++b, x += s.batch_size)
    for (Index k = 0; k < s.count; ++k, indices += kDepth, y += s.inner) {
      const Index from = gather_nd_detail::offset<kDepth>(s, indices);
      if (from < 0) return Status::bad_index;
      for (Index i = 0; i < s.inner; ++i) y[i] = x[from + i];
    }
  return Status::ok;
}

// y starts as x: [size]; indices: [count, kDepth], updates: [count, inner].
// s: size, count, inner, extents[kDepth], strides[kDepth].
template <int kDepth, ScatterOp kOp, class S, class T>
Status scatter_nd(S s, const T* x, const std::int64_t* indices, const T* updates, T* y) {
  for (Index k = 0; k < s.count; ++k)
    if (gather_nd_detail::offset<kDepth>(s, indices + k * kDepth) < 0) return Status::bad_index;
  if (x != y)
    for (Index i = 0; i < s.size; ++i) y[i] = x[i];
  for (Index k = 0; k < s.count; ++k, indices += kDepth, updates += s.inner) {
    T* to = y + gather_nd_detail::offset<kDepth>(s, indices);
    for (Index i = 0; i < s.inner; ++i) scatter_one<kOp>(to[i], updates[i]);
  }
  return Status::ok;
}

}  // namespace onnxc
