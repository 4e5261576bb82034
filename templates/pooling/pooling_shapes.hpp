// pooling_shapes.hpp - shapes that kernels of this folder are given; what the members mean stands
// with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

template <class N>
struct MaxRoiPoolShape {
  N batch, channels, height, width, count, out_h, out_w;
  float scale;
};

template <class N>
struct MaxUnpoolShape {
  N count;
  ListOf<N> grid, out;
};

template <class N>
struct RoiAlignShape {
  N batch, channels, height, width, count, out_h, out_w, samples;
  float scale;
  bool half_pixel, largest;
};

}  // namespace onnxc
