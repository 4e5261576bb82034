// normalization_calls.hpp - shapes passed to the kernels of this folder; the members are documented
// with the kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct GroupNormShape {
  N batch, groups, width, positions;
  float epsilon;
  bool channels_last, per_group;
};

template <class N>
struct ChannelNormShape {
  N outer, pieces, channels, positions, width;
  float epsilon;
  bool channels_last, per_group;
};

template <class N>
struct HardmaxShape {
  N outer, extent, inner;
};

template <class N>
struct InstanceNormShape {
  N batch, channels, positions;
  float epsilon;
  bool channels_last;
};

// Of layer_norm and rms_norm.
template <class N>
struct RowNormShape {
  N rows, size;
  float epsilon;
};

inline constexpr const char *kLayerNormInt8 = "layer_norm_int8", *kRmsNormInt8 = "rms_norm_int8",
                            *kSoftmaxInt8 = "softmax_int8";

// Of layer_norm_int8 and rms_norm_int8.
template <class N>
struct RowNormInt8Shape {
  N rows, size, zero, bits, places, low, high;
};

template <class N>
struct LpNormalizeShape {
  N outer, count, inner, p;
};

template <class N>
struct LrnShape {
  N batch, channels, positions, size;
  float alpha, beta, bias;
  bool channels_last;
};

template <class N>
struct NormalizeNdShape {
  ListOf<N> outer, inner, x_outer, x_inner, scale_outer, scale_inner, bias_outer, bias_inner;
  float epsilon = 0;
  bool centred = true, outside_root = false;
};

template <class N>
struct SoftmaxAxisShape {
  N outer, count, inner;
  bool logarithm;
};

template <class N>
struct SoftmaxShape {
  N outer, axis, inner;
  bool logarithm;
};

template <class N>
struct SoftmaxInt8Shape {
  N rows, count, places, zero, most;
};

template <class N>
struct BatchNormShape {
  N batch, channels, positions;
  float epsilon;
};

template <class N>
struct BatchNormTrainingShape {
  BatchNormShape<N> norm;
  float momentum;
};

}  // namespace onnxc
