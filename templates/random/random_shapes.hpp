// random_shapes.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

template <class N>
struct DropoutShape {
  N count;
  float seed;
  N stream;
};

}  // namespace onnxc
