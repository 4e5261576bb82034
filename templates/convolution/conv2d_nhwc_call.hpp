// conv2d_nhwc_call.hpp - shapes and operands of the float NHWC convolutions.
#pragma once

#include <optional>

#include "templates/convolution/image_window.hpp"
#include "templates/matmul/tile_arguments.hpp"
#include "templates/member_list.hpp"

namespace onnxc {

// Extents of a convolution of images [batch, in_h, in_w, in_c] to [batch, out_h, out_w, out_c].
template <class N>
struct ConvExtents : ImageWindow<N> {
  N batch;        // images
  N in_c, out_c;  // channels of all groups
  N group;        // divides both

  using Members = Joined<MemberList<&ConvExtents::batch>, typename ImageWindow<N>::Members,
                         MemberList<&ConvExtents::in_c, &ConvExtents::out_c, &ConvExtents::group>>;
};

template <class N>
struct ConvShape : ConvExtents<N> {
  N ldx, ldy;  // floats from one pixel of x or y to the next
  N ld_at;     // the same of what the epilogue reads at `at`

  using Members = Joined<typename ConvExtents<N>::Members,
                         MemberList<&ConvShape::ldx, &ConvShape::ldy, &ConvShape::ld_at>>;
};

template <class N>
struct ShuffledConvShape : ConvShape<N> {
  N shuffle;  // groups of the interleaving of x that is left out

  using Members = Joined<MemberList<&ShuffledConvShape::shuffle>, typename ConvShape<N>::Members>;
};

// The operands that all of them take. x: [batch, in_h, in_w, in_c], pixels ldx apart. w: packed
// weights. bias: [out_c] or null. y: [batch, out_h, out_w, out_c], pixels ldy apart.
template <class A>
struct ConvOperands {
  A x, w, bias, y;
  std::optional<A> epilogue;

  using Members = MemberList<&ConvOperands::x, &ConvOperands::w, &ConvOperands::bias,
                             &ConvOperands::y, &ConvOperands::epilogue>;
};

// conv2d_nhwc.hpp; w: pack_conv2d<panel>.
template <class N, class A>
struct Conv2dNhwc {
  static constexpr const char* kernel = "conv2d_nhwc";
  static constexpr const char* header = "conv2d_nhwc";
  static constexpr bool divisible = true;
  TileArguments tile;
  ConvShape<N> shape;
  ConvOperands<A> operands;
};

// grouped_pointwise.hpp; w: pack_conv2d<panel> of channels in the order of the interleaved x.
template <class N, class A>
struct ShuffledConv2dNhwc {
  static constexpr const char* kernel = "shuffled_conv2d_nhwc";
  static constexpr const char* header = "grouped_pointwise";
  static constexpr bool divisible = true;
  TileArguments tile;
  ShuffledConvShape<N> shape;
  ConvOperands<A> operands;
};

// depthwise_conv2d_nhwc.hpp; w: pack_depthwise_conv2d.
template <class N, class A>
struct DepthwiseConv2dNhwc {
  static constexpr const char* kernel = "depthwise_conv2d_nhwc";
  static constexpr const char* header = "depthwise_conv2d_nhwc";
  static constexpr bool divisible = true;
  ConvShape<N> shape;
  ConvOperands<A> operands;
};

}  // namespace onnxc
