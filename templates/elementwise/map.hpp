// map.hpp - applies a function to the elements of broadcast tensors, in one pass.
#pragma once

#include <utility>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

namespace map_detail {

template <class T>
struct Operand {
  const T* data;
  Index stride;  // along the row; vectors need 0 or 1
};

template <class V, class T>
inline V read(Operand<T> x, Index i) {
  return x.stride == 0 ? broadcast<V>(static_cast<float>(*x.data)) : load<V>(x.data + i);
}

template <bool kVector, class F, class Y, class... X>
inline void row(Index n, F f, Y* y, Operand<X>... x) {
  Index i = 0;
  const auto single = [&] {
    y[i] = static_cast<Y>(f(static_cast<compute_t<X>>(x.data[i * x.stride])...));
  };
  if constexpr (kVector) {
    for (Index left = n / kLanes; left > 0; --left, i += kLanes)
      store(y + i, f(read<vfloat>(x, i)...));
    // Two bounds: without the constant one GCC 12 warns of overflow where the loop never runs.
    for (int u = 0; u < kLanes - 1 && i < n; ++u, ++i) single();
  } else {
    for (; i < n; ++i) single();
  }
}

// Elements of y below one index of an axis.
template <int kRank, int kAxis, class S>
inline Index below(const S& s) {
  Index count = 1;
  for (int axis = kAxis + 1; axis < kRank; ++axis) count *= s.dims[axis];
  return count;
}

template <int kRank, bool kVector, int kAxis, class S, class F, class Y, std::size_t... K,
          class... X>
inline void walk(S s, ChunkBox chunk, F f, Y*& y, std::index_sequence<K...> operands,
                 const X*... x) {
  const Span own = chunk_axis<kAxis>(s, chunk);
  if constexpr (is_chunked<S>) y += own.begin * below<kRank, kAxis>(s);
  if constexpr (kAxis == kRank - 1) {
    row<kVector>(own.size(), f, y,
                 Operand<X>{x + own.begin * s.strides[static_cast<Index>(K) * kRank + kAxis],
                            s.strides[static_cast<Index>(K) * kRank + kAxis]}...);
    y += own.size();
  } else {
    for (Index i = own.begin; i < own.end; ++i)
      walk<kRank, kVector, kAxis + 1>(
          s, chunk, f, y, operands, (x + i * s.strides[static_cast<Index>(K) * kRank + kAxis])...);
  }
  if constexpr (is_chunked<S>) y += (s.dims[kAxis] - own.end) * below<kRank, kAxis>(s);
}

}  // namespace map_detail

// y: [dims], dense. x...: operands walked with strides[operand * kRank + axis] (0: broadcast).
// f takes one element of each, in its compute type (float for the narrow floats), or with kVector
// (floats and bytes only, innermost strides 0 or 1) a vfloat of each. y may be one of the x when
// that one is dense.  s: dims[kRank], strides[operands * kRank]. Divisible.
template <int kRank, bool kVector, class S, class F, class Y, class... X>
void map(S s, F f, Y* y, const X*... x) {
  map_detail::walk<kRank, kVector, 0>(s, chunk_box<kRank>(s, 64), f, y,
                                      std::index_sequence_for<X...>{}, x...);
}

}  // namespace onnxc
