// convolution_shapes.hpp - shapes that kernels of this folder are given; what the members mean
// stands with the kernels.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

template <class N>
struct CausalConvShape {
  N batch, channels, length, kernel;
  bool silu;
};

template <class N>
struct Col2imExtentsShape {
  N rank, rows;
};

template <class N>
struct Col2imShape {
  N batch, channels, taps, windows;
  ListOf<N> out, stride, dilation, pad, pad_end;
};

template <class N>
struct ShuffleChannelsShape {
  N pixels, groups, each, ldx, ldy;
};

}  // namespace onnxc
