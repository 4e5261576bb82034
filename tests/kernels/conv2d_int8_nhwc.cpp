// conv2d_int8_nhwc.cpp - convolutions of 8-bit integers against naive loops; the sums are exact.
#include "templates/convolution/conv2d_int8_nhwc.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "templates/convolution/depthwise_conv2d_int8_nhwc.hpp"
#include "templates/convolution/depthwise_conv2d_int8_taps_nhwc.hpp"
#include "templates/matmul/int8_bias.hpp"
#include "tests/kernels/conv_int8_reference.hpp"

namespace {

using namespace conv_int8_test;  // NOLINT(google-build-using-namespace)
using conv_test::Index;
using conv_test::make_shape;

template <class X>
struct Data {
  Shape s;
  int zero;  // of X
  std::vector<X> x;
  std::vector<std::int8_t> w, rest;
  std::vector<std::int32_t> bias, want, start;
  std::vector<std::uint8_t> scratch;

  Data(const conv_test::Shape& shape, int x_zero, bool wide)
      : s(byte_shape(shape, std::is_signed_v<X> ? x_zero + 128 : x_zero, true)),
        zero(x_zero),
        x(numbers<X>(s.batch * s.in_h * s.in_w * s.in_c, 1)),
        w(numbers<std::int8_t>(s.out_c * s.in_c / s.group * s.k_h * s.k_w, 2)),
        bias(static_cast<std::size_t>(s.out_c)),
        scratch(static_cast<std::size_t>(onnxc::bordered_size(s)), std::uint8_t{77}) {
    for (std::size_t i = 0; i < bias.size(); ++i)
      bias[i] = static_cast<std::int32_t>(i) * 1000 - 5000;
    if (wide) {
      rest.assign(w.size(), 0);
      for (std::size_t i = 0; i < rest.size(); i += 11) rest[i] = static_cast<std::int8_t>(i % 5);
    }
    want = reference(s, x, zero, w, rest, bias);
    const std::size_t row = w.size() / bias.size();
    std::vector<std::int32_t> sums(bias.size());
    for (std::size_t i = 0; i < w.size(); ++i) sums[i / row] += w[i] + (wide ? rest[i] : 0);
    struct {
      Index count;
    } all = {s.out_c};
    start.resize(bias.size());
    const X given = static_cast<X>(zero);
    onnxc::int8_bias(all, &given, sums.data(), bias.data(), start.data());
  }

  // What the sums of a channel start from with panels of this width.
  std::int32_t start_of(Index channel, int width) const {
    const auto i = static_cast<std::size_t>(channel), row = w.size() / bias.size();
    std::int32_t from = start[i];
    for (std::size_t j = i * row; j < (i + 1) * row && width == 1; ++j)
      from += 128 * (w[j] + (rest.empty() ? 0 : rest[j]));
    return from;
  }
};

template <int NR, class X>
void check(const conv_test::Shape& shape, int zero, bool wide = false) {
  Data<X> d(shape, zero, wide);
  Shape& s = d.s;
  if (wide) s.residual_words = onnxc::residual_words<NR>(s, d.rest.data());
  const Index panels = onnxc::int8_panels<NR>(s), out_group = s.out_c / s.group;
  std::vector<std::int8_t> packed(static_cast<std::size_t>(panels * onnxc::int8_panel_size<NR>(s)));
  std::vector<std::int32_t> residual_places(
      static_cast<std::size_t>(panels * s.residual_words * 3) + 1);
  onnxc::pack_conv2d_int8<NR>(s, d.w.data(), wide ? d.rest.data() : nullptr, packed.data(),
                              residual_places.data());
  std::vector<std::int32_t> start;
  for (Index g = 0; g < s.group; ++g) {
    for (Index j = 0; j < out_group; ++j) start.push_back(d.start_of(g * out_group + j, NR));
    start.resize(static_cast<std::size_t>((g + 1) * panels / s.group * NR));
  }
  CAPTURE(NR, s.in_h, s.in_w, s.in_c, s.out_c, s.k_h, s.k_w, s.stride_h, s.dilation_h, s.pad_top,
          s.group, s.residual_words);
  std::vector<std::int32_t> sums(d.want.size());
  onnxc::conv2d_int8_nhwc<NR>(s, d.x.data(), packed.data(), start.data(), residual_places.data(),
                              sums.data(), d.scratch.data());
  CHECK(sums == d.want);

  // The same with a zero point given at run time; that of the shape is ignored.
  const X zero_point = static_cast<X>(zero);
  Shape other = s;
  other.zero = 99;
  std::fill(sums.begin(), sums.end(), 0);
  onnxc::conv2d_int8_nhwc_zero<NR>(other, &zero_point, d.x.data(), packed.data(), start.data(),
                                   residual_places.data(), sums.data(), d.scratch.data());
  CHECK(sums == d.want);

  const std::vector<float> scale(static_cast<std::size_t>(s.out_c), 0.004f);
  std::vector<std::uint8_t> y(d.want.size());
  onnxc::conv2d_int8_nhwc<NR>(s, d.x.data(), packed.data(), start.data(), residual_places.data(),
                              y.data(), d.scratch.data(), Quantised{scale.data()});
  CHECK(y == quantised(d.want, scale));

  std::vector<std::uint8_t> chunks(y.size());
  for (Index i = 0; i < 3; ++i)
    onnxc::conv2d_int8_nhwc<NR>(onnxc::with_chunk(s, {i, 3, 0}), d.x.data(), packed.data(),
                                start.data(), residual_places.data(), chunks.data(),
                                d.scratch.data(), Quantised{scale.data()});
  CHECK(chunks == y);

  // In place, with nothing readable after the image but what a run's last word may touch.
  if (std::is_signed_v<X> || onnxc::bordered_width(s) != s.in_w ||
      onnxc::bordered_height(s) != s.in_h || s.pad_top + s.pad_left > 0)
    return;
  s.copies = false;
  d.x.resize(d.x.size() + 4);
  onnxc::conv2d_int8_nhwc<NR>(s, d.x.data(), packed.data(), start.data(), residual_places.data(),
                              sums.data(), static_cast<std::uint8_t*>(nullptr));
  CHECK(sums == d.want);
}

// A kernel that reads the zero point, in three chunks, where the shape has another one.
template <class X, class F>
void check_zero_point(const Data<X>& d, Shape s, X zero_point, F run) {
  s.zero = 99;
  std::vector<std::int32_t> sums(d.want.size());
  for (Index i = 0; i < 3; ++i) run(onnxc::with_chunk(s, {i, 3, 0}), &zero_point, sums.data());
  CHECK(sums == d.want);
}

template <class X>
void check_depthwise(const conv_test::Shape& shape, int zero, bool wide = false) {
  Data<X> d(shape, zero, wide);
  Shape& s = d.s;
  s.sets = wide ? 2 : 1;
  std::vector<std::int8_t> packed(static_cast<std::size_t>(2 * onnxc::depthwise_set_size(s)));
  onnxc::pack_depthwise_int8(s, d.w.data(), packed.data());
  if (wide)
    onnxc::pack_depthwise_int8(s, d.rest.data(), packed.data() + onnxc::depthwise_set_size(s));
  CAPTURE(s.in_h, s.in_w, s.in_c, s.k_h, s.k_w, s.stride_h, s.dilation_h, s.pad_top);
  std::vector<std::int32_t> sums(d.want.size());
  onnxc::depthwise_conv2d_int8_nhwc(s, d.x.data(), packed.data(), d.start.data(), sums.data(),
                                    d.scratch.data());
  CHECK(sums == d.want);
  check_zero_point(d, s, static_cast<X>(zero), [&](const auto& part, const X* at, auto* y) {
    onnxc::depthwise_conv2d_int8_nhwc_zero(part, at, d.x.data(), packed.data(), d.start.data(), y,
                                           d.scratch.data());
  });
  const std::vector<float> scale(static_cast<std::size_t>(s.out_c), 0.02f);
  std::vector<std::uint8_t> y(d.want.size());
  onnxc::depthwise_conv2d_int8_nhwc(s, d.x.data(), packed.data(), d.start.data(), y.data(),
                                    d.scratch.data(), Quantised{scale.data()});
  CHECK(y == quantised(d.want, scale));
  std::vector<std::uint8_t> chunks(y.size());
  for (Index i = 0; i < 3; ++i)
    onnxc::depthwise_conv2d_int8_nhwc(onnxc::with_chunk(s, {i, 3, 0}), d.x.data(), packed.data(),
                                      d.start.data(), chunks.data(), d.scratch.data(),
                                      Quantised{scale.data()});
  CHECK(chunks == y);
}

// The same with weights as 16-bit integers in pairs.
template <class X>
void check_depthwise_pairs(const conv_test::Shape& shape, int zero, bool wide = false) {
  Data<X> d(shape, zero, wide);
  const Shape& s = d.s;
  std::vector<std::int16_t> packed(
      static_cast<std::size_t>(onnxc::tap_words<onnxc::PairProduct>(s) * s.k_w * s.in_c * 2));
  onnxc::pack_depthwise_int8_pairs(s, d.w.data(), wide ? d.rest.data() : nullptr, packed.data());
  CAPTURE(s.in_h, s.in_w, s.in_c, s.k_h, s.k_w, s.stride_h, s.dilation_h, s.pad_top);
  std::vector<std::int32_t> sums(d.want.size());
  onnxc::depthwise_conv2d_int8_pairs_nhwc(s, d.x.data(), packed.data(), d.start.data(), sums.data(),
                                          d.scratch.data());
  CHECK(sums == d.want);
  check_zero_point(d, s, static_cast<X>(zero), [&](const auto& part, const X* at, auto* y) {
    onnxc::depthwise_conv2d_int8_pairs_nhwc_zero(part, at, d.x.data(), packed.data(),
                                                 d.start.data(), y, d.scratch.data());
  });
}

// The same with weights tap by tap.
template <class X>
void check_depthwise_taps(const conv_test::Shape& shape, int zero, bool wide = false) {
  Data<X> d(shape, zero, wide);
  Shape& s = d.s;
  s.sets = wide ? 2 : 1;
  std::vector<std::int8_t> packed(static_cast<std::size_t>(2 * onnxc::depthwise_taps_size(s)));
  onnxc::pack_depthwise_int8_taps(s, d.w.data(), packed.data());
  if (wide)
    onnxc::pack_depthwise_int8_taps(s, d.rest.data(),
                                    packed.data() + onnxc::depthwise_taps_size(s));
  CAPTURE(s.in_h, s.in_w, s.in_c, s.k_h, s.k_w, s.stride_h, s.dilation_h, s.pad_top);
  std::vector<std::int32_t> sums(d.want.size());
  onnxc::depthwise_conv2d_int8_taps_nhwc(s, d.x.data(), packed.data(), d.start.data(), sums.data(),
                                         nullptr);
  CHECK(sums == d.want);
  check_zero_point(d, s, static_cast<X>(zero), [&](const auto& part, const X* at, auto* y) {
    onnxc::depthwise_conv2d_int8_taps_nhwc_zero(part, at, d.x.data(), packed.data(), d.start.data(),
                                                y, nullptr);
  });
}

// Sizes as constants, as generated code has them.
template <Index H, Index W, Index C, Index O, Index K, Index STRIDE, Index PAD, Index GROUP = 1,
          Index ZERO = 9>
struct Fixed {
  static constexpr Index batch = 2, in_h = H, in_w = W, in_c = C,
                         out_h = (H + 2 * PAD - K) / STRIDE + 1,
                         out_w = (W + 2 * PAD - K) / STRIDE + 1, out_c = O, k_h = K, k_w = K,
                         stride_h = STRIDE, stride_w = STRIDE, dilation_h = 1, dilation_w = 1,
                         pad_top = PAD, pad_left = PAD, group = GROUP, zero = ZERO,
                         residual_words = 0, sets = 1;
  static constexpr bool copies = true;
};

template <Index H, Index W, Index C, Index O, Index K, Index STRIDE, Index PAD, Index ZERO = 9,
          int NR = 16>
void check_fixed() {
  using S = Fixed<H, W, C, O, K, STRIDE, PAD, 1, ZERO>;
  const Data<std::uint8_t> d(make_shape(H, W, C, O, K, K, STRIDE, 1, {PAD, PAD, PAD, PAD}, 1, 2),
                             ZERO, false);
  std::vector<std::int8_t> packed(
      static_cast<std::size_t>(onnxc::int8_panels<NR>(S{}) * onnxc::int8_panel_size<NR>(S{})));
  onnxc::pack_conv2d_int8<NR>(S{}, d.w.data(), nullptr, packed.data(), nullptr);
  std::vector<std::int32_t> start;
  for (Index o = 0; o < O; ++o) start.push_back(d.start_of(o, NR));
  start.resize(static_cast<std::size_t>(onnxc::int8_panels<NR>(S{}) * NR));
  std::vector<std::int32_t> sums(d.want.size());
  auto scratch = d.scratch;
  onnxc::conv2d_int8_nhwc<NR>(S{}, d.x.data(), packed.data(), start.data(), nullptr, sums.data(),
                              scratch.data());
  CAPTURE(H, W, C, O, K, STRIDE, PAD, ZERO, NR);
  CHECK(sums == d.want);
}

template <Index H, Index W, Index C, Index K, Index STRIDE, Index PAD>
void check_fixed_depthwise() {
  using S = Fixed<H, W, C, C, K, STRIDE, PAD, C>;
  const Data<std::uint8_t> d(make_shape(H, W, C, C, K, K, STRIDE, 1, {PAD, PAD, PAD, PAD}, C, 2), 9,
                             false);
  std::vector<std::int8_t> packed(static_cast<std::size_t>(onnxc::depthwise_set_size(S{})));
  onnxc::pack_depthwise_int8(S{}, d.w.data(), packed.data());
  std::vector<std::int32_t> sums(d.want.size());
  auto scratch = d.scratch;
  onnxc::depthwise_conv2d_int8_nhwc(S{}, d.x.data(), packed.data(), d.start.data(), sums.data(),
                                    scratch.data());
  CAPTURE(H, W, C, K, STRIDE, PAD);
  CHECK(sums == d.want);
  onnxc::pack_depthwise_int8_taps(S{}, d.w.data(), packed.data());
  std::fill(sums.begin(), sums.end(), 0);
  onnxc::depthwise_conv2d_int8_taps_nhwc(S{}, d.x.data(), packed.data(), d.start.data(),
                                         sums.data(), nullptr);
  CHECK(sums == d.want);
  std::vector<std::int16_t> pairs(
      static_cast<std::size_t>(onnxc::tap_words<onnxc::PairProduct>(S{}) * K * C * 2));
  onnxc::pack_depthwise_int8_pairs(S{}, d.w.data(), nullptr, pairs.data());
  std::fill(sums.begin(), sums.end(), 0);
  onnxc::depthwise_conv2d_int8_pairs_nhwc(S{}, d.x.data(), pairs.data(), d.start.data(),
                                          sums.data(), scratch.data());
  CHECK(sums == d.want);
}

}  // namespace

TEST_CASE("conv2d_int8_nhwc, run-time shapes") {
  for (Index ci : {1, 3, 4, 20})
    for (Index co : {1, 5, 8, 37}) {
      check<8, std::uint8_t>(make_shape(5, 30, ci, co, 3, 3, 1, 1, {1, 1, 1, 1}, 1, 2), 7);
      check<16, std::int8_t>(make_shape(7, 9, ci, co, 3, 2, 2, 1, {0, 1, 1, 0}), -3);
      check<32, std::uint8_t>(make_shape(6, 27, ci, co, 1, 1, 1, 1, {0, 0, 0, 0}, 1, 2), 255);
      check<32, std::uint8_t>(make_shape(8, 8, ci, co, 1, 1, 2, 1, {0, 0, 0, 0}), 0);
      check<4, std::uint8_t>(make_shape(11, 40, ci, co, 3, 3, 1, 2, {2, 2, 2, 2}), 1);
      check<16, std::uint8_t>(make_shape(9, 12, ci, co, 3, 3, 1, 1, {0, 0, 0, 0}), 128, true);
      check<48, std::int8_t>(make_shape(6, 6, ci, co, 5, 5, 1, 1, {2, 2, 2, 2}), 127, true);
      check<64, std::uint8_t>(make_shape(1, 1, ci, co, 1, 1, 1, 1, {0, 0, 0, 0}), 5, true);
      check<1, std::uint8_t>(make_shape(5, 9, ci, co, 3, 3, 1, 1, {1, 1, 1, 1}, 1, 2), 7);
      check<1, std::uint8_t>(make_shape(6, 9, ci, co, 1, 1, 1, 1, {0, 0, 0, 0}, 1, 2), 200);
      check<1, std::int8_t>(make_shape(6, 6, ci, co, 5, 5, 1, 1, {2, 2, 2, 2}), 127, true);
    }
}

TEST_CASE("conv2d_int8_nhwc, groups") {
  check<8, std::uint8_t>(make_shape(6, 9, 6, 10, 3, 3, 1, 1, {1, 1, 1, 1}, 2), 7);
  check<4, std::int8_t>(make_shape(6, 9, 12, 6, 1, 1, 1, 1, {0, 0, 0, 0}, 3), 7, true);
  check<16, std::uint8_t>(make_shape(6, 9, 8, 40, 3, 3, 2, 2, {2, 2, 2, 2}, 2), 200, true);
  check<1, std::uint8_t>(make_shape(6, 9, 8, 14, 3, 3, 2, 2, {2, 2, 2, 2}, 2), 200, true);
}

TEST_CASE("conv2d_int8_nhwc, every width") {
  for (Index width = 1; width <= 50; ++width) {
    check<8, std::uint8_t>(make_shape(2, width, 3, 7, 3, 3, 1, 1, {1, 1, 1, 1}), 7);
    check<16, std::uint8_t>(make_shape(2, width, 5, 16, 1, 1, 1, 1, {0, 0, 0, 0}), 9);
    check<32, std::int8_t>(make_shape(1, width, 4, 33, 1, 3, 1, 1, {0, 1, 0, 1}), -3);
    check_depthwise<std::uint8_t>(make_shape(3, width, 5, 5, 3, 3, 1, 1, {1, 1, 1, 1}, 5), 7);
  }
}

TEST_CASE("conv2d_int8_nhwc, fixed shapes") {
  // Rows of taps of a few bytes, which become one run.
  check_fixed<11, 9, 1, 6, 3, 2, 1, 9, 1>();
  check_fixed<12, 13, 1, 5, 5, 1, 2, 9, 1>();
  check_fixed<9, 9, 2, 8, 5, 2, 0, 9, 1>();
  check_fixed<6, 30, 16, 16, 3, 1, 1>();
  check_fixed<9, 25, 3, 20, 3, 2, 1>();
  check_fixed<5, 5, 7, 5, 1, 1, 0>();
  check_fixed<4, 3, 8, 33, 3, 1, 1>();
  // A zero point of zero: rows of taps outside the image are left out. Tiles of two heights.
  check_fixed<7, 7, 16, 40, 3, 1, 1, 0>();
  check_fixed<14, 14, 8, 20, 3, 1, 1, 0>();
  check_fixed<9, 25, 3, 20, 3, 2, 1, 0>();
  check_fixed<5, 29, 8, 16, 5, 1, 2, 0>();
  check_fixed<7, 7, 12, 33, 1, 1, 0, 0>();
  check_fixed<4, 2, 4, 5, 3, 1, 1, 0>();
}

TEST_CASE("depthwise_conv2d_int8_nhwc, run-time shapes") {
  for (Index c : {2, 3, 8, 16, 23, 44}) {
    check_depthwise<std::uint8_t>(make_shape(7, 11, c, c, 3, 3, 1, 1, {1, 1, 1, 1}, c, 2), 7);
    check_depthwise<std::int8_t>(make_shape(9, 20, c, c, 3, 3, 2, 1, {0, 0, 1, 1}, c), -100);
    check_depthwise<std::uint8_t>(make_shape(9, 6, c, c, 5, 4, 1, 2, {2, 2, 2, 2}, c), 255, true);
    check_depthwise<std::uint8_t>(make_shape(1, 3, c, c, 9, 1, 1, 1, {4, 0, 4, 0}, c), 0);
  }
}

TEST_CASE("depthwise_conv2d_int8_pairs_nhwc, run-time shapes") {
  for (Index c : {2, 3, 8, 16, 23, 44}) {
    check_depthwise_pairs<std::uint8_t>(make_shape(7, 11, c, c, 3, 3, 1, 1, {1, 1, 1, 1}, c, 2), 7);
    check_depthwise_pairs<std::int8_t>(make_shape(9, 20, c, c, 3, 3, 2, 1, {0, 0, 1, 1}, c), -100);
    check_depthwise_pairs<std::uint8_t>(make_shape(9, 6, c, c, 5, 4, 1, 2, {2, 2, 2, 2}, c), 255,
                                        true);
    check_depthwise_pairs<std::uint8_t>(make_shape(1, 3, c, c, 9, 1, 1, 1, {4, 0, 4, 0}, c), 0);
  }
}

TEST_CASE("depthwise_conv2d_int8_taps_nhwc, run-time shapes") {
  for (Index c : {2, 3, 8, 16, 23, 44}) {
    check_depthwise_taps<std::uint8_t>(make_shape(7, 11, c, c, 3, 3, 1, 1, {1, 1, 1, 1}, c, 2), 7);
    check_depthwise_taps<std::int8_t>(make_shape(9, 20, c, c, 3, 3, 2, 1, {0, 0, 1, 1}, c), -100);
    check_depthwise_taps<std::uint8_t>(make_shape(9, 6, c, c, 5, 4, 1, 2, {2, 2, 2, 2}, c), 255,
                                       true);
    check_depthwise_taps<std::uint8_t>(make_shape(1, 3, c, c, 9, 1, 1, 1, {4, 0, 4, 0}, c), 0);
    check_depthwise_taps<std::int8_t>(make_shape(3, 2, c, c, 3, 5, 1, 1, {1, 3, 1, 3}, c), -128);
  }
}

TEST_CASE("depthwise_conv2d_int8_nhwc, fixed shapes") {
  check_fixed_depthwise<6, 30, 16, 3, 1, 1>();
  check_fixed_depthwise<9, 25, 40, 3, 2, 1>();
  check_fixed_depthwise<7, 5, 7, 5, 1, 2>();
  check_fixed_depthwise<8, 9, 8, 7, 2, 3>();
  check_fixed_depthwise<8, 9, 8, 2, 3, 0>();
}

TEST_CASE("the largest products of bytes do not saturate") {
  const std::vector<std::uint8_t> u(64, 255);
  for (const std::int8_t weight : {std::int8_t{-128}, std::int8_t{127}}) {
    const std::vector<std::int8_t> s(64, weight);
    const auto sums = onnxc::dot_int8(onnxc::vwords{}, onnxc::load_words<onnxc::vwords>(u.data()),
                                      onnxc::load_words<onnxc::vwords>(s.data()));
    std::int32_t each[onnxc::kLanes];
    onnxc::store_words(each, sums);
    for (std::int32_t v : each) CHECK(v == 4 * 255 * weight);
  }
}
