// gather_taps_int8.cpp - sums of the products that reach an output against those that leave an
// input.
#include "templates/convolution/gather_taps_int8.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using onnxc::Index;

namespace {

struct Shape {
  Index batch, in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left;
};

void check(const Shape& s, bool biased) {
  std::mt19937 random(3);
  std::vector<std::int32_t> bias, products;
  for (Index c = 0; c < s.channels; ++c) bias.push_back(static_cast<std::int32_t>(random()) / 4);
  std::vector<std::int32_t> want;
  for (Index i = 0; i < s.batch * s.out_h * s.out_w; ++i)
    for (std::int32_t b : bias) want.push_back(biased ? b : 0);
  for (Index n = 0; n < s.batch; ++n)
    for (Index h = 0; h < s.in_h; ++h)
      for (Index w = 0; w < s.in_w; ++w)
        for (Index i = 0; i < s.k_h; ++i)
          for (Index j = 0; j < s.k_w; ++j)
            for (Index c = 0; c < s.channels; ++c) {
              products.push_back(static_cast<std::int32_t>(random()) / 64);
              const Index oh = h * s.stride_h - s.pad_top + i * s.dilation_h;
              const Index ow = w * s.stride_w - s.pad_left + j * s.dilation_w;
              if (oh < 0 || ow < 0 || oh >= s.out_h || ow >= s.out_w) continue;
              const Index at = ((n * s.out_h + oh) * s.out_w + ow) * s.channels + c;
              want[static_cast<std::size_t>(at)] += products.back();
            }
  std::vector<std::int32_t> y(want.size()), chunks(want.size());
  const std::int32_t* const start = biased ? bias.data() : nullptr;
  onnxc::gather_taps_int8(s, products.data(), start, y.data());
  CAPTURE(s.channels, s.k_h, s.stride_h, s.dilation_h);
  CHECK(y == want);
  for (Index i = 0; i < 3; ++i)
    onnxc::gather_taps_int8(onnxc::with_chunk(s, {i, 3, 0}), products.data(), start, chunks.data());
  CHECK(chunks == want);
}

}  // namespace

TEST_CASE("gather_taps_int8") {
  for (Index c : {1, 4, 11, 24, 70}) {
    for (bool biased : {false, true}) {
      check({2, 3, 4, c, 6, 8, 2, 2, 2, 2, 1, 1, 0, 0}, biased);
      check({1, 4, 5, c, 8, 10, 3, 3, 2, 2, 1, 1, 1, 1}, biased);
      check({1, 4, 3, c, 10, 6, 3, 2, 3, 2, 1, 1, 0, 0}, biased);  // outputs that nothing reaches
      check({1, 5, 4, c, 9, 8, 3, 3, 1, 1, 2, 2, 0, 0}, biased);
    }
  }
}
