// max_pool2d_int8_nhwc_call.hpp - shapes and operands of max_pool2d_int8_nhwc.hpp.
#pragma once

#include "templates/convolution/image_window.hpp"
#include "templates/member_list.hpp"

namespace onnxc {

// Pools [batch, in_h, in_w, channels] to [batch, out_h, out_w, channels].
template <class N>
struct Int8PoolShape : ImageWindow<N> {
  N batch, channels;

  using Members = Joined<MemberList<&Int8PoolShape::batch, &Int8PoolShape::channels>,
                         typename ImageWindow<N>::Members>;
};

template <class N, class A>
struct MaxPool2dInt8Nhwc {
  static constexpr const char* kernel = "max_pool2d_int8_nhwc";
  static constexpr const char* header = "max_pool2d_int8_nhwc";
  static constexpr bool divisible = true;
  struct Operands {
    A x, y;

    using Members = MemberList<&Operands::x, &Operands::y>;
  };
  Int8PoolShape<N> shape;
  Operands operands;
};

}  // namespace onnxc
