// layer_norm.cpp - LayerNormalization and RMSNormalization against double.
#include "templates/normalization/layer_norm.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "compiler/kernels/normalization_calls.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using onnxc::Index;

using Shape = onnxc::RowNormShape<onnxc::Index>;

struct FixedShape {
  static constexpr Index rows = 3, size = 100;
  static constexpr float epsilon = 1e-5f;
};

template <class S>
std::vector<double> reference(const S& s, const std::vector<float>& x, const float* scale,
                              const float* bias, bool centred) {
  std::vector<double> y;
  for (Index r = 0; r < s.rows; ++r) {
    const auto at = [&](Index i) {
      return static_cast<double>(x[static_cast<std::size_t>(r * s.size + i)]);
    };
    double mean = 0;
    double squares = 0;
    for (Index i = 0; centred && i < s.size; ++i) mean += at(i) / static_cast<double>(s.size);
    for (Index i = 0; i < s.size; ++i) squares += (at(i) - mean) * (at(i) - mean);
    const double deviation =
        std::sqrt(squares / static_cast<double>(s.size) + static_cast<double>(s.epsilon));
    for (Index i = 0; i < s.size; ++i) {
      double v = (at(i) - mean) / deviation;
      if (scale != nullptr) v *= static_cast<double>(scale[i]);
      if (bias != nullptr) v += static_cast<double>(bias[i]);
      y.push_back(v);
    }
  }
  return y;
}

template <class S>
void check(S s) {
  auto x = kernel_test::values(s.rows * s.size, 1);
  for (float& v : x) v += 3.0f;
  const auto scale = kernel_test::values(s.size, 2);
  const auto bias = kernel_test::values(s.size, 3);
  std::vector<float> y(x.size());
  CAPTURE(s.rows, s.size);
  onnxc::layer_norm(s, x.data(), scale.data(), bias.data(), y.data());
  CHECK(kernel_test::worst_difference(y, reference(s, x, scale.data(), bias.data(), true)) <= 1e-5);
  onnxc::rms_norm(s, x.data(), scale.data(), nullptr, y.data());
  CHECK(kernel_test::worst_difference(y, reference(s, x, scale.data(), nullptr, false)) <= 1e-5);
  auto in_place = x;
  onnxc::layer_norm(s, in_place.data(), nullptr, nullptr, in_place.data(),
                    [](auto v, Index, Index) { return v * 2.0f; });
  auto want = reference(s, x, nullptr, nullptr, true);
  for (double& v : want) v *= 2;
  CHECK(kernel_test::worst_difference(in_place, want) <= 2e-5);
}

}  // namespace

TEST_CASE("rows of many sizes") {
  for (Index size : {1, 2, 15, 16, 64, 67, 384, 1000}) check(Shape{3, size, 1e-3f});
  check(FixedShape{});
}
