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
  CHECK(onnxc::lanes<V> == N);
  if constexpr (N > 1) {
    V zipped[2];
    onnxc::zip(v, -v, zipped);
    for (int i = 0; i < 2; ++i) {
      onnxc::store(out, zipped[i]);
      for (int j = 0; j < N; ++j)
        CHECK(out[j] == a[1 + (i * N + j) / 2] * (j % 2 == 0 ? 1.0f : -1.0f));
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

TEST_CASE("every element is in one vector, and no vector is wider than what is left") {
  for (onnxc::Index count = 0; count <= 3 * kLanes + 1; ++count) {
    onnxc::Index next = 0;
    onnxc::for_all_lanes(count, [&](onnxc::Index i, auto lane) {
      CHECK(i == next);
      next += onnxc::lanes<decltype(lane)>;
    });
    CHECK(next == count);
  }
}

TEST_CASE("comparisons and selection, lane by lane") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float values[] = {-1.0f, -0.0f, 0.0f, 1.0f, nan};
  for (float x : values) {
    for (float y : values) {
      // The pair of interest in the last lane, next to another one.
      float a[kLanes] = {}, b[kLanes] = {}, out[kLanes];
      a[kLanes - 1] = x;
      b[kLanes - 1] = y;
      const vfloat v = onnxc::load(a), w = onnxc::load(b);
      const vfloat one = onnxc::broadcast(1.0f), two = onnxc::broadcast(2.0f);
      const auto check = [&](auto scalar, auto vector, bool holds) {
        onnxc::store(out, onnxc::select(vector, one, two));
        CHECK(out[kLanes - 1] == (holds ? 1.0f : 2.0f));
        CHECK(onnxc::select(scalar, 1, 2) == (holds ? 1 : 2));
        CHECK(onnxc::select_computed(
                  scalar, [] { return 1; }, 2) == (holds ? 1 : 2));
      };
      check(onnxc::greater_than(x, y), onnxc::greater_than(v, w), x > y);
      check(onnxc::less_than(x, y), onnxc::less_than(v, w), x < y);
      check(onnxc::equal_to(x, y), onnxc::equal_to(v, w), x == y);
      check(onnxc::not_equal_to(x, y), onnxc::not_equal_to(v, w), x != y);
      check(onnxc::greater_than(x, 0.0f), onnxc::greater_than(v, 0.0f), x > 0.0f);
      check(onnxc::less_than(x, 0.0f), onnxc::less_than(v, 0.0f), x < 0.0f);
    }
  }
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
  onnxc::store(lane, onnxc::max(onnxc::broadcast(2.0f), v));
  CHECK(std::isnan(lane[kLanes - 1]));
}

TEST_CASE("broadcast keeps the sign of zero") {
  CHECK(std::signbit(onnxc::horizontal_max(onnxc::broadcast(-0.0f))));
}
