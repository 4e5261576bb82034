// group_norm.cpp - group normalization against two passes in double precision.
#include "templates/normalization/group_norm.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::Index;

struct Shape {
  Index batch, groups, width, positions;
  bool channels_last, per_group;
  float epsilon;

  std::size_t element(Index n, Index c, Index p) const {
    const Index channels = groups * width;
    return static_cast<std::size_t>(n * channels * positions +
                                    (channels_last ? p * channels + c : c * positions + p));
  }
};

std::vector<double> expected(const Shape& s, const std::vector<float>& x,
                             const std::vector<float>& scale, const std::vector<float>& bias) {
  std::vector<double> y(x.size());
  const double count = static_cast<double>(s.width * s.positions);
  for (Index i = 0; i < s.batch * s.groups; ++i) {
    const Index n = i / s.groups, first = i % s.groups * s.width;
    const auto each = [&](auto f) {
      for (Index c = first; c < first + s.width; ++c) {
        for (Index p = 0; p < s.positions; ++p) f(c, s.element(n, c, p));
      }
    };
    double mean = 0, variance = 0;
    each([&](Index, std::size_t at) { mean += static_cast<double>(x[at]) / count; });
    each([&](Index, std::size_t at) {
      variance += std::pow(static_cast<double>(x[at]) - mean, 2) / count;
    });
    each([&](Index c, std::size_t at) {
      const auto k = static_cast<std::size_t>(s.per_group ? i % s.groups : c);
      y[at] = (static_cast<double>(x[at]) - mean) /
                  std::sqrt(variance + static_cast<double>(s.epsilon)) *
                  static_cast<double>(scale[k]) +
              static_cast<double>(bias[k]);
    });
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

void check(Shape s) {
  const Index count = s.batch * s.groups * s.width * s.positions;
  const auto x = kernel_test::values(count, 1), scale = kernel_test::values(s.groups * s.width, 2),
             bias = kernel_test::values(s.groups * s.width, 3),
             added = kernel_test::values(count, 4);
  auto want = expected(s, x, scale, bias);
  std::vector<float> y(x.size()), chunks(x.size());
  CAPTURE(s.groups, s.width, s.positions, s.channels_last, s.per_group);
  onnxc::group_norm(s, x.data(), scale.data(), bias.data(), y.data());
  CHECK(kernel_test::worst_difference(y, want) <= 5e-6);
  for (Index i = 0; i < 3; ++i) {
    onnxc::group_norm(onnxc::with_chunk(s, {i, 3, i}), x.data(), scale.data(), bias.data(),
                      chunks.data());
  }
  CHECK(chunks == y);
  onnxc::group_norm(s, x.data(), scale.data(), bias.data(), y.data(), AddAt{added.data()});
  for (std::size_t i = 0; i < want.size(); ++i)
    want[i] = 2 * want[i] + static_cast<double>(added[i]);
  CHECK(kernel_test::worst_difference(y, want) <= 1e-5);
}

}  // namespace

TEST_CASE("group_norm") {
  for (bool last : {false, true}) {
    for (bool per_group : {false, true}) {
      for (Index width : {1, 4, 20, 33}) {
        for (Index positions : {1, 5, 65, 300})
          check({2, 3, width, positions, last, per_group, 1e-5f});
      }
    }
  }
}
