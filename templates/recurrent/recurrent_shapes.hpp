// recurrent_shapes.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

template <class N>
struct RecurrentInputShape {
  N rows, inputs, columns, recurrent_bias, direction;
};

}  // namespace onnxc
