// conv2d_winograd_nhwc_call.hpp - shapes and operands of conv2d_winograd_nhwc.hpp.
#pragma once

#include <optional>

#include "templates/convolution/conv2d_nhwc_call.hpp"
#include "templates/member_list.hpp"

namespace onnxc {

// As of ConvOperands, but w: pack_winograd<panel>. scratch: conv2d_winograd_scratch(shape) floats.
template <class A>
struct WinogradOperands {
  A x, w, bias, y, scratch;
  std::optional<A> epilogue;

  using Members =
      MemberList<&WinogradOperands::x, &WinogradOperands::w, &WinogradOperands::bias,
                 &WinogradOperands::y, &WinogradOperands::scratch, &WinogradOperands::epilogue>;
};

// The window is 3x3, stride, dilation and group are 1.
template <class N, class A>
struct Conv2dWinogradNhwc {
  static constexpr const char* kernel = "conv2d_winograd_nhwc";
  static constexpr const char* header = "conv2d_winograd_nhwc";
  static constexpr bool divisible = true;
  TileArguments tile;
  ConvShape<N> shape;
  WinogradOperands<A> operands;
};

// Image by image, for a dynamic number of images; scratch for one of them.
template <class N, class A>
struct Conv2dWinogradEach {
  static constexpr const char* kernel = "conv2d_winograd_each";
  static constexpr const char* header = "conv2d_winograd_nhwc";
  static constexpr bool divisible = true;
  TileArguments tile;
  ConvShape<N> shape;
  WinogradOperands<A> operands;
};

}  // namespace onnxc
