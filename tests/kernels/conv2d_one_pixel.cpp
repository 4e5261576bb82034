// conv2d_one_pixel.cpp - convolution with a single output against naive loops.
#include "templates/convolution/conv2d_one_pixel.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/convolution/conv2d_nhwc.hpp"
#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::kGap;
using onnxc::Index;

// The window begins at the first pixel of an image that may be larger.
template <int NR>
void check(const conv_test::Shape& s) {
  const auto dense = kernel_test::values(s.in_h * s.in_w * s.in_c, 1);
  const auto x = conv_test::spread(dense, s.in_c, s.ldx, kGap);
  const auto w = kernel_test::values(s.out_c * s.in_c * s.k_h * s.k_w, 2);
  const auto bias = kernel_test::values(s.out_c, 3);
  std::vector<float> packed(static_cast<std::size_t>(
      onnxc::packed_conv2d_size<NR>(s.out_c, s.in_c, s.k_h, s.k_w, s.group)));
  onnxc::pack_conv2d<NR>(w.data(), s.out_c, s.in_c, s.k_h, s.k_w, s.group, packed.data());
  const auto want = conv_test::reference(s, dense, w, bias);
  std::vector<float> y(want.size());
  CAPTURE(NR, s.in_h, s.in_w, s.in_c, s.out_c, s.k_h, s.k_w, s.dilation_h, s.ldx);
  onnxc::conv2d_one_pixel<NR>(s, x.data(), packed.data(), bias.data(), y.data());
  CHECK(kernel_test::worst_difference(y, want) <= 2e-5);
}

template <int NR>
void check_shapes() {
  check<NR>(conv_test::make_shape(1, 1, 16, 16, 1, 1, 1, 1, {0, 0, 0, 0}));
  check<NR>(conv_test::make_shape(1, 17, 16, 16, 1, 3, 1, 8, {0, 0, 0, 0}));
  check<NR>(conv_test::make_shape(3, 5, 7, 45, 3, 3, 1, 1, {0, 0, 0, -2}));
  check<NR>(conv_test::make_shape(6, 4, 3, 9, 2, 3, 7, 1, {0, 0, 0, 0}));
  auto part = conv_test::make_shape(1, 9, 6, 5, 1, 5, 1, 2, {0, 0, 0, 0});
  part.ldx = 8;
  check<NR>(part);
}

}  // namespace

TEST_CASE("conv2d_one_pixel") {
  check_shapes<32>();
  check_shapes<16>();
  check_shapes<8>();
  check_shapes<4>();
  check_shapes<1>();
}
