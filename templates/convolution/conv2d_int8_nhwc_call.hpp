// conv2d_int8_nhwc_call.hpp - shapes and operands of the int8 convolutions.
#pragma once

#include <optional>

#include "templates/convolution/conv2d_nhwc_call.hpp"
#include "templates/matmul/tile_arguments.hpp"
#include "templates/member_list.hpp"

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
  N zero;       // as of Int8ConvShape
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

  using Members = MemberList<&Int8ConvOperands::x, &Int8ConvOperands::w, &Int8ConvOperands::start,
                             &Int8ConvOperands::residual_places, &Int8ConvOperands::y,
                             &Int8ConvOperands::scratch, &Int8ConvOperands::epilogue>;
};

// w: [sets], each pack_depthwise_int8. start: [out_c]. Everything else as of Int8ConvOperands.
template <class A>
struct Int8DepthwiseOperands {
  A x, w, start, y, scratch;
  std::optional<A> epilogue;

  using Members = MemberList<&Int8DepthwiseOperands::x, &Int8DepthwiseOperands::w,
                             &Int8DepthwiseOperands::start, &Int8DepthwiseOperands::y,
                             &Int8DepthwiseOperands::scratch, &Int8DepthwiseOperands::epilogue>;
};

// Operands behind the zero point of x, [1], an input of the model.
template <class A, class Operands>
struct WithZeroPoint {
  A zero;
  Operands operands;

  using Members = MemberList<&WithZeroPoint::zero, &WithZeroPoint::operands>;
};

template <class N, class A>
struct Conv2dInt8Nhwc {
  static constexpr const char* kernel = "conv2d_int8_nhwc";
  static constexpr const char* header = "conv2d_int8_nhwc";
  static constexpr bool divisible = true;
  PanelArgument tile;
  Int8ConvShape<N> shape;
  Int8ConvOperands<A> operands;
};

template <class N, class A>
struct Conv2dInt8NhwcZero {
  static constexpr const char* kernel = "conv2d_int8_nhwc_zero";
  static constexpr const char* header = "conv2d_int8_nhwc";
  static constexpr bool divisible = true;
  PanelArgument tile;
  Int8ConvShape<N> shape;
  WithZeroPoint<A, Int8ConvOperands<A>> operands;
};

template <class N, class A>
struct DepthwiseConv2dInt8Nhwc {
  static constexpr const char* kernel = "depthwise_conv2d_int8_nhwc";
  static constexpr const char* header = "depthwise_conv2d_int8_nhwc";
  static constexpr bool divisible = true;
  Int8DepthwiseShape<N> shape;
  Int8DepthwiseOperands<A> operands;
};

template <class N, class A>
struct DepthwiseConv2dInt8NhwcZero {
  static constexpr const char* kernel = "depthwise_conv2d_int8_nhwc_zero";
  static constexpr const char* header = "depthwise_conv2d_int8_nhwc";
  static constexpr bool divisible = true;
  Int8DepthwiseShape<N> shape;
  WithZeroPoint<A, Int8DepthwiseOperands<A>> operands;
};

}  // namespace onnxc
