// conv_nd.cpp - the convolutions of any rank against sums over every pair of positions.
#include "templates/convolution/conv_nd.hpp"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "templates/convolution/conv_integer_nd.hpp"
#include "templates/convolution/conv_transpose_nd.hpp"
#include "templates/convolution/gather_taps.hpp"

using onnxc::Index;

namespace {

struct Shape {
  Index batch, group, in_c, out_c;
  Index in[2], out[2], kernel[2], stride[2], dilation[2], pad[2];
  bool channels_last = false;
  Index w_zero_step = 0;
};

struct FixedShape {
  static constexpr Index batch = 1, group = 1, in_c = 2, out_c = 3;
  static constexpr Index in[] = {5, 4}, out[] = {5, 4}, kernel[] = {3, 3}, stride[] = {1, 1};
  static constexpr Index dilation[] = {1, 1}, pad[] = {1, 1};
  static constexpr bool channels_last = false;
};

const Shape kShapes[] = {
    {2, 1, 3, 4, {5, 6}, {3, 4}, {3, 3}, {1, 1}, {1, 1}, {0, 0}},
    {1, 2, 2, 3, {7, 5}, {4, 3}, {3, 2}, {2, 2}, {1, 2}, {1, 1}},
    {1, 3, 1, 1, {4, 4}, {4, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
};

// Small whole numbers, so that sums are exact in any order.
template <class T>
std::vector<T> values(Index count, int seed) {
  std::vector<T> v(static_cast<std::size_t>(count));
  for (T& x : v) {
    seed = (seed * 31 + 7) % 101;
    x = static_cast<T>(seed % 11 - 5);
  }
  return v;
}

// Calls f(image position, output position, tap) for every tap inside of an axis pair.
template <class F>
void each_tap(const Shape& s, F f) {
  for (Index oy = 0; oy < s.out[0]; ++oy)
    for (Index ox = 0; ox < s.out[1]; ++ox)
      for (Index ky = 0; ky < s.kernel[0]; ++ky)
        for (Index kx = 0; kx < s.kernel[1]; ++kx) {
          const Index y = oy * s.stride[0] - s.pad[0] + ky * s.dilation[0];
          const Index x = ox * s.stride[1] - s.pad[1] + kx * s.dilation[1];
          if (y < 0 || x < 0 || y >= s.in[0] || x >= s.in[1]) continue;
          f(y * s.in[1] + x, oy * s.out[1] + ox, ky * s.kernel[1] + kx);
        }
}

struct Sizes {
  Index in, out, taps, x, y, w;
  explicit Sizes(const Shape& s)
      : in(s.in[0] * s.in[1]),
        out(s.out[0] * s.out[1]),
        taps(s.kernel[0] * s.kernel[1]),
        x(s.batch * s.group * s.in_c * in),
        y(s.batch * s.group * s.out_c * out),
        w(s.group * s.out_c * s.in_c * taps) {}
};

// Calls f(x, y, w) with the offsets of every product.
template <class F>
void each_product(const Shape& s, F f) {
  const Sizes z(s);
  for (Index n = 0; n < s.batch; ++n)
    for (Index m = 0; m < s.group * s.out_c; ++m)
      for (Index c = 0; c < s.in_c; ++c)
        each_tap(s, [&](Index i, Index o, Index t) {
          const Index channel = m / s.out_c * s.in_c + c;
          f((n * s.group * s.in_c + channel) * z.in + i, (n * s.group * s.out_c + m) * z.out + o,
            (m * s.in_c + c) * z.taps + t);
        });
}

template <class T>
T at(const std::vector<T>& v, Index i) {
  return v[static_cast<std::size_t>(i)];
}

constexpr auto kKeep = [](auto v, Index, Index) { return v; };

}  // namespace

TEST_CASE("convolution of any rank") {
  for (const Shape& s : kShapes) {
    const Sizes z(s);
    const auto x = values<double>(z.x, 1), w = values<double>(z.w, 2);
    std::vector<double> want(static_cast<std::size_t>(z.y)), got(want);
    each_product(s, [&](Index i, Index o, Index k) {
      want[static_cast<std::size_t>(o)] += at(x, i) * at(w, k);
    });
    const double* no_bias = nullptr;
    onnxc::conv_nd<2>(s, x.data(), w.data(), no_bias, got.data(), kKeep);
    CHECK(got == want);
  }
}

TEST_CASE("convolution with a constant shape and a bias") {
  const FixedShape s;
  const std::vector<float> x(40, 1.0f), w(54, 1.0f), bias = {0.5f, 1.5f, 2.5f};
  std::vector<float> y(60);
  onnxc::conv_nd<2>(s, x.data(), w.data(), bias.data(), y.data(), kKeep);
  CHECK(y[0] == 8.5f);
  CHECK(y[5] == 18.5f);
  CHECK(y[25] == 19.5f);
}

TEST_CASE("convolution of integers takes zero points off") {
  for (const Shape& s : kShapes) {
    const Sizes z(s);
    const auto x = values<std::int8_t>(z.x, 3), w = values<std::int8_t>(z.w, 4);
    const std::int8_t xz = 3, wz = -2;
    std::vector<std::int32_t> want(static_cast<std::size_t>(z.y)), got(want);
    each_product(s, [&](Index i, Index o, Index k) {
      want[static_cast<std::size_t>(o)] += (at(x, i) - xz) * (at(w, k) - wz);
    });
    onnxc::conv_integer_nd<2>(s, x.data(), w.data(), &xz, &wz, got.data());
    CHECK(got == want);
  }
}

TEST_CASE("transposed convolution, of any rank") {
  for (Shape s : kShapes) {
    // The roles of input and output change: what each_product calls x is the result.
    const Sizes z(s);
    const auto y = values<float>(z.y, 5), w = values<float>(z.w, 6);
    std::vector<float> want(static_cast<std::size_t>(z.x)), got(want);
    each_product(s, [&](Index i, Index o, Index k) {
      want[static_cast<std::size_t>(i)] += at(y, o) * at(w, k);
    });
    const std::vector<float> input = y;
    std::swap(s.in, s.out);
    std::swap(s.in_c, s.out_c);
    const float* no_bias = nullptr;
    onnxc::conv_transpose_nd<2>(s, input.data(), w.data(), no_bias, got.data(), kKeep);
    CHECK(got == want);
  }
}

TEST_CASE("summing taps of products") {
  struct {
    Index batch = 1, channels = 2;
    Index in[1] = {2}, out[1] = {4}, kernel[1] = {3}, stride[1] = {1}, dilation[1] = {1},
          pad[1] = {0};
  } s;
  const std::vector<float> products = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}, bias = {100, 200};
  std::vector<float> y(8);
  onnxc::gather_taps<1>(s, products.data(), bias.data(), y.data());
  CHECK(y == std::vector<float>{101, 210, 106, 260, 108, 280, 106, 260});
}
