// math.cpp - error of the float functions against long double, and of scalar code against vector
// code.
#include "runtime_min/math.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace {

float from_pattern(std::uint32_t pattern) {
  float x;
  std::memcpy(&x, &pattern, sizeof x);
  return x;
}

// |got - want| in units of the last place of want as a float; 0 when both are the same special
// value.
double ulp_error(float got, long double want) {
  const float rounded = static_cast<float>(want);
  if (std::isnan(rounded)) return std::isnan(got) ? 0.0 : 1e9;
  if (std::isinf(rounded)) return got == rounded ? 0.0 : 1e9;
  if (!std::isfinite(got)) return 1e9;
  int exponent = 0;
  (void)std::frexp(rounded, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / unit);
}

// ONNXC_MATH_STRIDE=1 visits every float.
#ifndef ONNXC_MATH_STRIDE
#define ONNXC_MATH_STRIDE 10007
#endif

template <class Function, class Reference>
double worst_error(Function function, Reference reference) {
  double worst = 0;
  bool agree = true;
  for (std::uint64_t p = 0; p < (std::uint64_t{1} << 32); p += ONNXC_MATH_STRIDE) {
    const float x = from_pattern(static_cast<std::uint32_t>(p));
    const float y = function(x);
    float out[onnxc::kLanes];
    onnxc::store(out, function(onnxc::broadcast(x)));
    agree = agree && ulp_error(out[0], static_cast<long double>(y)) <= 2.0;
    worst = std::max(worst, ulp_error(y, reference(static_cast<long double>(x))));
  }
  CHECK(agree);
  if (ONNXC_MATH_STRIDE != 10007) WARN("worst error " << worst << " ULP");
  return worst;
}

template <class Function, class Reference>
void check_special(Function function, Reference reference) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float tiny = std::numeric_limits<float>::denorm_min();
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan, tiny, -tiny, 88.7228f, 88.7229f,
                  -87.33f, -103.9f, -104.1f}) {
    CAPTURE(x);
    CHECK(ulp_error(function(x), reference(static_cast<long double>(x))) <= 2.0);
  }
}

}  // namespace

#define MATH_TEST(name, reference, bound)                            \
  TEST_CASE(#name) {                                                 \
    auto f = [](auto x) { return onnxc::math::name(x); };            \
    auto r = [](long double x) -> long double { return reference; }; \
    check_special(f, r);                                             \
    CHECK(worst_error(f, r) <= bound);                               \
  }

MATH_TEST(exp, std::exp(x), 1.5)
MATH_TEST(log, std::log(x), 1.5)
MATH_TEST(tanh, std::tanh(x), 2.0)
MATH_TEST(sigmoid, 1.0L / (1.0L + std::exp(-x)), 2.0)
MATH_TEST(erf, std::erf(x), 2.0)

TEST_CASE("exp_below_one") {
  const auto f = [](auto x) { return onnxc::math::exp_below_one(-onnxc::abs(x)); };
  const auto r = [](long double x) { return std::fabs(x) > 87 ? 0.0L : std::exp(-std::fabs(x)); };
  check_special(f, r);
  CHECK(worst_error(f, r) <= 1.5);
}

TEST_CASE("signed zeros") {
  CHECK(std::signbit(onnxc::math::tanh(-0.0f)));
  CHECK(std::signbit(onnxc::math::erf(-0.0f)));
}
