// matmul_shapes.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

// Of det and inverse.
template <class N>
struct SquareMatricesShape {
  N batch, size;
};

template <class N>
struct EinsumShape {
  ListOf<N> dims, strides;
};

}  // namespace onnxc
