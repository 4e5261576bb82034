// Tables of the roots of unity that Fourier transforms of a constant length read.
#pragma once

#include "compiler/ops/fold.hpp"
#include "compiler/ops/lower.hpp"
#include "templates/signal/fft.hpp"

namespace onnxc::ops::roots_of_unity {

inline ElemType compute_type(const NodeView& n) {
  return n.input(0).elem == ElemType::float64 ? ElemType::float64 : ElemType::float32;
}

// Larger tables are computed at run time, to keep the weights small.
inline bool has_table(const Dim& length) {
  constexpr std::int64_t kLargestTable = 1 << 16;
  return length.is_const() && length.value() <= kLargestTable;
}

// How many roots the table of a transform has.
inline Index roots_read(std::int64_t length, bool of_real) {
  return of_real ? fft_roots_of_real(static_cast<Index>(length)) : static_cast<Index>(length);
}

// Numbers of scratch memory for each element of a transform.
inline std::int64_t work_of_element(const NodeView& n, std::int64_t length, bool of_real) {
  if (!of_real || !fft_halves(static_cast<Index>(length))) return 4;
  return n.input(0).elem == compute_type(n) ? 1 : 2;
}

inline BufferId roots(Lower& n, std::int64_t length, Index count) {
  TensorBuilder table(compute_type(n), {2 * count});
  if (compute_type(n) == ElemType::float64)
    fft_roots<double>(static_cast<Index>(length), count, table.data<double>());
  else
    fft_roots<float>(static_cast<Index>(length), count, table.data<float>());
  return n.constant(table.take(), "roots");
}

}  // namespace onnxc::ops::roots_of_unity
