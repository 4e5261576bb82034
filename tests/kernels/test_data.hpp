// test_data.hpp - pseudo-random data and comparisons, shared by the kernel tests.
#pragma once

#include <cmath>
#include <vector>

#include "runtime_min/types.hpp"

namespace kernel_test {

using onnxc::Index;

// Reproducible values from -1 to 1.
inline std::vector<float> values(Index count, unsigned seed) {
  std::vector<float> v(static_cast<std::size_t>(count));
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return v;
}

// Element i as a double.
template <class T>
double at(const std::vector<T>& v, Index i) {
  return static_cast<double>(v.at(static_cast<std::size_t>(i)));
}

// The largest absolute difference; very large where the sizes differ or an element is NaN.
template <class T>
double worst_difference(const std::vector<T>& got, const std::vector<double>& want) {
  constexpr double kWrong = 1e9;
  double worst = got.size() == want.size() ? 0.0 : kWrong;
  for (std::size_t i = 0; i < want.size() && i < got.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(got[i]) - want[i]);
    worst = std::fmax(worst, std::isnan(difference) ? kWrong : difference);
  }
  return worst;
}

}  // namespace kernel_test
