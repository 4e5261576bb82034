// training_shapes.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

template <class N>
struct NllLossShape {
  N batch, classes, positions, reduction;
  bool ignores;
  N ignored;
};

}  // namespace onnxc
