// pack_weights.hpp - orders the weights of a convolution, known only at run time, for the fast
// kernels.
#pragma once

#include "runtime_min/types.hpp"
#include "templates/convolution/conv2d_nhwc.hpp"
#include "templates/convolution/depthwise_conv2d_nhwc.hpp"

namespace onnxc {

// w: [out_c, in_c / group, k_h, k_w], packed: packed_conv2d_size floats.  s: out_c, in_c, k_h, k_w,
// group.
template <int NR, class S>
void pack_weights(S s, const float* w, float* packed) {
  pack_conv2d<NR>(w, s.out_c, s.in_c, s.k_h, s.k_w, s.group, packed);
}

// w: [out_c, 1, k_h, k_w], packed: as many.  s: out_c, k_h, k_w.
template <class S>
void pack_depthwise_weights(S s, const float* w, float* packed) {
  pack_depthwise_conv2d(w, s.out_c, s.k_h, s.k_w, packed);
}

}  // namespace onnxc
