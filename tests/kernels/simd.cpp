// simd.cpp - the vector layer lane by lane.
#include "runtime_min/simd.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using onnxc::kLanes;
using onnxc::vfloat;

namespace {

template <int N>
void check_width() {
  using V = onnxc::vec<N>;
  float a[17];
  float out[17] = {};
  for (int i = 0; i <= N; ++i) a[i] = static_cast<float>(3 - i * 2);
  const V v = onnxc::load<V>(a + 1);
  onnxc::store(out, onnxc::abs(v));
  float sum = 0;
  for (int i = 0; i < N; ++i) {
    CHECK(out[i] == std::fabs(a[i + 1]));
    sum += a[i + 1];
  }
  CHECK(out[N] == 0.0f);
  CHECK(onnxc::horizontal_sum(v) == sum);
  CHECK(onnxc::horizontal_max(v) == a[1]);
  CHECK(onnxc::horizontal_min(v) == a[N]);
  CHECK(onnxc::lanes<V> == N);
  if constexpr (N > 1) {
    V zipped[2];
    onnxc::zip(v, -v, zipped);
    for (int i = 0; i < 2; ++i) {
      onnxc::store(out, zipped[i]);
      for (int j = 0; j < N; ++j) CHECK(out[j] == a[1 + (i * N + j) / 2] * (j % 2 == 0 ? 1.0f : -1.0f));
    }
  }
}

}  // namespace

TEST_CASE("every width up to the widest") {
  check_width<1>();
  if constexpr (kLanes >= 4) check_width<4>();
  if constexpr (kLanes >= 8) check_width<8>();
  if constexpr (kLanes >= 16) check_width<16>();
}

TEST_CASE("min and max keep NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(onnxc::max(nan, 1.0f)));
  CHECK(std::isnan(onnxc::max(1.0f, nan)));
  CHECK(std::isnan(onnxc::min(nan, 1.0f)));
  CHECK(std::isnan(onnxc::min(1.0f, nan)));
  float lane[kLanes];
  for (float& x : lane) x = 1.0f;
  lane[kLanes - 1] = nan;
  const vfloat v = onnxc::load(lane);
  CHECK(std::isnan(onnxc::horizontal_max(v)));
  CHECK(std::isnan(onnxc::horizontal_min(v)));
  onnxc::store(lane, onnxc::max(onnxc::broadcast(2.0f), v));
  CHECK(std::isnan(lane[kLanes - 1]));
}

TEST_CASE("broadcast keeps the sign of zero") { CHECK(std::signbit(onnxc::horizontal_max(onnxc::broadcast(-0.0f)))); }
