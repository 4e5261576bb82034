// training_calls.hpp - shapes passed to the kernels of this folder; the members are documented with
// the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct NllLossShape {
  N batch, classes, positions, reduction;
  bool ignores;
  N ignored;
};

template <class N>
struct AdagradShape {
  N count;
  float decay, epsilon, norm;
};

template <class N>
struct AdamShape {
  N count;
  float alpha, beta, log_alpha, log_beta, epsilon, norm, norm_post;
};

template <class N>
struct MomentumShape {
  N count;
  float alpha, beta, norm;
  bool nesterov;
};

}  // namespace onnxc
