// depthwise_conv2d_nhwc.cpp - depthwise convolution against naive loops.
#include "templates/convolution/depthwise_conv2d_nhwc.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::Index;
using conv_test::make_shape;

template <Index H, Index W, Index C, Index K, Index STRIDE, Index PAD>
struct FixedShape {
  static constexpr Index batch = 2, in_h = H, in_w = W, in_c = C,
                         out_h = (H + 2 * PAD - K) / STRIDE + 1,
                         out_w = (W + 2 * PAD - K) / STRIDE + 1, out_c = C, k_h = K, k_w = K,
                         stride_h = STRIDE, stride_w = STRIDE, dilation_h = 1, dilation_w = 1,
                         pad_top = PAD, pad_left = PAD, group = C, ldx = C, ldy = C;
};

template <class S>
void check(S s) {
  const auto x = kernel_test::values(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const auto w = kernel_test::values(s.out_c * s.k_h * s.k_w, 2);
  const auto bias = kernel_test::values(s.out_c, 3);
  std::vector<float> packed(w.size());
  onnxc::pack_depthwise_conv2d(w.data(), s.out_c, s.k_h, s.k_w, packed.data());
  auto want = conv_test::reference(s, x, w, bias);
  std::vector<float> y(want.size());
  CAPTURE(s.in_h, s.in_w, s.in_c, s.out_c, s.k_h, s.k_w, s.stride_h, s.dilation_h, s.pad_top,
          s.group);
  onnxc::depthwise_conv2d_nhwc(s, x.data(), packed.data(), bias.data(), y.data());
  CHECK(kernel_test::worst_difference(y, want) <= 1e-5);

  const auto residual = kernel_test::values(static_cast<Index>(want.size()), 4);
  onnxc::depthwise_conv2d_nhwc(s, x.data(), packed.data(), nullptr, y.data(),
                               [&](auto v, Index at, Index channel) {
                                 using V = decltype(v);
                                 return v * 2.0f + onnxc::load<V>(residual.data() + at) +
                                        onnxc::load<V>(bias.data() + channel);
                               });
  const auto plain = conv_test::reference(s, x, w, {});
  for (std::size_t i = 0; i < want.size(); ++i) {
    want[i] = 2 * plain[i] + static_cast<double>(residual[i]) +
              static_cast<double>(bias[i % static_cast<std::size_t>(s.out_c)]);
  }
  CHECK(kernel_test::worst_difference(y, want) <= 2e-5);
}

}  // namespace

TEST_CASE("depthwise_conv2d_nhwc, run-time shapes") {
  for (Index c : {1, 3, 8, 16, 24, 37, 150}) {
    check(make_shape(7, 7, c, c, 3, 3, 1, 1, {1, 1, 1, 1}, c));
    check(make_shape(9, 20, c, c, 3, 3, 2, 1, {0, 0, 1, 1}, c, 2));
    check(make_shape(10, 11, c, c, 5, 5, 1, 1, {2, 2, 2, 2}, c));
    check(make_shape(10, 25, c, c, 5, 5, 2, 1, {2, 2, 2, 2}, c));
    check(make_shape(10, 25, c, c, 4, 7, 1, 1, {2, 3, 1, 3}, c));
    check(make_shape(10, 25, c, c, 3, 3, 1, 2, {2, 2, 2, 2}, c));
    check(make_shape(10, 25, c, c, 3, 3, 3, 1, {0, 0, 0, 0}, c));
    check(make_shape(2, 1, c, c, 5, 5, 1, 1, {2, 2, 2, 2}, c));
    check(make_shape(1, 1, c, c, 1, 1, 1, 1, {2, 2, 2, 2}, c));
    check(make_shape(6, 5, c, 3 * c, 3, 3, 1, 1, {1, 1, 1, 1}, c, 2));
  }
}

TEST_CASE("depthwise_conv2d_nhwc, fixed shapes") {
  check(FixedShape<14, 14, 40, 3, 1, 1>{});
  check(FixedShape<15, 21, 20, 3, 2, 1>{});
  check(FixedShape<15, 21, 20, 5, 1, 2>{});
  check(FixedShape<15, 21, 20, 5, 2, 2>{});
  check(FixedShape<3, 3, 20, 7, 1, 3>{});
}
