// average_pool_int8.cpp - means of windows of 8-bit integers against naive loops; every bit counts.
#include "templates/pooling/average_pool_int8.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/kernels/conv_int8_reference.hpp"

using onnxc::Index;

namespace {

struct Shape {
  Index batch, in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left, pad_bottom, pad_right;
  bool count_include_pad;
  Index zero;
  float step;
};

template <class T>
std::vector<float> reference(const Shape& s, const std::vector<T>& x) {
  std::vector<float> y;
  for (Index n = 0; n < s.batch; ++n)
    for (Index oh = 0; oh < s.out_h; ++oh)
      for (Index ow = 0; ow < s.out_w; ++ow)
        for (Index c = 0; c < s.channels; ++c) {
          Index sum = 0, count = 0;
          for (Index i = 0; i < s.k_h; ++i)
            for (Index j = 0; j < s.k_w; ++j) {
              const Index h = oh * s.stride_h - s.pad_top + i * s.dilation_h;
              const Index w = ow * s.stride_w - s.pad_left + j * s.dilation_w;
              const bool inside = h >= 0 && w >= 0 && h < s.in_h && w < s.in_w;
              const bool padded = h < s.in_h + s.pad_bottom && w < s.in_w + s.pad_right;
              if (inside || (s.count_include_pad && padded)) ++count;
              if (!inside) continue;
              const Index at = ((n * s.in_h + h) * s.in_w + w) * s.channels + c;
              sum += x[static_cast<std::size_t>(at)] - s.zero;
            }
          y.push_back(static_cast<float>(sum) * s.step / static_cast<float>(count));
        }
  return y;
}

template <class T>
void check(const Shape& s) {
  const auto x = conv_int8_test::numbers<T>(s.batch * s.in_h * s.in_w * s.channels, 5);
  const std::vector<float> want = reference(s, x);
  std::vector<float> y(want.size()), chunks(want.size());
  onnxc::average_pool2d_int8_nhwc(s, x.data(), y.data());
  for (Index i = 0; i < 3; ++i)
    onnxc::average_pool2d_int8_nhwc(onnxc::with_chunk(s, {i, 3, 0}), x.data(), chunks.data());
  CAPTURE(s.channels, s.k_h, s.stride_h, s.dilation_h, s.count_include_pad);
  CHECK(y == want);
  CHECK(chunks == want);
  const std::vector<float> scale(static_cast<std::size_t>(s.channels), 0.7f);
  std::vector<std::uint8_t> bytes(want.size()), want_bytes;
  onnxc::average_pool2d_int8_nhwc(s, x.data(), bytes.data(),
                                  conv_int8_test::Quantised{scale.data()});
  const conv_int8_test::Quantised quantise{scale.data()};
  for (std::size_t i = 0; i < want.size(); ++i)
    want_bytes.push_back(
        static_cast<std::uint8_t>(quantise(want[i], 0, static_cast<Index>(i) % s.channels)));
  CHECK(bytes == want_bytes);
}

}  // namespace

TEST_CASE("means of windows of 8-bit integers") {
  for (Index c : {1, 4, 7, 24, 50, 67}) {
    for (bool include : {false, true}) {
      check<std::uint8_t>({2, 8, 9, c, 4, 4, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, include, 7, 0.25f});
      check<std::int8_t>({1, 9, 9, c, 5, 5, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, include, -5, 0.3f});
      check<std::int8_t>({1, 8, 8, c, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0, 0, include, 0, 0.1f});
      check<std::uint8_t>({1, 7, 8, c, 7, 8, 3, 3, 1, 1, 2, 2, 2, 2, 2, 2, include, 128, 0.01f});
    }
  }
}

TEST_CASE("means of images of 8-bit integers") {
  for (Index channels : {3, 16, 37}) {
    for (Index positions : {1, 49, 70}) {
      struct {
        Index batch, channels, positions;
        bool channels_last;
        Index zero;
        float step;
      } s{2, channels, positions, false, 9, 0.3f};
      const auto plain = conv_int8_test::numbers<std::uint8_t>(2 * channels * positions, 6);
      std::vector<std::uint8_t> last(plain.size());
      std::vector<float> want, y(static_cast<std::size_t>(2 * channels));
      for (Index n = 0; n < 2 * channels; ++n) {
        Index sum = 0;
        for (Index p = 0; p < positions; ++p) {
          const auto v = plain[static_cast<std::size_t>(n * positions + p)];
          const Index to = (n / channels * positions + p) * channels + n % channels;
          last[static_cast<std::size_t>(to)] = v;
          sum += v - 9;
        }
        want.push_back(static_cast<float>(sum) * 0.3f / static_cast<float>(positions));
      }
      for (const bool channels_last : {false, true}) {
        s.channels_last = channels_last;
        const auto* x = (channels_last ? last : plain).data();
        onnxc::global_average_pool_int8(s, x, y.data(), onnxc::NoEpilogue{});
        CHECK(y == want);
        std::fill(y.begin(), y.end(), 0.0f);
        for (Index i = 0; i < 3; ++i)
          onnxc::global_average_pool_int8(onnxc::with_chunk(s, {i, 3, 0}), x, y.data(),
                                          onnxc::NoEpilogue{});
        CHECK(y == want);
      }
    }
  }
}
