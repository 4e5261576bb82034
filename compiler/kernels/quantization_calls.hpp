// quantization_calls.hpp - shapes passed to the kernels of this folder; the members are documented
// with the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

inline constexpr const char* kLookupBytes = "lookup_bytes";

template <class N>
struct GatherBlocksShape {
  N count, rows, lines, width, block;
};

template <class N>
struct QlinearBinaryShape {
  ListOf<N> dims, a_step, b_step;
  bool multiply;
};

template <class N>
struct QlinearUnaryShape {
  N count;
  bool sigmoid;
  float alpha;
};

// Of dequantize_linear: data and scale.
template <class N>
struct ScaleStrides {
  N outer = 1, count = 1, inner = 1, block = 1;
  N scale_outer = 0, scale_axis = 0, scale_inner = 0;
};

template <class N>
struct QuantizeLinearShape {
  ScaleStrides<N> scale;
  bool saturate;
};

}  // namespace onnxc
