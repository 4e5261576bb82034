// conv2d_winograd_nhwc.cpp - Winograd convolution against naive loops.
#include "templates/convolution/conv2d_winograd_nhwc.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::FixedPart;
using conv_test::Index;
using conv_test::kGap;
using conv_test::make_shape;

template <Index H, Index W, Index CI, Index CO>
struct FixedShape {
  static constexpr Index batch = 2, in_h = H, in_w = W, in_c = CI, out_h = H, out_w = W, out_c = CO,
                         k_h = 3, k_w = 3, stride_h = 1, stride_w = 1, dilation_h = 1,
                         dilation_w = 1, pad_top = 1, pad_left = 1, group = 1, ldx = CI, ldy = CO,
                         ld_epilogue = CO;
};

template <int MR, int NR, class S>
void check(S s) {
  const auto dense = kernel_test::values(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const auto x = conv_test::spread(dense, s.in_c, s.ldx, kGap);
  const auto w = kernel_test::values(s.out_c * s.in_c * 9, 2);
  const auto bias = kernel_test::values(s.out_c, 3);
  std::vector<float> packed(
      static_cast<std::size_t>(onnxc::packed_winograd_size<NR>(s.out_c, s.in_c)));
  onnxc::pack_winograd<NR>(w.data(), s.out_c, s.in_c, packed.data());
  std::vector<float> scratch(static_cast<std::size_t>(onnxc::conv2d_winograd_scratch(s)));
  auto want = conv_test::reference(s, dense, w, bias);
  const auto parts = [&](const std::vector<double>& values) {
    return conv_test::spread(values, s.out_c, s.ldy, static_cast<double>(kGap));
  };
  std::vector<float> y(parts(want).size(), kGap);
  CAPTURE(MR, NR, s.in_h, s.in_w, s.in_c, s.out_c, s.pad_top);
  onnxc::conv2d_winograd_nhwc<MR, NR>(s, x.data(), packed.data(), bias.data(), y.data(),
                                      scratch.data());
  // Inputs and weights reach one, so sums grow with the root of their length.
  const double bound = 2e-5 * std::sqrt(9.0 * static_cast<double>(s.in_c) + 10);
  CHECK(kernel_test::worst_difference(y, parts(want)) <= bound);

  std::vector<float> alone(
      static_cast<std::size_t>(onnxc::conv2d_winograd_scratch(onnxc::OneWinogradImage<S>(s))));
  y.assign(y.size(), kGap);
  onnxc::conv2d_winograd_each<MR, NR>(s, x.data(), packed.data(), bias.data(), y.data(),
                                      alone.data());
  CHECK(kernel_test::worst_difference(y, parts(want)) <= bound);

  const auto added = kernel_test::values(static_cast<Index>(want.size()), 4);
  const auto residual = conv_test::spread(added, s.out_c, s.ld_epilogue, kGap);
  onnxc::conv2d_winograd_nhwc<MR, NR>(s, x.data(), packed.data(), bias.data(), y.data(),
                                      scratch.data(), [&](auto v, Index at, Index channel) {
                                        using V = decltype(v);
                                        return v * 2.0f + onnxc::load<V>(residual.data() + at) +
                                               onnxc::load<V>(bias.data() + channel);
                                      });
  for (std::size_t i = 0; i < want.size(); ++i) {
    want[i] = 2 * want[i] + static_cast<double>(added[i]) +
              static_cast<double>(bias[i % static_cast<std::size_t>(s.out_c)]);
  }
  CHECK(kernel_test::worst_difference(y, parts(want)) <= 2 * bound);
}

template <int MR, int NR>
void check_all() {
  check<MR, NR>(make_shape(8, 8, 16, 32, 3, 3, 1, 1, {1, 1, 1, 1}));
  check<MR, NR>(make_shape(7, 7, 20, 33, 3, 3, 1, 1, {1, 1, 1, 1}, 1, 2));
  check<MR, NR>(make_shape(14, 30, 5, 3, 3, 3, 1, 1, {1, 1, 1, 1}));
  check<MR, NR>(make_shape(9, 6, 17, 40, 3, 3, 1, 1, {0, 0, 0, 0}));
  check<MR, NR>(make_shape(5, 6, 3, 8, 3, 3, 1, 1, {2, 0, 1, 2}));
  check<MR, NR>(make_shape(1, 1, 1, 1, 3, 3, 1, 1, {1, 1, 1, 1}));
  check<MR, NR>(make_shape(40, 40, 64, 64, 3, 3, 1, 1, {1, 1, 1, 1}));
  check<MR, NR>(make_shape(3, 90, 256, 20, 3, 3, 1, 1, {1, 1, 1, 1}));
  auto part = make_shape(9, 10, 24, 40, 3, 3, 1, 1, {1, 1, 1, 1});
  part.ldx = 30;
  part.ld_epilogue = 41;
  part.ldy = 64;
  check<MR, NR>(part);
}

}  // namespace

TEST_CASE("conv2d_winograd_nhwc, run-time shapes") {
  check_all<14, 32>();
  check_all<6, 16>();
  check_all<4, 4>();
}

TEST_CASE("conv2d_winograd_nhwc, fixed shapes") {
  check<14, 32>(FixedShape<7, 7, 16, 32>{});
  check<14, 32>(FixedShape<33, 30, 60, 70>{});
  check<14, 32>(FixedPart<FixedShape<30, 33, 32, 20>>{});
}

TEST_CASE("conv2d_winograd_nhwc, the error that docs/command-line.md promises") {
  for (Index channels : {16, 64, 256}) {
    for (bool positive : {false, true}) {
      const auto s = make_shape(12, 12, channels, 32, 3, 3, 1, 1, {1, 1, 1, 1});
      auto x = kernel_test::values(s.in_h * s.in_w * channels, 1),
           w = kernel_test::values(32 * channels * 9, 2);
      auto x_size = x, w_size = w;
      for (float& v : x_size) v = std::fabs(v);
      for (float& v : w_size) v = std::fabs(v);
      if (positive) x = x_size, w = w_size;
      std::vector<float> packed(
          static_cast<std::size_t>(onnxc::packed_winograd_size<32>(32, channels)));
      onnxc::pack_winograd<32>(w.data(), 32, channels, packed.data());
      std::vector<float> scratch(static_cast<std::size_t>(onnxc::conv2d_winograd_scratch(s)));
      const auto want = conv_test::reference(s, x, w, {}),
                 size = conv_test::reference(s, x_size, w_size, {});
      std::vector<float> y(want.size());
      onnxc::conv2d_winograd_nhwc<14, 32>(s, x.data(), packed.data(), nullptr, y.data(),
                                          scratch.data());
      double worst = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        worst = std::fmax(worst, std::fabs(static_cast<double>(y[i]) - want[i]) / size[i]);
      }
      CAPTURE(channels, positive);
      CHECK(worst <= std::ldexp(1.0, -18));
    }
  }
}
