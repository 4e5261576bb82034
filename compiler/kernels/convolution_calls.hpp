// convolution_calls.hpp - shapes and calls passed to the kernels of this folder; the members are
// documented with the kernels.
#pragma once

#include <optional>

#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

// An output reads k_h x k_w taps, dilation_h and dilation_w pixels apart; neighbouring outputs
// start stride_h and stride_w pixels apart, the first of them pad_top and pad_left pixels before
// the image. Pads at the end follow from out_h and out_w.
template <class N>
struct ImageWindow {
  N in_h = 1, out_h = 1, k_h = 1, stride_h = 1, dilation_h = 1, pad_top = 0;
  N in_w = 1, out_w = 1, k_w = 1, stride_w = 1, dilation_w = 1, pad_left = 0;

  using Members =
      MemberList<&ImageWindow::in_h, &ImageWindow::out_h, &ImageWindow::k_h, &ImageWindow::stride_h,
                 &ImageWindow::dilation_h, &ImageWindow::pad_top, &ImageWindow::in_w,
                 &ImageWindow::out_w, &ImageWindow::k_w, &ImageWindow::stride_w,
                 &ImageWindow::dilation_w, &ImageWindow::pad_left>;
};

// A window over any number of axes.
template <class N>
struct NdWindow {
  ListOf<N> in, out, kernel, stride, dilation, pad, pad_end;
};

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
  N ldx, ldy;     // floats from one pixel of x or y to the next
  N ld_epilogue;  // the same of what the epilogue reads at `at`

  using Members = Joined<typename ConvExtents<N>::Members,
                         MemberList<&ConvShape::ldx, &ConvShape::ldy, &ConvShape::ld_epilogue>>;
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
};

// conv2d_nhwc.hpp; w: pack_conv2d<panel>.
template <class N, class A>
struct Conv2dNhwc {
  static constexpr const char* kernel = "conv2d_nhwc";
  static constexpr const char* line_buffered = "conv2d_nhwc_line_buffered";
  TileArguments tile;
  ConvShape<N> shape;
  ConvOperands<A> operands;
};

// conv2d_one_pixel.hpp; w: pack_conv2d<panel>.
template <class N, class A>
struct Conv2dOnePixel {
  static constexpr const char* kernel = "conv2d_one_pixel";
  PanelArgument tile;
  ConvShape<N> shape;
  ConvOperands<A> operands;
};

// grouped_pointwise.hpp; w: pack_conv2d<panel> of channels in the order of the interleaved x.
template <class N, class A>
struct ShuffledConv2dNhwc {
  static constexpr const char* kernel = "shuffled_conv2d_nhwc";
  TileArguments tile;
  ShuffledConvShape<N> shape;
  ConvOperands<A> operands;
};

// depthwise_conv2d_nhwc.hpp; w: pack_depthwise_conv2d.
template <class N, class A>
struct DepthwiseConv2dNhwc {
  static constexpr const char* kernel = "depthwise_conv2d_nhwc";
  static constexpr const char* line_buffered = "depthwise_conv2d_nhwc_line_buffered";
  ConvShape<N> shape;
  ConvOperands<A> operands;
};

// line_buffered_layers.hpp: the rows of an image whose elements lie `pixel`, `plane` and `row`
// apart, from one pixel, channel or row to the next.
template <class N>
struct RowsShape : ImageWindow<N> {
  N channels, pixel, plane, row;

  using Members =
      Joined<typename ImageWindow<N>::Members, MemberList<&RowsShape::channels, &RowsShape::pixel,
                                                          &RowsShape::plane, &RowsShape::row>>;
};

// The same of a map with further operands, constants of one element or of one for each channel;
// channel_strides: of each of these, 0 or 1.
template <class N>
struct MapRowsShape : RowsShape<N> {
  ListOf<N> channel_strides;

  using Members =
      Joined<typename RowsShape<N>::Members, MemberList<&MapRowsShape::channel_strides>>;
};

// The rows that a user callback supplies in place of an input.
template <class A>
struct RowSourceOperands {
  A x, y;
};
template <class N, class A>
struct RowSource {
  static constexpr const char* kernel = "row_source";
  static constexpr const char* line_buffered = kernel;
  RowsShape<N> shape;
  RowSourceOperands<A> operands;
};

// As for ConvOperands, but w: pack_winograd<panel>. scratch: conv2d_winograd_scratch(shape) floats.
template <class A>
struct WinogradOperands {
  A x, w, bias, y, scratch;
  std::optional<A> epilogue;
};

// The window is 3x3, stride, dilation and group are 1.
template <class N, class A>
struct Conv2dWinogradNhwc {
  static constexpr const char* kernel = "conv2d_winograd_nhwc";
  TileArguments tile;
  ConvShape<N> shape;
  WinogradOperands<A> operands;
};

// Image by image, for a dynamic number of images; scratch for one of them.
template <class N, class A>
struct Conv2dWinogradEach {
  static constexpr const char* kernel = "conv2d_winograd_each";
  TileArguments tile;
  ConvShape<N> shape;
  WinogradOperands<A> operands;
};

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
};

template <class N, class A>
struct Conv2dMaxPoolNhwc {
  static constexpr const char* kernel = "conv2d_max_pool_nhwc";
  TileArguments tile;
  ConvPoolShape<N> shape;
  ConvPoolOperands<A> operands;
};

// The pointwise convolution before.
template <class N>
struct ExpansionMembers {
  N x_c, x_group;  // channels of x, and their groups
  N x_shuffle;     // groups of an interleaving of x that is left out, or 1
  N ldx;           // floats from one pixel of x to the next

  using Members = MemberList<&ExpansionMembers::x_c, &ExpansionMembers::x_group,
                             &ExpansionMembers::x_shuffle, &ExpansionMembers::ldx>;
};

// The pointwise convolution that follows.
template <class N>
struct ProjectionMembers {
  N y_c, y_group;      // channels of y, and their groups
  N y_shuffle;         // groups of an interleaving of its input that is left out, or 1
  N ldy, ld_epilogue;  // floats from one pixel to the next of y, and of what its epilogue reads at
                       // `at`

  using Members = MemberList<&ProjectionMembers::y_c, &ProjectionMembers::y_group,
                             &ProjectionMembers::y_shuffle, &ProjectionMembers::ldy,
                             &ProjectionMembers::ld_epilogue>;
};

template <class N>
struct ExpandDepthwiseShape : ConvExtents<N>, ExpansionMembers<N> {
  N row_block;  // output rows at once

  using Members = Joined<typename ConvExtents<N>::Members, typename ExpansionMembers<N>::Members,
                         MemberList<&ExpandDepthwiseShape::row_block>>;
};

template <class N>
struct DepthwiseProjectShape : ConvExtents<N>, ProjectionMembers<N> {
  N row_block;  // output rows at once

  using Members = Joined<typename ConvExtents<N>::Members, typename ProjectionMembers<N>::Members,
                         MemberList<&DepthwiseProjectShape::row_block>>;
};

template <class N>
struct ExpandDepthwiseProjectShape : ConvExtents<N>, ExpansionMembers<N>, ProjectionMembers<N> {
  N row_block;  // output rows at once

  using Members = Joined<typename ConvExtents<N>::Members, typename ExpansionMembers<N>::Members,
                         typename ProjectionMembers<N>::Members,
                         MemberList<&ExpandDepthwiseProjectShape::row_block>>;
};

// One of the convolutions: packed weights, bias or null, and what is done to its results.
template <class A>
struct StageOperands {
  static constexpr const char* type = "BlockStage";
  A w, bias, epilogue;
};

// scratch: expand_depthwise_scratch(shape) floats.
template <class N, class A>
struct ExpandDepthwiseNhwc {
  static constexpr const char* kernel = "expand_depthwise_nhwc";
  struct Operands {
    A x;
    StageOperands<A> expand, filter;
    A y, scratch;
  };
  TileArguments tile;  // of the expansion
  ExpandDepthwiseShape<N> shape;
  Operands operands;
};

// scratch: depthwise_project_scratch(shape) floats.
template <class N, class A>
struct DepthwiseProjectNhwc {
  static constexpr const char* kernel = "depthwise_project_nhwc";
  struct Operands {
    A x;
    StageOperands<A> filter, project;
    A y, scratch;
  };
  TileArguments tile;  // of the projection
  DepthwiseProjectShape<N> shape;
  Operands operands;
};

struct ExpandProjectTiles {
  TileArguments expand, project;
};

// scratch: expand_depthwise_project_scratch(shape) floats.
template <class N, class A>
struct ExpandDepthwiseProjectNhwc {
  static constexpr const char* kernel = "expand_depthwise_project_nhwc";
  struct Operands {
    A x;
    StageOperands<A> expand, filter, project;
    A y, scratch;
  };
  ExpandProjectTiles tile;
  ExpandDepthwiseProjectShape<N> shape;
  Operands operands;
};

template <class N>
struct CausalConvShape {
  N batch, channels, length, kernel, dilation;
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

template <class N>
struct ConvNdShape {
  N batch, group, in_c, out_c;
  NdWindow<N> window;
  bool channels_last;
};

template <class N>
struct ConvTransposeNdShape {
  N batch, group, in_c, out_c;
  NdWindow<N> window;
};

template <class N>
struct ConvIntegerNdShape {
  N batch, group, in_c, out_c, w_zero_step;
  NdWindow<N> window;
};

template <class N>
struct DeformConvNdShape {
  N batch, group, offset_group, in_c, out_c;
  NdWindow<N> window;
};

template <class N>
struct QlinearConvShape {
  N batch, group, in_c, out_c, w_scale_step, w_zero_step;
  NdWindow<N> window;
};

template <class N>
struct GatherTapsShape {
  N batch, channels;
  NdWindow<N> window;
};

template <class N>
struct PackWeightsShape {
  N in_c, out_c, k_h, k_w, group;
};

template <class N>
struct PackDepthwiseWeightsShape {
  N out_c, k_h, k_w;
};

// Of the convolution whose weights the derivative is by.
template <class N>
struct ConvGradWeightsShape {
  N batch, group;
  N in_c, out_c;  // channels of one group
  // One entry for each spatial axis.
  ListOf<N> in, out, kernel, stride, dilation;
  ListOf<N> pad;  // zeros before the first element
};

// Spatial axes, and the register tile.
struct ConvGradWeightsTile {
  int rank, rows, panel;
};

struct RankArgument {
  int rank;
};

// x: [batch, group * in_c, in]. dy: [batch, group * out_c, out]. dw: [group * out_c, in_c, kernel].
template <class A>
struct ConvGradWeightsOperands {
  A x, dy, dw;
};

// The same with conv_grad_weights_scratch floats for each thread.
template <class A>
struct TiledConvGradWeightsOperands {
  A x, dy, dw, scratch;
};

// Of float32.
template <class N, class A>
struct ConvGradWeights {
  static constexpr const char* kernel = "conv_grad_weights";
  ConvGradWeightsTile tile;
  ConvGradWeightsShape<N> shape;
  TiledConvGradWeightsOperands<A> operands;
};

// conv_grad_weights_nhwc.hpp, of channels-last images; dy has the place of the result, y. sums:
// as many floats as dw; gathered: gathered_floats for each thread.
template <class N, class A>
struct ConvGradWeightsNhwc {
  static constexpr const char* kernel = "conv_grad_weights_nhwc";
  struct Operands {
    A x, dy, dw, sums, gathered;
  };
  ConvShape<N> shape;
  Operands operands;
};

// Of a depthwise convolution without multiplier.
template <class N, class A>
struct DepthwiseGradWeightsNhwc {
  static constexpr const char* kernel = "depthwise_grad_weights_nhwc";
  struct Operands {
    A x, dy, dw, sums;
  };
  ConvShape<N> shape;
  Operands operands;
};

// Without scratch.
template <class N, class A>
struct ConvGradWeightsEach {
  static constexpr const char* kernel = "conv_grad_weights_each";
  ConvShape<N> shape;
  ConvGradWeightsOperands<A> operands;
};

// Of any element type.
template <class N, class A>
struct ConvGradWeightsNd {
  static constexpr const char* kernel = "conv_grad_weights_nd";
  RankArgument tile;
  ConvGradWeightsShape<N> shape;
  ConvGradWeightsOperands<A> operands;
};

}  // namespace onnxc
