// conv_int8_reference.hpp - convolutions of 8-bit integers by naive loops, for the tests of their
// kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "runtime_min/simd.hpp"
#include "templates/fn/quantize.hpp"
#include "tests/kernels/conv_reference.hpp"

namespace conv_int8_test {

using conv_test::Index;

// The shape struct of the kernels, with members known only at run time.
struct Shape {
  Index batch, in_h, in_w, in_c, out_h, out_w, out_c, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left, group, zero, residual_words, sets;
  bool copies;
};

inline Shape byte_shape(const conv_test::Shape& s, Index zero, bool copies) {
  return {
      s.batch, s.in_h,     s.in_w,     s.in_c,       s.out_h,      s.out_w,   s.out_c,    s.k_h,
      s.k_w,   s.stride_h, s.stride_w, s.dilation_h, s.dilation_w, s.pad_top, s.pad_left, s.group,
      zero,    0,          1,          copies};
}

template <class T>
std::vector<T> numbers(Index count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> v(static_cast<std::size_t>(count));
  for (T& x : v) x = static_cast<T>(random());
  return v;
}

// The sums of (x - zero) * (w + rest) plus the bias; zero is that of X.
template <class X>
std::vector<std::int32_t> reference(const Shape& s, const std::vector<X>& x, int zero,
                                    const std::vector<std::int8_t>& w,
                                    const std::vector<std::int8_t>& rest,
                                    const std::vector<std::int32_t>& bias) {
  std::vector<std::int32_t> y;
  const Index ci = s.in_c / s.group, co = s.out_c / s.group;
  for (Index n = 0; n < s.batch; ++n)
    for (Index oh = 0; oh < s.out_h; ++oh)
      for (Index ow = 0; ow < s.out_w; ++ow)
        for (Index o = 0; o < s.out_c; ++o) {
          int sum = bias[static_cast<std::size_t>(o)];
          for (Index i = 0; i < s.k_h; ++i)
            for (Index j = 0; j < s.k_w; ++j)
              for (Index c = 0; c < ci; ++c) {
                const Index ih = oh * s.stride_h - s.pad_top + i * s.dilation_h;
                const Index iw = ow * s.stride_w - s.pad_left + j * s.dilation_w;
                if (ih < 0 || ih >= s.in_h || iw < 0 || iw >= s.in_w) continue;
                const Index at = ((n * s.in_h + ih) * s.in_w + iw) * s.in_c + o / co * ci + c;
                const auto weight =
                    static_cast<std::size_t>(((o * ci + c) * s.k_h + i) * s.k_w + j);
                sum += (x[static_cast<std::size_t>(at)] - zero) *
                       (w[weight] + (rest.empty() ? 0 : rest[weight]));
              }
          y.push_back(sum);
        }
  return y;
}

struct Quantised {
  const float* scale;
  template <class V>
  V operator()(V v, Index, Index channel) const {
    return onnxc::fn::quantize(v * onnxc::load<V>(scale + channel), 1.0f, 1.0f, 3.0f, -3.0f,
                               252.0f);
  }
};

// The expected result of the epilogue above.
inline std::vector<std::uint8_t> quantised(const std::vector<std::int32_t>& sums,
                                           const std::vector<float>& scale) {
  std::vector<std::uint8_t> y;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float v = std::nearbyint(static_cast<float>(sums[i]) * scale[i % scale.size()]) + 3.0f;
    y.push_back(static_cast<std::uint8_t>(std::fmin(std::fmax(v, 0.0f), 255.0f)));
  }
  return y;
}

}  // namespace conv_int8_test
