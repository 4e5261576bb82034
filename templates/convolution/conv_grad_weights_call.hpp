// conv_grad_weights_call.hpp - shapes and operands of conv_grad_weights.hpp.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

// Of the convolution whose weights the derivative is by.
template <class N>
struct ConvGradWeightsShape {
  N batch, group;
  N in_c, out_c;  // channels of one group
  // One entry for each spatial axis.
  ListOf<N> in, out, kernel, stride, dilation;
  ListOf<N> pad;  // zeros before the first element

  using Members = MemberList<&ConvGradWeightsShape::batch, &ConvGradWeightsShape::group,
                             &ConvGradWeightsShape::in_c, &ConvGradWeightsShape::out_c,
                             &ConvGradWeightsShape::in, &ConvGradWeightsShape::out,
                             &ConvGradWeightsShape::kernel, &ConvGradWeightsShape::stride,
                             &ConvGradWeightsShape::dilation, &ConvGradWeightsShape::pad>;
};

// Spatial axes, and the register tile.
struct ConvGradWeightsTile {
  int rank, rows, panel;

  using Members = MemberList<&ConvGradWeightsTile::rank, &ConvGradWeightsTile::rows,
                             &ConvGradWeightsTile::panel>;
};

struct RankArgument {
  int rank;

  using Members = MemberList<&RankArgument::rank>;
};

// x: [batch, group * in_c, in]. dy: [batch, group * out_c, out]. dw: [group * out_c, in_c, kernel].
template <class A>
struct ConvGradWeightsOperands {
  A x, dy, dw;

  using Members = MemberList<&ConvGradWeightsOperands::x, &ConvGradWeightsOperands::dy,
                             &ConvGradWeightsOperands::dw>;
};

// The same with conv_grad_weights_scratch floats for each thread.
template <class A>
struct TiledConvGradWeightsOperands : ConvGradWeightsOperands<A> {
  A scratch;

  using Members = Joined<typename ConvGradWeightsOperands<A>::Members,
                         MemberList<&TiledConvGradWeightsOperands::scratch>>;
};

// Of float32.
template <class N, class A>
struct ConvGradWeights {
  static constexpr const char* kernel = "conv_grad_weights";
  static constexpr const char* header = "conv_grad_weights";
  static constexpr bool divisible = true;
  ConvGradWeightsTile tile;
  ConvGradWeightsShape<N> shape;
  TiledConvGradWeightsOperands<A> operands;
};

// Of any element type.
template <class N, class A>
struct ConvGradWeightsNd {
  static constexpr const char* kernel = "conv_grad_weights_nd";
  static constexpr const char* header = "conv_grad_weights";
  RankArgument tile;
  ConvGradWeightsShape<N> shape;
  ConvGradWeightsOperands<A> operands;
};

}  // namespace onnxc
