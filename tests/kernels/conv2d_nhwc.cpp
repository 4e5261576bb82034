// conv2d_nhwc.cpp - channels-last convolution against naive loops.
#include "templates/convolution/conv2d_nhwc.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::FixedPart;
using conv_test::Index;
using conv_test::kGap;

template <Index H, Index W, Index CI, Index CO, Index K, Index STRIDE, Index PAD, Index GROUP = 1>
struct FixedShape {
  static constexpr Index batch = 2, in_h = H, in_w = W, in_c = CI,
                         out_h = (H + 2 * PAD - K) / STRIDE + 1,
                         out_w = (W + 2 * PAD - K) / STRIDE + 1, out_c = CO, k_h = K, k_w = K,
                         stride_h = STRIDE, stride_w = STRIDE, dilation_h = 1, dilation_w = 1,
                         pad_top = PAD, pad_left = PAD, group = GROUP, ldx = CI, ldy = CO,
                         ld_epilogue = CO;
};

template <int MR, int NR, class S>
void check(S s) {
  const auto dense = kernel_test::values(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const auto x = conv_test::spread(dense, s.in_c, s.ldx, kGap);
  const auto w = kernel_test::values(s.out_c * (s.in_c / s.group) * s.k_h * s.k_w, 2);
  const auto bias = kernel_test::values(s.out_c, 3);
  std::vector<float> packed(static_cast<std::size_t>(
      onnxc::packed_conv2d_size<NR>(s.out_c, s.in_c, s.k_h, s.k_w, s.group)));
  onnxc::pack_conv2d<NR>(w.data(), s.out_c, s.in_c, s.k_h, s.k_w, s.group, packed.data());
  auto want = conv_test::reference(s, dense, w, bias);
  const auto parts = [&](const std::vector<double>& y) {
    return conv_test::spread(y, s.out_c, s.ldy, static_cast<double>(kGap));
  };
  std::vector<float> y(parts(want).size(), kGap);
  CAPTURE(MR, NR, s.in_h, s.in_w, s.in_c, s.out_c, s.k_h, s.k_w, s.stride_h, s.dilation_h,
          s.pad_top, s.group);
  onnxc::conv2d_nhwc<MR, NR>(s, x.data(), packed.data(), bias.data(), y.data());
  CHECK(kernel_test::worst_difference(y, parts(want)) <= 2e-5);

  const auto added = kernel_test::values(static_cast<Index>(want.size()), 4);
  const auto residual = conv_test::spread(added, s.out_c, s.ld_epilogue, kGap);
  onnxc::conv2d_nhwc<MR, NR>(s, x.data(), packed.data(), nullptr, y.data(),
                             [&](auto v, Index at, Index channel) {
                               using V = decltype(v);
                               return v * 2.0f + onnxc::load<V>(residual.data() + at) +
                                      onnxc::load<V>(bias.data() + channel);
                             });
  const auto plain = conv_test::reference(s, dense, w, {});
  for (std::size_t i = 0; i < want.size(); ++i) {
    want[i] = 2 * plain[i] + static_cast<double>(added[i]) +
              static_cast<double>(bias[i % static_cast<std::size_t>(s.out_c)]);
  }
  CHECK(kernel_test::worst_difference(y, parts(want)) <= 4e-5);
}

}  // namespace

TEST_CASE("conv2d_nhwc, run-time shapes") {
  for (const auto& s : conv_test::shapes()) {
    check<14, 32>(s);
    auto part = s;
    part.ldx = s.in_c + 1;
    part.ld_epilogue = s.out_c + 4;
    part.ldy = s.out_c + 7;
    check<14, 32>(part);
    check<28, 16>(s);
    check<6, 16>(s);
    check<4, 8>(s);
    check<4, 4>(s);
    check<2, 1>(s);
  }
}

TEST_CASE("conv2d_nhwc, fixed shapes") {
  check<14, 32>(FixedShape<7, 7, 16, 32, 3, 1, 1>{});
  check<14, 32>(FixedShape<28, 28, 4, 40, 3, 2, 1>{});
  check<14, 32>(FixedShape<20, 20, 3, 32, 7, 2, 3>{});
  check<14, 32>(FixedShape<9, 9, 8, 32, 1, 1, 0>{});
  check<14, 32>(FixedShape<9, 9, 8, 32, 1, 2, 0>{});
  check<14, 32>(FixedPart<FixedShape<9, 9, 8, 32, 1, 1, 0>>{});
  check<14, 32>(FixedPart<FixedShape<9, 12, 8, 70, 3, 1, 1>>{});
  check<6, 16>(FixedShape<4, 4, 8, 24, 3, 1, 1, 2>{});
  check<4, 8>(FixedShape<1, 1, 8, 8, 3, 1, 1>{});
}

TEST_CASE("conv2d_nhwc, a last panel of few columns") {
  check<9, 48>(FixedShape<6, 6, 12, 68, 1, 1, 0, 2>{});
  check<4, 24>(FixedShape<6, 6, 12, 68, 1, 1, 0, 2>{});
  check<9, 48>(FixedPart<FixedShape<6, 6, 12, 68, 1, 1, 0, 2>>{});
  check<14, 32>(FixedShape<5, 7, 6, 45, 1, 1, 0>{});
  check<14, 32>(FixedShape<5, 7, 6, 41, 3, 1, 1>{});
  check<28, 16>(FixedShape<8, 8, 3, 15, 3, 2, 1>{});
  check<6, 16>(FixedShape<4, 4, 8, 10, 1, 1, 0>{});
  check<4, 8>(FixedShape<4, 4, 8, 7, 3, 1, 1>{});
  check<2, 4>(FixedShape<4, 4, 8, 6, 1, 1, 0, 2>{});
}
