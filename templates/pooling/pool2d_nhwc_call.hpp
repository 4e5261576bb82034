// pool2d_nhwc_call.hpp - shapes and operands of the float NHWC pools.
#pragma once

#include <optional>

#include "templates/convolution/image_window.hpp"
#include "templates/member_list.hpp"

namespace onnxc {

// Pools [batch, in_h, in_w, channels] to [batch, out_h, out_w, channels].
template <class N>
struct PoolShape : ImageWindow<N> {
  N batch, channels;
  N ldx, ldy;  // floats from one pixel of x or y to the next

  using Members =
      Joined<MemberList<&PoolShape::batch, &PoolShape::channels>, typename ImageWindow<N>::Members,
             MemberList<&PoolShape::ldx, &PoolShape::ldy>>;
};

template <class N>
struct AveragePoolShape : PoolShape<N> {
  N pad_bottom, pad_right;
  bool count_include_pad;  // whether pads count in the divisor

  using Members = Joined<typename PoolShape<N>::Members,
                         MemberList<&AveragePoolShape::pad_bottom, &AveragePoolShape::pad_right,
                                    &AveragePoolShape::count_include_pad>>;
};

template <class A>
struct PoolOperandList {
  A x, y;
  std::optional<A> epilogue;

  using Members = MemberList<&PoolOperandList::x, &PoolOperandList::y, &PoolOperandList::epilogue>;
};

template <class N, class A>
struct MaxPool2dNhwc {
  static constexpr const char* kernel = "max_pool2d_nhwc";
  static constexpr const char* header = "pool2d_nhwc";
  static constexpr bool divisible = true;
  PoolShape<N> shape;
  PoolOperandList<A> operands;
};

template <class N, class A>
struct AveragePool2dNhwc {
  static constexpr const char* kernel = "average_pool2d_nhwc";
  static constexpr const char* header = "pool2d_nhwc";
  static constexpr bool divisible = true;
  AveragePoolShape<N> shape;
  PoolOperandList<A> operands;
};

}  // namespace onnxc
