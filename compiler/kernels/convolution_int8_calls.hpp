// convolution_int8_calls.hpp - shapes and calls passed to the kernels of convolutions of 8-bit
// integers; the members are documented with the kernels.
#pragma once

#include <optional>

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct Int8ConvShape : ConvExtents<N> {
  N zero;            // zero point of x as an unsigned number: that of int8 plus 128
  bool copies;       // whether images are copied to scratch memory, with a border of zero points
  N residual_words;  // residual words of each panel, for weights of more than 8 bits

  using Members = Joined<
      typename ConvExtents<N>::Members,
      MemberList<&Int8ConvShape::zero, &Int8ConvShape::copies, &Int8ConvShape::residual_words>>;
};

// Each channel by itself: group = in_c = out_c.
template <class N>
struct Int8DepthwiseShape : ConvExtents<N> {
  N zero;       // as for Int8ConvShape
  bool copies;  // likewise
  N sets;       // 1, or 2 for weights that are the sum of two 8-bit numbers

  using Members = Joined<typename ConvExtents<N>::Members,
                         MemberList<&Int8DepthwiseShape::zero, &Int8DepthwiseShape::copies,
                                    &Int8DepthwiseShape::sets>>;
};

// x: [batch, in_h, in_w, in_c]. w, residual_places: pack_conv2d_int8<panel>; residual_places is
// null if `residual_words` is 0. start: what every sum starts from, [panels, panel]: the bias less
// zero * the sum of the weights. y: [batch, out_h, out_w, out_c]: int32 for the sums themselves,
// else what the epilogue makes of them. scratch: bordered_size(shape) bytes if `copies`, else null.
template <class A>
struct Int8ConvOperands {
  A x, w, start, residual_places, y, scratch;
  std::optional<A> epilogue;
};

// w: [sets], each pack_depthwise_int8. start: [out_c]. Everything else as for Int8ConvOperands.
template <class A>
struct Int8DepthwiseOperands {
  A x, w, start, y, scratch;
  std::optional<A> epilogue;
};

template <class N>
struct Int8PairsShape : ConvExtents<N> {
  N zero;  // as for Int8ConvShape

  using Members = Joined<typename ConvExtents<N>::Members, MemberList<&Int8PairsShape::zero>>;
};

// w: pack_conv2d_int8_pairs<panel>. start: the bias, [panels, panel]. scratch:
// int8_pairs_scratch(shape) integers. Everything else as for Int8ConvOperands.
template <class A>
struct Int8PairsOperands {
  A x, w, start, y, scratch;
  std::optional<A> epilogue;
};

// The window is 3x3; stride, dilation and group are 1. w: pack_winograd_int8<panel>. inputs, sums:
// as many integers of scratch as winograd_int8_inputs and winograd_int8_sums say. Everything else
// as for Int8PairsOperands.
template <class A>
struct WinogradInt8Operands {
  A x, w, start, y, inputs, sums;
  std::optional<A> epilogue;
};

// Operands after the zero point of x, [1], an input of the model.
template <class A, class Operands>
struct WithZeroPoint {
  A zero;
  Operands operands;
};

template <class N, class A>
struct Conv2dInt8Nhwc {
  static constexpr const char* kernel = "conv2d_int8_nhwc";
  static constexpr const char* line_buffered = "conv2d_int8_nhwc_line_buffered";
  PanelArgument tile;
  Int8ConvShape<N> shape;
  Int8ConvOperands<A> operands;
};

template <class N, class A>
struct Conv2dWinogradInt8Nhwc {
  static constexpr const char* kernel = "conv2d_winograd_int8_nhwc";
  PanelArgument tile;
  Int8PairsShape<N> shape;
  WinogradInt8Operands<A> operands;
};

template <class N, class A>
struct Conv2dInt8PairsNhwc {
  static constexpr const char* kernel = "conv2d_int8_pairs_nhwc";
  PanelArgument tile;
  Int8PairsShape<N> shape;
  Int8PairsOperands<A> operands;
};

template <class N, class A>
struct Conv2dInt8PairsNhwcZero {
  static constexpr const char* kernel = "conv2d_int8_pairs_nhwc_zero";
  PanelArgument tile;
  Int8PairsShape<N> shape;
  WithZeroPoint<A, Int8PairsOperands<A>> operands;
};

template <class N, class A>
struct Conv2dInt8NhwcZero {
  static constexpr const char* kernel = "conv2d_int8_nhwc_zero";
  PanelArgument tile;
  Int8ConvShape<N> shape;
  WithZeroPoint<A, Int8ConvOperands<A>> operands;
};

template <class N, class A>
struct DepthwiseConv2dInt8Nhwc {
  static constexpr const char* kernel = "depthwise_conv2d_int8_nhwc";
  static constexpr const char* line_buffered = "depthwise_conv2d_int8_nhwc_line_buffered";
  Int8DepthwiseShape<N> shape;
  Int8DepthwiseOperands<A> operands;
};

template <class N, class A>
struct DepthwiseConv2dInt8NhwcZero {
  static constexpr const char* kernel = "depthwise_conv2d_int8_nhwc_zero";
  Int8DepthwiseShape<N> shape;
  WithZeroPoint<A, Int8DepthwiseOperands<A>> operands;
};

// w: [sets], each pack_depthwise_int8_taps. scratch is null: images are read in place.
template <class N, class A>
struct DepthwiseConv2dInt8TapsNhwc {
  static constexpr const char* kernel = "depthwise_conv2d_int8_taps_nhwc";
  static constexpr const char* line_buffered = "depthwise_conv2d_int8_taps_nhwc_line_buffered";
  Int8DepthwiseShape<N> shape;
  Int8DepthwiseOperands<A> operands;
};

template <class N, class A>
struct DepthwiseConv2dInt8TapsNhwcZero {
  static constexpr const char* kernel = "depthwise_conv2d_int8_taps_nhwc_zero";
  Int8DepthwiseShape<N> shape;
  WithZeroPoint<A, Int8DepthwiseOperands<A>> operands;
};

// w: pack_depthwise_int8_pairs; sets is 1.
template <class N, class A>
struct DepthwiseConv2dInt8PairsNhwc {
  static constexpr const char* kernel = "depthwise_conv2d_int8_pairs_nhwc";
  Int8DepthwiseShape<N> shape;
  Int8DepthwiseOperands<A> operands;
};

template <class N, class A>
struct DepthwiseConv2dInt8PairsNhwcZero {
  static constexpr const char* kernel = "depthwise_conv2d_int8_pairs_nhwc_zero";
  Int8DepthwiseShape<N> shape;
  WithZeroPoint<A, Int8DepthwiseOperands<A>> operands;
};

template <class N>
struct GatherTapsInt8Shape : ImageWindow<N> {
  N batch, channels;

  using Members = Joined<MemberList<&GatherTapsInt8Shape::batch, &GatherTapsInt8Shape::channels>,
                         typename ImageWindow<N>::Members>;
};

// products: int32, [batch, in_h, in_w, k_h, k_w, channels]. bias: [channels] or null.
template <class N, class A>
struct GatherTapsInt8 {
  static constexpr const char* kernel = "gather_taps_int8";
  struct Operands {
    A products, bias, y;
    std::optional<A> epilogue;
  };
  GatherTapsInt8Shape<N> shape;
  Operands operands;
};

}  // namespace onnxc
