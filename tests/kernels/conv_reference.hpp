// conv_reference.hpp - naive channels-last convolution and its shapes, shared by the convolution
// tests.
#pragma once

#include <cmath>
#include <vector>

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/pooling_calls.hpp"
#include "runtime_min/types.hpp"
#include "tests/kernels/test_data.hpp"

namespace conv_test {

using onnxc::Index;

using Shape = onnxc::ConvShape<Index>;

inline Index out_extent(Index in, Index taps, Index stride, Index dilation, Index pads) {
  return (in + pads - (taps - 1) * dilation - 1) / stride + 1;
}

// pads: top, left, bottom, right.
inline Shape make_shape(Index h, Index w, Index ci, Index co, Index kh, Index kw, Index stride,
                        Index dilation, std::vector<Index> pads, Index group = 1, Index batch = 1) {
  Shape s{};
  s.batch = batch;
  s.in_h = h;
  s.in_w = w;
  s.in_c = s.ldx = ci;
  s.out_h = out_extent(h, kh, stride, dilation, pads[0] + pads[2]);
  s.out_w = out_extent(w, kw, stride, dilation, pads[1] + pads[3]);
  s.out_c = s.ldy = s.ld_epilogue = co;
  s.k_h = kh;
  s.k_w = kw;
  s.stride_h = s.stride_w = stride;
  s.dilation_h = s.dilation_w = dilation;
  s.pad_top = pads[0];
  s.pad_left = pads[1];
  s.group = group;
  return s;
}

// The window of a convolution as that of a pool over its channels.
using Pool = onnxc::PoolShape<Index>;
inline Pool pool_of(const Shape& c) {
  Pool p{};
  static_cast<onnxc::ImageWindow<Index>&>(p) = c;
  p.batch = c.batch;
  p.channels = p.ldx = p.ldy = c.in_c;
  return p;
}

// A shape S of constants as a part of wider tensors, and what is in their gaps.
template <class S>
struct FixedPart : S {
  static constexpr Index ldx = S::in_c + 3, ldy = S::out_c + 5, ld_epilogue = S::out_c + 2;
};
constexpr float kGap = 123.5f;

using kernel_test::values;
using kernel_test::worst_difference;

// w is [out_c, in_c / group, k_h, k_w].
template <class S>
std::vector<double> reference(const S& s, const std::vector<float>& x, const std::vector<float>& w,
                              const std::vector<float>& bias) {
  std::vector<double> y;
  const Index ci = s.in_c / s.group;
  const Index co = s.out_c / s.group;
  const auto at = [](const std::vector<float>& v, Index i) {
    return static_cast<double>(v[static_cast<std::size_t>(i)]);
  };
  for (Index n = 0; n < s.batch; ++n)
    for (Index oh = 0; oh < s.out_h; ++oh)
      for (Index ow = 0; ow < s.out_w; ++ow)
        for (Index o = 0; o < s.out_c; ++o) {
          double sum = bias.empty() ? 0.0 : at(bias, o);
          for (Index kh = 0; kh < s.k_h; ++kh)
            for (Index kw = 0; kw < s.k_w; ++kw) {
              const Index ih = oh * s.stride_h - s.pad_top + kh * s.dilation_h;
              const Index iw = ow * s.stride_w - s.pad_left + kw * s.dilation_w;
              if (ih < 0 || iw < 0 || ih >= s.in_h || iw >= s.in_w) continue;
              for (Index c = 0; c < ci; ++c)
                sum += at(x, ((n * s.in_h + ih) * s.in_w + iw) * s.in_c + o / co * ci + c) *
                       at(w, ((o * ci + c) * s.k_h + kh) * s.k_w + kw);
            }
          y.push_back(sum);
        }
  return y;
}

// The rows of `dense`, `width` floats each, as parts of rows of `pitch` floats.
template <class T>
std::vector<T> spread(const std::vector<T>& dense, Index width, Index pitch, T gap) {
  const std::size_t from = static_cast<std::size_t>(width), to = static_cast<std::size_t>(pitch);
  std::vector<T> y(dense.size() / from * to, gap);
  for (std::size_t i = 0; i < dense.size(); ++i) y[i / from * to + i % from] = dense[i];
  return y;
}

// Shapes with tails, edges on every side, windows larger than the image, strides, dilations and
// groups.
inline std::vector<Shape> shapes() {
  return {
      make_shape(7, 7, 16, 32, 3, 3, 1, 1, {1, 1, 1, 1}),
      make_shape(14, 14, 8, 33, 3, 3, 1, 1, {1, 1, 1, 1}),
      make_shape(15, 31, 3, 40, 7, 7, 2, 1, {3, 3, 3, 3}),
      make_shape(17, 18, 3, 16, 3, 3, 2, 1, {0, 0, 1, 1}),
      make_shape(9, 12, 5, 7, 1, 1, 1, 1, {0, 0, 0, 0}, 1, 3),
      make_shape(9, 12, 5, 37, 1, 1, 2, 1, {0, 0, 0, 0}, 1, 2),
      make_shape(9, 12, 5, 7, 1, 1, 1, 1, {1, 1, 1, 1}),
      make_shape(3, 3, 4, 10, 5, 5, 1, 1, {2, 2, 2, 2}),
      make_shape(2, 1, 4, 10, 5, 5, 1, 1, {2, 3, 4, 2}),
      make_shape(13, 11, 6, 12, 3, 3, 1, 3, {3, 3, 3, 3}),
      make_shape(13, 11, 6, 12, 3, 2, 2, 2, {5, 0, 1, 4}),
      make_shape(8, 9, 12, 24, 3, 3, 1, 1, {1, 1, 1, 1}, 4, 2),
      make_shape(8, 9, 6, 6, 3, 3, 2, 1, {1, 1, 1, 1}, 6),
      make_shape(49, 4, 3, 20, 4, 3, 1, 1, {1, 1, 2, 1}),
      make_shape(1, 40, 4, 20, 1, 9, 1, 1, {0, 4, 0, 4}),
      make_shape(40, 1, 4, 20, 9, 1, 1, 1, {4, 0, 4, 0}),
      make_shape(1, 1, 1, 1, 1, 1, 1, 1, {0, 0, 0, 0}),
      make_shape(1, 1, 3, 2, 3, 3, 1, 1, {1, 1, 1, 1}),
      make_shape(4, 4, 3, 5, 1, 1, 3, 1, {4, 4, 4, 4}),
  };
}

}  // namespace conv_test
