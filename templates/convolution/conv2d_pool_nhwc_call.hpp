// conv2d_pool_nhwc_call.hpp - shapes and operands of conv2d_pool_nhwc.hpp.
#pragma once

#include <optional>

#include "templates/convolution/conv2d_nhwc_call.hpp"
#include "templates/member_list.hpp"

namespace onnxc {

// A convolution with ldx = in_c and ldy = out_c, and the pool of its result.
template <class N>
struct ConvPoolShape : ConvShape<N> {
  N pool_out_h, pool_out_w;
  N pool_k_h, pool_k_w, pool_stride_h, pool_stride_w, pool_dilation_h, pool_dilation_w;
  N pool_pad_top, pool_pad_left;
  N pool_ldy;   // floats from one pixel of y to the next
  N row_block;  // output rows at once
  N planes;     // 1: x is [batch, in_c, in_h, in_w]; 0: channels-last

  using Members = Joined<
      typename ConvShape<N>::Members,
      MemberList<&ConvPoolShape::pool_out_h, &ConvPoolShape::pool_out_w, &ConvPoolShape::pool_k_h,
                 &ConvPoolShape::pool_k_w, &ConvPoolShape::pool_stride_h,
                 &ConvPoolShape::pool_stride_w, &ConvPoolShape::pool_dilation_h,
                 &ConvPoolShape::pool_dilation_w, &ConvPoolShape::pool_pad_top,
                 &ConvPoolShape::pool_pad_left, &ConvPoolShape::pool_ldy, &ConvPoolShape::row_block,
                 &ConvPoolShape::planes>>;
};

// y: [batch, pool_out_h, pool_out_w, out_c]. scratch: conv2d_max_pool_scratch(shape) floats.
template <class A>
struct ConvPoolOperands {
  A x, w, bias, conv_epilogue, y, scratch;
  std::optional<A> pool_epilogue;

  using Members = MemberList<&ConvPoolOperands::x, &ConvPoolOperands::w, &ConvPoolOperands::bias,
                             &ConvPoolOperands::conv_epilogue, &ConvPoolOperands::y,
                             &ConvPoolOperands::scratch, &ConvPoolOperands::pool_epilogue>;
};

template <class N, class A>
struct Conv2dMaxPoolNhwc {
  static constexpr const char* kernel = "conv2d_max_pool_nhwc";
  static constexpr const char* header = "conv2d_pool_nhwc";
  static constexpr bool divisible = true;
  TileArguments tile;
  ConvPoolShape<N> shape;
  ConvPoolOperands<A> operands;
};

}  // namespace onnxc
