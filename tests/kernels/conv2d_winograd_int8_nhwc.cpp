// conv2d_winograd_int8_nhwc.cpp - Winograd convolution of 8-bit integers against naive loops:
// equal.
#include "templates/convolution/conv2d_winograd_int8_nhwc.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/kernels/conv_int8_reference.hpp"

namespace {

using namespace conv_int8_test;  // NOLINT(google-build-using-namespace)
using conv_test::make_shape;

template <int NR>
struct Operands {
  std::vector<std::int16_t> packed, inputs;
  std::vector<std::int32_t> start, sums;

  Operands(const Shape& s, const std::vector<std::int8_t>& w, const std::vector<std::int8_t>& rest,
           const std::vector<std::int32_t>& bias)
      : packed(static_cast<std::size_t>(onnxc::packed_winograd_int8_size<NR>(s.out_c, s.in_c)), 77),
        start(bias) {
    const Index tiles = onnxc::winograd_int8_block<NR>(s);
    CHECK(tiles <= onnxc::most_winograd_int8_tiles<NR>(s.in_c, s.out_c));
    inputs.resize(static_cast<std::size_t>(onnxc::winograd_int8_inputs(tiles, s.in_c)), 77);
    sums.resize(static_cast<std::size_t>(onnxc::winograd_int8_sums<NR>(tiles, s.out_c)), 77);
    start.resize(static_cast<std::size_t>(onnxc::winograd_columns<NR>(s.out_c)));
    onnxc::pack_winograd_int8<NR>(w.data(), rest.empty() ? nullptr : rest.data(), s.out_c, s.in_c,
                                  packed.data());
  }
};

// zero: that of X.
template <int NR, class X>
void check(const conv_test::Shape& shape, int zero, const std::vector<X>& x,
           const std::vector<std::int8_t>& w, const std::vector<std::int8_t>& rest = {}) {
  const Shape s = byte_shape(shape, std::is_signed_v<X> ? zero + 128 : zero, false);
  std::vector<std::int32_t> bias(static_cast<std::size_t>(s.out_c));
  for (std::size_t i = 0; i < bias.size(); ++i)
    bias[i] = static_cast<std::int32_t>(i) * 1000 - 5000;
  const auto want = reference(s, x, zero, w, rest, bias);
  Operands<NR> o(s, w, rest, bias);
  CAPTURE(NR, s.batch, s.in_h, s.in_w, s.in_c, s.out_c, s.pad_top, s.pad_left, zero);
  std::vector<std::int32_t> sums(want.size());
  onnxc::conv2d_winograd_int8_nhwc<NR>(s, x.data(), o.packed.data(), o.start.data(), sums.data(),
                                       o.inputs.data(), o.sums.data());
  CHECK(sums == want);

  const std::vector<float> scale(static_cast<std::size_t>(s.out_c), 0.004f);
  std::vector<std::uint8_t> y(want.size());
  onnxc::conv2d_winograd_int8_nhwc<NR>(s, x.data(), o.packed.data(), o.start.data(), y.data(),
                                       o.inputs.data(), o.sums.data(), Quantised{scale.data()});
  CHECK(y == quantised(want, scale));

  std::vector<std::uint8_t> chunks(y.size());
  for (Index i = 0; i < 3; ++i)
    onnxc::conv2d_winograd_int8_nhwc<NR>(onnxc::with_chunk(s, {i, 3, 0}), x.data(), o.packed.data(),
                                         o.start.data(), chunks.data(), o.inputs.data(),
                                         o.sums.data(), Quantised{scale.data()});
  CHECK(chunks == y);
}

template <int NR, class X>
void check_random(const conv_test::Shape& s, int zero, bool wide = false) {
  const auto w = numbers<std::int8_t>(s.out_c * s.in_c * 9, 2);
  std::vector<std::int8_t> rest;
  if (wide) rest = numbers<std::int8_t>(s.out_c * s.in_c * 9, 3);
  check<NR>(s, zero, numbers<X>(s.batch * s.in_h * s.in_w * s.in_c, 1), w, rest);
}

template <int NR>
void check_shapes() {
  for (const Index in_c : {1, 3, 8, 16, 17, 40}) {
    for (const Index out_c : {1, 5, 16, 20}) {
      check_random<NR, std::uint8_t>(make_shape(7, 6, in_c, out_c, 3, 3, 1, 1, {1, 1, 1, 1}), 9);
      check_random<NR, std::int8_t>(make_shape(4, 9, in_c, out_c, 3, 3, 1, 1, {0, 2, 1, 0}), -7);
    }
  }
}

}  // namespace

TEST_CASE("int8 Winograd convolution: shapes, borders, signs") {
  check_shapes<4>();
  check_shapes<8>();
  check_shapes<16>();
}

TEST_CASE("int8 Winograd convolution: weights of nine bits") {
  check_random<16, std::uint8_t>(make_shape(6, 6, 24, 16, 3, 3, 1, 1, {1, 1, 1, 1}), 128, true);
  check_random<8, std::int8_t>(make_shape(5, 5, 9, 8, 3, 3, 1, 1, {1, 1, 1, 1}), 127, true);
}

TEST_CASE("int8 Winograd convolution: several blocks and images") {
  auto s = make_shape(40, 40, 32, 32, 3, 3, 1, 1, {1, 1, 1, 1});
  s.batch = 2;
  check_random<16, std::uint8_t>(s, 0);
}

TEST_CASE("int8 Winograd convolution: nothing to compute") {
  auto s = make_shape(6, 6, 16, 16, 3, 3, 1, 1, {1, 1, 1, 1});
  s.batch = 0;
  check_random<16, std::uint8_t>(s, 0);
}

// The ends of the ranges, in all patterns of signs that make sums large.
TEST_CASE("int8 Winograd convolution: extreme values") {
  const auto s = make_shape(5, 5, 128, 16, 3, 3, 1, 1, {1, 1, 1, 1});
  const auto count = static_cast<std::size_t>(s.batch * s.in_h * s.in_w * s.in_c),
             weights = static_cast<std::size_t>(s.out_c * s.in_c * 9);
  const auto period = GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{3});
  std::vector<std::uint8_t> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = i / static_cast<std::size_t>(s.in_c) % period == 0 ? 255 : 0;
  for (const std::int8_t first : {std::int8_t{-128}, std::int8_t{127}}) {
    std::vector<std::int8_t> w(weights);
    for (std::size_t i = 0; i < weights; ++i)
      w[i] = i % period == 0 ? first : static_cast<std::int8_t>(-1 - first);
    for (const int zero : {0, 255}) check<16>(s, zero, x, w);
  }
}
