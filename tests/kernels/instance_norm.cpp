// instance_norm.cpp - instance normalization against two passes in double precision.
#include "templates/normalization/instance_norm.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::Index;

struct Shape {
  Index batch, channels, positions;
  bool channels_last;
  float epsilon;
};

std::size_t element(const Shape& s, Index n, Index c, Index p) {
  const Index inner = s.channels_last ? p * s.channels + c : c * s.positions + p;
  return static_cast<std::size_t>(n * s.channels * s.positions + inner);
}

std::vector<double> expected(const Shape& s, const std::vector<float>& x,
                             const std::vector<float>& scale, const std::vector<float>& bias) {
  std::vector<double> y(x.size());
  for (Index n = 0; n < s.batch; ++n) {
    for (Index c = 0; c < s.channels; ++c) {
      double sum = 0, squares = 0;
      const auto value = [&](Index p) { return static_cast<double>(x[element(s, n, c, p)]); };
      for (Index p = 0; p < s.positions; ++p) sum += value(p);
      const double mean = sum / static_cast<double>(s.positions);
      for (Index p = 0; p < s.positions; ++p) squares += (value(p) - mean) * (value(p) - mean);
      const double variance = squares / static_cast<double>(s.positions);
      const auto at = static_cast<std::size_t>(c);
      for (Index p = 0; p < s.positions; ++p) {
        y[element(s, n, c, p)] = (value(p) - mean) /
                                     std::sqrt(variance + static_cast<double>(s.epsilon)) *
                                     static_cast<double>(scale[at]) +
                                 static_cast<double>(bias[at]);
      }
    }
  }
  return y;
}

struct AddAt {
  const float* element;
  template <class V>
  V operator()(V v, Index at, Index) const {
    return v * 2.0f + onnxc::load<V>(element + at);
  }
};

// offset: of all values, to see what large means cost.
void check(Shape s, float offset, double tolerance) {
  const Index count = s.batch * s.channels * s.positions;
  auto x = kernel_test::values(count, 1);
  for (float& v : x) v += offset;
  const auto scale = kernel_test::values(s.channels, 2), bias = kernel_test::values(s.channels, 3),
             added = kernel_test::values(count, 4);
  auto want = expected(s, x, scale, bias);
  std::vector<float> y(x.size()), chunks(x.size());
  CAPTURE(s.channels, s.positions, s.channels_last, offset);
  onnxc::instance_norm(s, x.data(), scale.data(), bias.data(), y.data());
  CHECK(kernel_test::worst_difference(y, want) <= tolerance);
  for (Index i = 0; i < 3; ++i) {
    onnxc::instance_norm(onnxc::with_chunk(s, {i, 3, i}), x.data(), scale.data(), bias.data(),
                         chunks.data());
  }
  CHECK(chunks == y);
  onnxc::instance_norm(s, x.data(), scale.data(), bias.data(), y.data(), AddAt{added.data()});
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = 2 * want[i] + static_cast<double>(added[i]);
  CHECK(kernel_test::worst_difference(y, want) <= 2 * tolerance);
}

}  // namespace

TEST_CASE("instance_norm") {
  for (bool last : {false, true}) {
    for (Index channels : {1, 3, 16, 37, 100}) {
      for (Index positions : {1, 2, 63, 65, 130, 2500}) {
        check({2, channels, positions, last, 1e-5f}, 0.0f, 5e-6);
        // Of a few values near 100 the variance may be as small as what the mean is rounded by.
        if (positions > 60) check({1, channels, positions, last, 1e-5f}, 100.0f, 2e-4);
      }
    }
  }
}
