// pool2d_nhwc.cpp - pooling against naive loops.
#include "templates/pooling/pool2d_nhwc.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/conv_reference.hpp"

namespace {

using onnxc::Index;

struct Shape {
  Index batch, in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left, pad_bottom, pad_right, ldx, ldy;
  bool count_include_pad;
};

struct FixedShape {
  static constexpr Index batch = 1, in_h = 14, in_w = 13, channels = 70, out_h = 7, out_w = 7,
                         k_h = 3, k_w = 3, stride_h = 2, stride_w = 2, dilation_h = 1,
                         dilation_w = 1, pad_top = 1, pad_left = 1, pad_bottom = 1, pad_right = 1,
                         ldx = 75, ldy = 71;
  static constexpr bool count_include_pad = true;
};

template <class S>
std::vector<double> reference(const S& s, const std::vector<float>& x, bool maximum) {
  std::vector<double> y;
  for (Index n = 0; n < s.batch; ++n)
    for (Index oh = 0; oh < s.out_h; ++oh)
      for (Index ow = 0; ow < s.out_w; ++ow)
        for (Index c = 0; c < s.channels; ++c) {
          double total = maximum ? -std::numeric_limits<double>::infinity() : 0.0;
          double count = 0;
          for (Index i = 0; i < s.k_h; ++i)
            for (Index j = 0; j < s.k_w; ++j) {
              const Index h = oh * s.stride_h - s.pad_top + i * s.dilation_h;
              const Index w = ow * s.stride_w - s.pad_left + j * s.dilation_w;
              const bool inside = h >= 0 && w >= 0 && h < s.in_h && w < s.in_w;
              if (inside ||
                  (s.count_include_pad && h < s.in_h + s.pad_bottom && w < s.in_w + s.pad_right))
                ++count;
              if (!inside) continue;
              const auto at =
                  static_cast<std::size_t>(((n * s.in_h + h) * s.in_w + w) * s.channels + c);
              const double v = static_cast<double>(x[at]);
              total = maximum ? std::fmax(total, v) : total + v;
            }
          y.push_back(maximum ? total : total / count);
        }
  return y;
}

constexpr float kGap = 123.5f;

template <class S>
void check(S s) {
  const auto dense = kernel_test::values(s.batch * s.in_h * s.in_w * s.channels, 1);
  const auto x = conv_test::spread(dense, s.channels, s.ldx, kGap);
  std::vector<float> y(static_cast<std::size_t>(s.batch * s.out_h * s.out_w * s.ldy), kGap);
  const auto parts = [&](const std::vector<double>& values) {
    return conv_test::spread(values, s.channels, s.ldy, static_cast<double>(kGap));
  };
  CAPTURE(s.in_h, s.in_w, s.channels, s.k_h, s.stride_h, s.pad_top, s.count_include_pad);
  onnxc::max_pool2d_nhwc(s, x.data(), y.data());
  CHECK(kernel_test::worst_difference(y, parts(reference(s, dense, true))) == 0.0);
  onnxc::average_pool2d_nhwc(s, x.data(), y.data());
  auto want = reference(s, dense, false);
  CHECK(kernel_test::worst_difference(y, parts(want)) <= 2e-6);
  onnxc::average_pool2d_nhwc(s, x.data(), y.data(), [&](auto v, Index at, Index channel) {
    using V = decltype(v);
    return v + onnxc::load<V>(dense.data() + channel) * static_cast<float>(at >= 0);
  });
  for (std::size_t i = 0; i < want.size(); ++i) {
    want[i] += static_cast<double>(dense[i % static_cast<std::size_t>(s.channels)]);
  }
  CHECK(kernel_test::worst_difference(y, parts(want)) <= 2e-6);
}

struct GlobalShape {
  Index batch, positions, channels;
};

}  // namespace

TEST_CASE("windows") {
  for (Index c : {1, 5, 16, 67, 130}) {
    for (bool include : {false, true}) {
      check(Shape{2, 8, 9, c, 4, 4, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, c, c + 3, include});
      check(Shape{1, 9, 9, c, 5, 5, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, c + 5, c, include});
      check(
          Shape{1, 8, 8, c, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0, 0, c, c + 3, include});  // rounded up
      check(Shape{1, 7, 8, c, 7, 8, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, c, c, include});
      check(Shape{1, 5, 6, c, 1, 1, 5, 6, 1, 1, 1, 1, 0, 0, 0, 0, c, c + 3, include});
    }
  }
  check(FixedShape{});
}

TEST_CASE("max pool keeps NaN") {
  std::vector<float> x(4 * 20, 1.0f);
  x[3] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> y(20);
  onnxc::max_pool2d_nhwc(Shape{1, 2, 2, 20, 1, 1, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 20, 20, false},
                         x.data(), y.data());
  CHECK(std::isnan(y[3]));
  CHECK(y[4] == 1.0f);
}

TEST_CASE("global average") {
  for (Index c : {1, 16, 100}) {
    const GlobalShape s = {2, 49, c};
    const auto x = kernel_test::values(2 * 49 * c, 1);
    std::vector<float> y(static_cast<std::size_t>(2 * c));
    onnxc::global_average_pool_nhwc(s, x.data(), y.data());
    CHECK(kernel_test::worst_difference(
              y, reference(Shape{2, 49, 1, c, 1, 1, 49, 1, 1, 1, 1, 1, 0, 0, 0, 0, c, c, false}, x,
                           false)) <= 1e-6);
  }
}
