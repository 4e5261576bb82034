// softmax.cpp - softmax and log-softmax against long double.
#include "templates/normalization/softmax.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "compiler/kernels/normalization_calls.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using onnxc::Index;

using Shape = onnxc::SoftmaxShape<onnxc::Index>;

struct FixedShape {
  static constexpr Index outer = 3, axis = 50, inner = 1;
  static constexpr bool logarithm = false;
};

template <class S>
std::vector<double> reference(const S& s, const std::vector<float>& x) {
  std::vector<double> y(x.size());
  for (Index o = 0; o < s.outer; ++o)
    for (Index i = 0; i < s.inner; ++i) {
      const auto at = [&](Index k) {
        return static_cast<std::size_t>((o * s.axis + k) * s.inner + i);
      };
      double largest = -1e30;
      double sum = 0;
      for (Index k = 0; k < s.axis; ++k)
        largest = std::fmax(largest, static_cast<double>(x[at(k)]));
      for (Index k = 0; k < s.axis; ++k) sum += std::exp(static_cast<double>(x[at(k)]) - largest);
      for (Index k = 0; k < s.axis; ++k) {
        const double shifted = static_cast<double>(x[at(k)]) - largest;
        y[at(k)] = s.logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
      }
    }
  return y;
}

template <class S>
void check(S s) {
  auto x = kernel_test::values(s.outer * s.axis * s.inner, 1);
  for (float& v : x) v *= 20.0f;
  std::vector<float> y(x.size());
  onnxc::softmax(s, x.data(), y.data());
  CAPTURE(s.outer, s.axis, s.inner, s.logarithm);
  CHECK(kernel_test::worst_difference(y, reference(s, x)) <= (s.logarithm ? 1e-5 : 1e-6));
  auto in_place = x;
  onnxc::softmax(s, in_place.data(), in_place.data());
  CHECK(in_place == y);
}

}  // namespace

TEST_CASE("rows and planes") {
  for (bool logarithm : {false, true}) {
    for (Index axis : {1, 2, 7, 16, 17, 64, 1001}) {
      for (Index inner : {1, 2, 16, 35}) check(Shape{2, axis, inner, logarithm});
    }
  }
  check(FixedShape{});
}

TEST_CASE("rows shorter than a vector, side by side") {
  for (bool logarithm : {false, true})
    for (Index axis : {1, 2, 3, 7, 15})
      for (Index outer : {onnxc::kLanes, 37}) check(Shape{outer, axis, 1, logarithm});
  // A row of minus infinities among others.
  std::vector<float> x(3 * 40, 1.0f), y(3 * 40);
  for (std::size_t i = 9; i < 12; ++i) x[i] = -onnxc::kInfinity;
  onnxc::softmax(Shape{40, 3, 1, false}, x.data(), y.data());
  CHECK(std::isnan(y[9]));
  CHECK(y[8] == y[12]);
}

TEST_CASE("infinities") {
  std::vector<float> x(20, -onnxc::kInfinity);
  std::vector<float> y(20);
  onnxc::softmax(Shape{1, 20, 1, false}, x.data(), y.data());
  CHECK(std::isnan(y[0]));
  x[18] = 3.0f;
  onnxc::softmax(Shape{1, 20, 1, false}, x.data(), y.data());
  CHECK(y[18] == 1.0f);
  CHECK(y[0] == 0.0f);
  onnxc::softmax(Shape{1, 20, 1, true}, x.data(), y.data());
  CHECK(y[0] == -onnxc::kInfinity);
}
