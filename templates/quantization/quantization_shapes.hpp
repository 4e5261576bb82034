// quantization_shapes.hpp - shapes that kernels of this folder are given; what the members mean
// stands with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

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

}  // namespace onnxc
