// depthwise_block_nhwc_call.hpp - shapes and operands of depthwise_block_nhwc.hpp.
//
// A shape is that of the depthwise convolution, with in_c = out_c, and members of the pointwise
// convolutions around it.
#pragma once

#include "templates/convolution/conv2d_nhwc_call.hpp"
#include "templates/member_list.hpp"

namespace onnxc {

// The pointwise convolution before.
template <class N>
struct ExpansionMembers {
  N x_c, x_group;  // channels of x, and their groups
  N x_shuffle;     // groups of an interleaving of x that is left out, or 1
  N ldx;           // floats from one pixel of x to the next

  using Members = MemberList<&ExpansionMembers::x_c, &ExpansionMembers::x_group,
                             &ExpansionMembers::x_shuffle, &ExpansionMembers::ldx>;
};

// The pointwise convolution behind.
template <class N>
struct ProjectionMembers {
  N y_c, y_group;  // channels of y, and their groups
  N y_shuffle;     // groups of an interleaving of its input that is left out, or 1
  N ldy, ld_at;    // floats from one pixel to the next of y, and of what its epilogue reads at `at`

  using Members =
      MemberList<&ProjectionMembers::y_c, &ProjectionMembers::y_group,
                 &ProjectionMembers::y_shuffle, &ProjectionMembers::ldy, &ProjectionMembers::ld_at>;
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
  A w, bias, epilogue;

  using Members = MemberList<&StageOperands::w, &StageOperands::bias, &StageOperands::epilogue>;
};

// scratch: expand_depthwise_scratch(shape) floats.
template <class N, class A>
struct ExpandDepthwiseNhwc {
  static constexpr const char* kernel = "expand_depthwise_nhwc";
  static constexpr const char* header = "depthwise_block_nhwc";
  static constexpr bool divisible = true;
  struct Operands {
    A x;
    StageOperands<A> expand, filter;
    A y, scratch;

    using Members = MemberList<&Operands::x, &Operands::expand, &Operands::filter, &Operands::y,
                               &Operands::scratch>;
  };
  TileArguments tile;  // of the expansion
  ExpandDepthwiseShape<N> shape;
  Operands operands;
};

// scratch: depthwise_project_scratch(shape) floats.
template <class N, class A>
struct DepthwiseProjectNhwc {
  static constexpr const char* kernel = "depthwise_project_nhwc";
  static constexpr const char* header = "depthwise_block_nhwc";
  static constexpr bool divisible = true;
  struct Operands {
    A x;
    StageOperands<A> filter, project;
    A y, scratch;

    using Members = MemberList<&Operands::x, &Operands::filter, &Operands::project, &Operands::y,
                               &Operands::scratch>;
  };
  TileArguments tile;  // of the projection
  DepthwiseProjectShape<N> shape;
  Operands operands;
};

struct ExpandProjectTiles {
  TileArguments expand, project;

  using Members = MemberList<&ExpandProjectTiles::expand, &ExpandProjectTiles::project>;
};

// scratch: expand_depthwise_project_scratch(shape) floats.
template <class N, class A>
struct ExpandDepthwiseProjectNhwc {
  static constexpr const char* kernel = "expand_depthwise_project_nhwc";
  static constexpr const char* header = "depthwise_block_nhwc";
  static constexpr bool divisible = true;
  struct Operands {
    A x;
    StageOperands<A> expand, filter, project;
    A y, scratch;

    using Members = MemberList<&Operands::x, &Operands::expand, &Operands::filter,
                               &Operands::project, &Operands::y, &Operands::scratch>;
  };
  ExpandProjectTiles tile;
  ExpandDepthwiseProjectShape<N> shape;
  Operands operands;
};

}  // namespace onnxc
