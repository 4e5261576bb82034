// deform_conv.cpp - convolution with moved taps against sums over every tap.
#include "templates/convolution/deform_conv_nd.hpp"

#include <catch2/catch.hpp>

#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::at;
using kernel_test::Index;
using kernel_test::values;
using Floats = std::vector<float>;

struct Shape {
  Index batch = 2, group = 2, in_c = 2, out_c = 3, offset_group = 2;
  Index in[2] = {5, 6}, out[2] = {3, 3}, kernel[2] = {3, 2}, stride[2] = {2, 2};
  Index dilation[2] = {1, 2}, pad[2] = {1, 0};
};

// Linear between the four pixels around a place; pixels outside are zero.
double sampled(const Floats& x, Index first, const Index (&in)[2], double h, double w) {
  double sum = 0;
  for (Index i = 0; i < in[0]; ++i)
    for (Index j = 0; j < in[1]; ++j) {
      const double near_h = 1 - std::fabs(h - static_cast<double>(i));
      const double near_w = 1 - std::fabs(w - static_cast<double>(j));
      if (near_h > 0 && near_w > 0) sum += near_h * near_w * at(x, first + i * in[1] + j);
    }
  return sum;
}

std::vector<double> reference(const Shape& s, const Floats& x, const Floats& w,
                              const Floats& offset, const Floats& bias, const Floats& mask) {
  std::vector<double> y;
  const Index taps = s.kernel[0] * s.kernel[1], outs = s.out[0] * s.out[1];
  const Index channels = s.group * s.in_c;
  for (Index n = 0; n < s.batch; ++n)
    for (Index m = 0; m < s.group * s.out_c; ++m)
      for (Index p = 0; p < outs; ++p) {
        double sum = bias.empty() ? 0 : at(bias, m);
        for (Index k = 0; k < s.in_c; ++k)
          for (Index t = 0; t < taps; ++t) {
            const Index c = m / s.out_c * s.in_c + k;
            const Index g = n * s.offset_group + c / (channels / s.offset_group);
            const Index moved = (g * taps + t) * 2 * outs + p;
            const Index h = p / s.out[1] * s.stride[0] - s.pad[0] + t / s.kernel[1] * s.dilation[0];
            const Index v = p % s.out[1] * s.stride[1] - s.pad[1] + t % s.kernel[1] * s.dilation[1];
            double value = sampled(x, (n * channels + c) * s.in[0] * s.in[1], s.in,
                                   static_cast<double>(h) + at(offset, moved),
                                   static_cast<double>(v) + at(offset, moved + outs));
            if (!mask.empty()) value *= at(mask, (g * taps + t) * outs + p);
            sum += value * at(w, (m * s.in_c + k) * taps + t);
          }
        y.push_back(sum);
      }
  return y;
}

}  // namespace

TEST_CASE("convolution with moved taps") {
  const Shape s;
  const Floats x = values(2 * 4 * 30, 1), w = values(6 * 2 * 6, 2), bias = values(6, 3);
  Floats offset = values(2 * 2 * 6 * 2 * 9, 4);
  for (float& v : offset) v *= 3;  // some taps leave the image
  const Floats mask = values(2 * 2 * 6 * 9, 5);
  Floats y(2 * 6 * 9);
  onnxc::deform_conv_nd<2>(s, x.data(), w.data(), offset.data(), bias.data(), mask.data(),
                           y.data());
  CHECK(kernel_test::worst_difference(y, reference(s, x, w, offset, bias, mask)) < 1e-5);
  const float* const none = nullptr;
  onnxc::deform_conv_nd<2>(s, x.data(), w.data(), offset.data(), none, none, y.data());
  CHECK(kernel_test::worst_difference(y, reference(s, x, w, offset, {}, {})) < 1e-5);
  // Whole steps take pixels as they are; a place one step outside is zero, however near.
  const Index extents[] = {2, 2};
  const float image[] = {1, 2, 3, 4};
  const auto sample = [&](float h, float v) {
    const float place[] = {h, v};
    return onnxc::sample_linear<2>(image, extents, place);
  };
  CHECK(sample(1, 1) == 4.0f);
  CHECK(sample(0.5f, 0.25f) == 2.25f);
  CHECK(sample(-0.5f, 0) == 0.5f);
  CHECK(sample(-1, 0) == 0.0f);
  CHECK(sample(2, 1) == 0.0f);
  CHECK(sample(std::nanf(""), 0) == 0.0f);
}
