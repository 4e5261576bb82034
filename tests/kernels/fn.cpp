// fn.cpp - element-wise functions against their definitions in double.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "templates/fn/activation.hpp"
#include "templates/fn/arithmetic.hpp"
#include "templates/fn/bitwise.hpp"
#include "templates/fn/cast.hpp"
#include "templates/fn/comparison.hpp"
#include "templates/fn/exponential.hpp"
#include "templates/fn/gated_activation.hpp"
#include "templates/fn/hyperbolic.hpp"
#include "templates/fn/logical.hpp"
#include "templates/fn/quantize.hpp"
#include "templates/fn/rounding.hpp"
#include "templates/fn/selection.hpp"
#include "templates/fn/trigonometric.hpp"

using namespace onnxc;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

bool close(double got, double want) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want)) return got == want;
  return std::fabs(got - want) <= 1e-6 + 2e-6 * std::fabs(want);
}

float first_lane(vfloat v) {
  float lane[kLanes];
  std::memcpy(lane, &v, sizeof v);
  return lane[0];
}

// The function on float, on vectors and on double, against its definition in double.
template <class F, class G>
void check(const char* name, F f, G definition, float low = -6, float high = 6) {
  INFO(name);
  for (int i = 0; i <= 1000; ++i) {
    const float x = low + (high - low) * static_cast<float>(i) / 1000.0f;
    const double want = definition(static_cast<double>(x));
    CAPTURE(x, want, f(x));
    REQUIRE(close(static_cast<double>(f(x)), want));
    REQUIRE(close(static_cast<double>(first_lane(f(onnxc::broadcast<vfloat>(x)))), want));
    REQUIRE(close(f(static_cast<double>(x)), want));
  }
  REQUIRE(std::isnan(f(kNan)));
  REQUIRE(std::isnan(first_lane(f(onnxc::broadcast<vfloat>(kNan)))));
}

#define ONNXC_CHECK(name, ...) \
  check(                       \
      #name, [](auto x) { return fn::name(x); }, __VA_ARGS__)

double softplus(double x) { return std::log1p(std::exp(-std::fabs(x))) + std::fmax(x, 0.0); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("functions of one real number", "[fn]") {
  using D = double;
  ONNXC_CHECK(abs, [](D x) { return std::fabs(x); });
  ONNXC_CHECK(
      acos, [](D x) { return std::acos(x); }, -1, 1);
  ONNXC_CHECK(
      acosh, [](D x) { return std::acosh(x); }, 1, 9);
  ONNXC_CHECK(
      asin, [](D x) { return std::asin(x); }, -1, 1);
  ONNXC_CHECK(asinh, [](D x) { return std::asinh(x); });
  ONNXC_CHECK(atan, [](D x) { return std::atan(x); });
  ONNXC_CHECK(
      atanh, [](D x) { return std::atanh(x); }, -0.99f, 0.99f);
  ONNXC_CHECK(ceil, [](D x) { return std::ceil(x); });
  ONNXC_CHECK(cos, [](D x) { return std::cos(x); });
  ONNXC_CHECK(cosh, [](D x) { return std::cosh(x); });
  ONNXC_CHECK(erf, [](D x) { return std::erf(x); });
  ONNXC_CHECK(exp, [](D x) { return std::exp(x); });
  ONNXC_CHECK(floor, [](D x) { return std::floor(x); });
  ONNXC_CHECK(gelu, [](D x) { return x * 0.5 * (1 + std::erf(x * std::sqrt(0.5))); });
  ONNXC_CHECK(hard_swish, [](D x) { return x * std::fmin(std::fmax(x / 6 + 0.5, 0), 1); });
  ONNXC_CHECK(
      log, [](D x) { return std::log(x); }, 0, 9);
  ONNXC_CHECK(mish, [](D x) { return x * std::tanh(softplus(x)); });
  ONNXC_CHECK(neg, [](D x) { return -x; });
  ONNXC_CHECK(
      reciprocal, [](D x) { return 1 / x; }, 0.1f, 9);
  ONNXC_CHECK(relu, [](D x) { return std::fmax(x, 0); });
  ONNXC_CHECK(round, [](D x) { return std::nearbyint(x); });
  ONNXC_CHECK(sigmoid, sigmoid);
  ONNXC_CHECK(sign, [](D x) { return static_cast<D>((x > 0) - (x < 0)); });
  ONNXC_CHECK(sin, [](D x) { return std::sin(x); });
  ONNXC_CHECK(sinh, [](D x) { return std::sinh(x); });
  ONNXC_CHECK(softplus, softplus, -50, 50);
  ONNXC_CHECK(softsign, [](D x) { return x / (1 + std::fabs(x)); });
  ONNXC_CHECK(
      sqrt, [](D x) { return std::sqrt(x); }, 0, 9);
  ONNXC_CHECK(
      tan, [](D x) { return std::tan(x); }, -1, 1);
  ONNXC_CHECK(tanh, [](D x) { return std::tanh(x); });
}

TEST_CASE("functions with literals", "[fn]") {
  check(
      "celu", [](auto x) { return fn::celu(x, 2.0f); },
      [](double x) { return x < 0 ? 2 * std::expm1(x / 2) : x; });
  check(
      "clip", [](auto x) { return fn::clip(x, -1.0f, 2.0f); },
      [](double x) { return std::fmin(std::fmax(x, -1), 2); });
  check(
      "elu", [](auto x) { return fn::elu(x, 0.5f); },
      [](double x) { return x < 0 ? 0.5 * std::expm1(x) : x; });
  check(
      "hard_sigmoid", [](auto x) { return fn::hard_sigmoid(x, 0.25f, 0.5f); },
      [](double x) { return std::fmin(std::fmax(x / 4 + 0.5, 0), 1); });
  check(
      "leaky_relu", [](auto x) { return fn::leaky_relu(x, 0.25f); },
      [](double x) { return x < 0 ? x / 4 : x; });
  check(
      "swish", [](auto x) { return fn::swish(x, 0.5f); },
      [](double x) { return x * sigmoid(x / 2); });
  CHECK(fn::selu(-1.0f, 1.5f, 2.0f) == Approx(3 * std::expm1(-1.0f)));
  CHECK(fn::thresholded_relu(1.0f, 1.0f) == 0.0f);
  CHECK(fn::where_positive(0.0f, 1.0f, 2.0f) == 2.0f);
  CHECK(fn::where_positive(0.5, 1.0, 2.0) == 1.0);
  CHECK(fn::shrink(std::int8_t{3}, 1.5f, 1.0f) == 2);
  CHECK(fn::shrink(-1.0, 0.5f, 0.25f) == -0.75);
}

TEST_CASE("fake_quantize is what the two operators leave", "[fn]") {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> xs = {inf, -inf, 1e30f, -1e30f, 0.0f, -0.0f, std::nanf("")};
  for (int i = -400; i < 400; ++i) xs.push_back(0.125f * static_cast<float>(i));
  while (xs.size() % kLanes != 0) xs.push_back(0.3f);
  for (const float step : {0.25f, 0.1f}) {
    const float zero = 100.0f;
    const auto both = [&](auto x) {
      return fn::fake_quantize(x, 1.0f, step, step, -zero, 255.0f - zero);
    };
    for (std::size_t i = 0; i < xs.size(); i += kLanes) {
      float y[kLanes];
      store(y, both(load(&xs[i])));
      for (std::size_t j = 0; j < kLanes; ++j) {
        const float steps = std::nearbyint(xs[i + j] / step) + zero;
        const float q = !(steps > 0.0f) ? 0.0f : steps < 255.0f ? steps : 255.0f;
        CHECK(y[j] == (q - zero) * step);
        CHECK(both(xs[i + j]) == y[j]);
      }
    }
  }
  CHECK(fn::fake_quantize(0.75f, 2.0f, 1.0f, 0.5f, -128.0f, 127.0f) == 1.0f);
  CHECK(fn::fake_quantize(1.25f, 2.0f, 1.0f, 0.5f, -128.0f, 127.0f) == 1.0f);
}

TEST_CASE("integer arithmetic is defined everywhere", "[fn]") {
  constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
  CHECK(fn::add(kMin, -1) == std::numeric_limits<std::int32_t>::max());
  CHECK(fn::mul(std::uint16_t{65535}, std::uint16_t{65535}) == 1);
  CHECK(fn::sub(std::int8_t{-128}, std::int8_t{1}) == 127);
  CHECK(fn::div(kMin, -1) == kMin);
  CHECK(fn::div(5, 0) == 0);
  CHECK(fn::div(-7, 2) == -3);
  CHECK(fn::div(std::int8_t{-128}, std::int8_t{-1}) == -128);
  CHECK(fn::neg(kMin64) == kMin64);
  CHECK(fn::abs(kMin) == kMin);
  CHECK(fn::abs(std::uint8_t{200}) == 200);
  CHECK(fn::sign(std::uint8_t{200}) == 1);
  CHECK(fn::mod(kMin64, std::int64_t{-1}) == 0);
  CHECK(fn::mod(-7, 3) == 2);
  CHECK(fn::mod(7, -3) == -2);
  CHECK(fn::mod(7, 0) == 0);
  CHECK(fn::fmod(-7, 3) == -1);
  CHECK(fn::fmod(-7.5f, 2.0f) == -1.5f);
  CHECK(fn::pow(3, std::uint8_t{4}) == 81);
  CHECK(fn::pow(2, -1) == 0);
  CHECK(fn::pow(-1, -3) == -1);
  CHECK(fn::pow(std::int64_t{10}, std::int64_t{40}) == std::int64_t{-5047021154770878464});
  CHECK(fn::pow(2, 1e9f) == std::numeric_limits<std::int32_t>::max());
  CHECK(fn::pow(2.0f, std::int64_t{-2}) == 0.25f);
  CHECK(fn::shift_left(std::uint8_t{255}, std::uint8_t{1}) == 254);
  CHECK(fn::shift_right(1u, 32u) == 0);
  CHECK(fn::bitwise_not(std::uint8_t{1}) == 254);
  CHECK(fn::bitwise_and(6, 3) == 2);
  CHECK(fn::bitwise_or(6, 3) == 7);
  CHECK(fn::bitwise_xor(6, 3) == 5);
  CHECK(fn::prelu(-3, 2) == -6);
}

TEST_CASE("casts", "[fn]") {
  CHECK(fn::cast<std::int32_t>(1e30f) == std::numeric_limits<std::int32_t>::max());
  CHECK(fn::cast<std::int64_t>(-kInf) == std::numeric_limits<std::int64_t>::min());
  CHECK(fn::cast<std::uint64_t>(-1.0) == 0);
  CHECK(fn::cast<std::uint64_t>(18446744073709549568.0) == 18446744073709549568ull);
  CHECK(fn::cast<std::int32_t>(kNan) == 0);
  CHECK(fn::cast<std::int32_t>(-2147483648.0f) == std::numeric_limits<std::int32_t>::min());
  CHECK(fn::cast<std::int32_t>(2147483647.5) == 2147483647);
  CHECK(fn::cast<std::int8_t>(300.7f) == 44);
  CHECK(fn::cast<std::int8_t>(std::int16_t{200}) == -56);
  CHECK(fn::cast<std::uint32_t>(-1.5f) == 0);
  CHECK(fn::cast<bool>(0.5f));
  CHECK(fn::cast<bool>(kNan));
  CHECK(fn::cast<float>(true) == 1.0f);
  CHECK(fn::cast<float16>(1e6f) == kInf);
  CHECK(fn::cast<float16>(0.1) == 0.0999755859375f);
  CHECK(fn::cast<int4>(-9.0f) == 7);
  CHECK(fn::cast<uint2>(std::int8_t{-1}) == 3);
  CHECK(fn::cast<float8e4m3fn>(1e6f) == 448.0f);
  CHECK(std::isnan(fn::cast_unsaturated<float8e4m3fn>(1e6f)));
  CHECK(fn::cast_rounded<float8e8m0>(1.5f, true, 1) == 1.0f);
}

TEST_CASE("comparison, choice and NaN", "[fn]") {
  CHECK(std::isnan(fn::max(kNan, 1.0f)));
  CHECK(std::isnan(fn::max(1.0f, 2.0f, kNan)));
  CHECK(std::isnan(fn::min(1.0f, kNan)));
  CHECK(fn::min(std::int8_t{3}, std::int8_t{-3}) == -3);
  CHECK(first_lane(fn::max(onnxc::broadcast<vfloat>(1.0f), onnxc::broadcast<vfloat>(3.0f))) ==
        3.0f);
  CHECK(fn::clip(5, 4, 3) == 3);
  CHECK(fn::mean(1.0f, 2.0f, 6.0f) == 3.0f);
  CHECK(fn::sum(1.0f, 2.0f, 6.0f) == 9.0f);
  for (const float x : {2.0f, -1.1f, 0.3f, -0.0f, 1e20f, -1e-16f, -kInf}) {
    const float cube = fn::pow(x, 3.0f), exact = static_cast<float>(static_cast<double>(x) * x * x);
    CHECK((cube == exact || std::abs(cube / exact - 1) <= 0x1p-23f));
    CHECK(std::signbit(cube) == std::signbit(x));
    const auto vector = fn::pow(onnxc::broadcast<vfloat>(x), onnxc::broadcast<vfloat>(3.0f));
    CHECK(first_lane(vector) == cube);
  }
  CHECK(fn::where(false, 1, 2) == 2);
  CHECK(fn::is_inf(-kInf, true, false));
  CHECK_FALSE(fn::is_inf(-kInf, false, true));
  CHECK(fn::is_nan(kNan));
  CHECK((fn::less(1, 2) && fn::greater_or_equal(2, 2) && fn::less_or_equal(2, 2)));
  CHECK((fn::equal(true, true) && !fn::greater(1, 2) && fn::identity(1) == 1));
  CHECK((fn::logical_xor(true, false) && fn::logical_or(true, false) &&
         !fn::logical_and(true, false)));
  CHECK(fn::logical_not(false));
  CHECK(std::isnan(fn::sub(kInf, kInf)));
}
