// max_pool2d_int8_nhwc.cpp - maxima of windows of 8-bit integers against naive loops.
#include "templates/pooling/max_pool2d_int8_nhwc.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

using onnxc::Index;

namespace {

struct Shape {
  Index batch, in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left;
};

template <class T>
void check(const Shape& s) {
  std::mt19937 random(5);
  std::vector<T> x(static_cast<std::size_t>(s.batch * s.in_h * s.in_w * s.channels));
  for (T& v : x) v = static_cast<T>(random());
  std::vector<T> want;
  for (Index n = 0; n < s.batch; ++n)
    for (Index oh = 0; oh < s.out_h; ++oh)
      for (Index ow = 0; ow < s.out_w; ++ow)
        for (Index c = 0; c < s.channels; ++c) {
          T most = std::numeric_limits<T>::min();
          for (Index i = 0; i < s.k_h; ++i)
            for (Index j = 0; j < s.k_w; ++j) {
              const Index h = oh * s.stride_h - s.pad_top + i * s.dilation_h;
              const Index w = ow * s.stride_w - s.pad_left + j * s.dilation_w;
              if (h < 0 || h >= s.in_h || w < 0 || w >= s.in_w) continue;
              most = std::max(
                  most,
                  x[static_cast<std::size_t>(((n * s.in_h + h) * s.in_w + w) * s.channels + c)]);
            }
          want.push_back(most);
        }
  std::vector<T> y(want.size()), chunks(want.size());
  onnxc::max_pool2d_int8_nhwc(s, x.data(), y.data());
  for (Index i = 0; i < 3; ++i)
    onnxc::max_pool2d_int8_nhwc(onnxc::with_chunk(s, {i, 3, 0}), x.data(), chunks.data());
  CAPTURE(s.channels, s.k_h, s.stride_h, s.dilation_h);
  CHECK(y == want);
  CHECK(chunks == want);
}

}  // namespace

TEST_CASE("max_pool2d_int8_nhwc") {
  for (Index c : {1, 7, 16, 21, 32, 50}) {
    check<std::uint8_t>({2, 7, 9, c, 3, 4, 2, 2, 2, 2, 1, 1, 0, 0});
    check<std::int8_t>({2, 7, 9, c, 7, 9, 3, 3, 1, 1, 1, 1, 1, 1});
    check<std::int8_t>({1, 7, 9, c, 5, 7, 2, 2, 1, 1, 2, 2, 0, 0});
    check<std::uint8_t>({1, 2, 2, c, 3, 3, 1, 1, 2, 2, 1, 1, 2, 2});
  }
}
