// conv2d_int8_pairs_nhwc.cpp - convolutions of widened 8-bit integers against naive loops: equal.
#include "templates/convolution/conv2d_int8_pairs_nhwc.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "tests/kernels/conv_int8_reference.hpp"

namespace {

using namespace conv_int8_test;  // NOLINT(google-build-using-namespace)
using conv_test::make_shape;

// zero: that of X.
template <int NR, class X>
void check(const conv_test::Shape& shape, int zero, bool wide = false) {
  const Shape s = byte_shape(shape, std::is_signed_v<X> ? zero + 128 : zero, false);
  const auto x = numbers<X>(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const Index weights = s.out_c * s.in_c / s.group * s.k_h * s.k_w;
  const auto w = numbers<std::int8_t>(weights, 2);
  std::vector<std::int8_t> rest;
  if (wide) rest = numbers<std::int8_t>(weights, 3);
  std::vector<std::int32_t> bias(static_cast<std::size_t>(s.out_c));
  for (std::size_t i = 0; i < bias.size(); ++i)
    bias[i] = static_cast<std::int32_t>(i) * 1000 - 5000;
  const auto want = reference(s, x, zero, w, rest, bias);

  const Index panels = onnxc::int8_panels<NR>(s), out_group = s.out_c / s.group;
  std::vector<std::int16_t> packed(
      static_cast<std::size_t>(panels * onnxc::int8_pairs_panel_size<NR>(s)));
  onnxc::pack_conv2d_int8_pairs<NR>(s, w.data(), wide ? rest.data() : nullptr, packed.data());
  std::vector<std::int32_t> start;
  for (Index g = 0; g < s.group; ++g) {
    const auto first = bias.begin() + g * out_group;
    start.insert(start.end(), first, first + out_group);
    start.resize(static_cast<std::size_t>((g + 1) * panels / s.group * NR));
  }
  std::vector<std::int16_t> scratch(static_cast<std::size_t>(onnxc::int8_pairs_scratch(s)), 77);
  CHECK(onnxc::most_int8_pairs_scratch(s) >= onnxc::int8_pairs_scratch(s));

  CAPTURE(NR, s.in_h, s.in_w, s.in_c, s.out_c, s.k_h, s.k_w, s.stride_h, s.dilation_h, s.pad_top,
          s.group, zero);
  std::vector<std::int32_t> sums(want.size());
  onnxc::conv2d_int8_pairs_nhwc<NR>(s, x.data(), packed.data(), start.data(), sums.data(),
                                    scratch.data());
  CHECK(sums == want);

  // The same with a zero point given at run time; that of the shape is ignored.
  const X zero_point = static_cast<X>(zero);
  Shape other = s;
  other.zero = 99;
  std::fill(sums.begin(), sums.end(), 0);
  onnxc::conv2d_int8_pairs_nhwc_zero<NR>(other, &zero_point, x.data(), packed.data(), start.data(),
                                         sums.data(), scratch.data());
  CHECK(sums == want);

  const std::vector<float> scale(static_cast<std::size_t>(s.out_c), 0.004f);
  std::vector<std::uint8_t> y(want.size());
  for (Index i = 0; i < 3; ++i)
    onnxc::conv2d_int8_pairs_nhwc<NR>(onnxc::with_chunk(s, {i, 3, 0}), x.data(), packed.data(),
                                      start.data(), y.data(), scratch.data(),
                                      Quantised{scale.data()});
  CHECK(y == quantised(want, scale));
}

template <int NR>
void check_shapes() {
  for (const Index in_c : {1, 3, 8, 17}) {
    for (const Index out_c : {1, 5, 20}) {
      check<NR, std::uint8_t>(make_shape(7, 6, in_c, out_c, 3, 3, 1, 1, {1, 1, 1, 1}), 9);
      check<NR, std::int8_t>(make_shape(9, 8, in_c, out_c, 3, 2, 2, 1, {0, 2, 1, 0}), -7);
      check<NR, std::uint8_t>(make_shape(9, 9, in_c, out_c, 2, 3, 1, 2, {2, 1, 0, 1}), 255);
      check<NR, std::int8_t>(make_shape(5, 7, in_c, out_c, 1, 1, 1, 1, {0, 0, 0, 0}), 127);
      check<NR, std::uint8_t>(make_shape(5, 7, in_c, out_c, 1, 1, 2, 1, {0, 0, 0, 0}), 0);
    }
  }
}

}  // namespace

TEST_CASE("int8 convolution by pairs: shapes, borders, signs") {
  check_shapes<4>();
  check_shapes<8>();
  check_shapes<16>();
  check_shapes<24>();
}

TEST_CASE("int8 convolution by pairs: every width") {
  for (Index width = 1; width <= 50; ++width) {
    check<8, std::uint8_t>(make_shape(2, width, 3, 7, 3, 3, 1, 1, {1, 1, 1, 1}), 7);
    check<16, std::int8_t>(make_shape(2, width, 5, 16, 1, 1, 1, 1, {0, 0, 0, 0}), 9);
  }
}

TEST_CASE("int8 convolution by pairs: nothing to compute") {
  check<8, std::uint8_t>(make_shape(5, 0, 3, 7, 1, 1, 2, 1, {0, 0, 0, 0}), 7);
  auto s = make_shape(5, 6, 3, 7, 3, 3, 1, 1, {1, 1, 1, 1});
  s.batch = 0;
  check<8, std::uint8_t>(s, 7);
}

TEST_CASE("int8 convolution by pairs: groups") {
  for (const Index group : {2, 3}) {
    auto s = make_shape(6, 7, 6, 12, 3, 3, 1, 1, {1, 1, 1, 1});
    s.group = group;
    check<8, std::uint8_t>(s, 3);
    auto pixels = make_shape(6, 7, 6, 12, 1, 1, 1, 1, {0, 0, 0, 0});
    pixels.group = group;
    check<16, std::int8_t>(pixels, 3);
  }
}

TEST_CASE("int8 convolution by pairs: weights of nine bits") {
  check<16, std::uint8_t>(make_shape(6, 6, 24, 16, 3, 3, 1, 1, {1, 1, 1, 1}), 128, true);
  check<8, std::int8_t>(make_shape(5, 5, 9, 8, 1, 1, 1, 1, {0, 0, 0, 0}), 127, true);
}

TEST_CASE("int8 convolution by pairs: several strips and images") {
  auto s = make_shape(30, 40, 32, 20, 3, 3, 2, 1, {1, 1, 1, 1});
  s.batch = 2;
  check<16, std::uint8_t>(s, 7);
  auto pixels = make_shape(20, 17, 64, 20, 1, 1, 1, 1, {0, 0, 0, 0});
  pixels.batch = 3;
  check<16, std::int8_t>(pixels, -9);
  // More channels than the first-level cache holds.
  check<8, std::uint8_t>(make_shape(3, 40, 1500, 3, 1, 1, 1, 1, {0, 0, 0, 0}), 7);
}
