// requantize.cpp - scaling and rounding by integers against the same in floats, bit by bit.
#include "templates/fn/requantize.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "templates/fn/quantize.hpp"

namespace {

using onnxc::fn::quantize;
using onnxc::fn::quotient_by_integers;
using onnxc::fn::requantize;
using onnxc::fn::scaled_by_integers;

std::int32_t clipped(std::int32_t q, int low, int high) { return std::min(std::max(q, low), high); }

// What vectors of floats give.
std::int32_t in_floats(float x, float factor, float divisor, int low, int high) {
  const float v = x * factor / divisor;
  if (!(v > static_cast<float>(low))) return low;
  return clipped(static_cast<std::int32_t>(std::nearbyint(std::fmin(v, 1e6f))), low, high);
}

struct Mistakes {
  int count = 0;
  void expect(std::int32_t got, std::int32_t want) { count += got == want ? 0 : 1; }
};

void compare(Mistakes& mistakes, std::int32_t sum, float scale) {
  for (const int low : {-256, -128, -3, 0}) {
    const int high = low + 255;
    const std::int32_t want = in_floats(static_cast<float>(sum) * scale, 1, 1, low, high);
    mistakes.expect(clipped(scaled_by_integers<true>(sum, scale), low, high), want);
    mistakes.expect(clipped(scaled_by_integers<false>(sum, scale), low, high), want);
    mistakes.expect(requantize(sum, scale, -low, low, high), want - low);
  }
}

// Sums whose product with the scale is next to a half, and those around them.
void compare_near_halves(Mistakes& mistakes, float scale) {
  for (int half = -600; half <= 600; ++half) {
    const double sum = (half + 0.5) / static_cast<double>(scale);
    if (std::fabs(sum) > 2147483000.0) continue;
    for (std::int32_t off = -2; off <= 2; ++off)
      compare(mistakes, static_cast<std::int32_t>(std::floor(sum)) + off, scale);
  }
}

TEST_CASE("requantize: halves, every exponent") {
  std::mt19937 random(1);
  Mistakes mistakes;
  for (int exponent = -22; exponent < 0; ++exponent) {
    compare_near_halves(mistakes, std::ldexp(1.0f, exponent));
    compare_near_halves(mistakes, std::ldexp(1.5f, std::max(exponent - 1, -22)));
    for (int i = 0; i < 4; ++i)
      compare_near_halves(mistakes, std::ldexp(1.0f + static_cast<float>(random() >> 9) * 0x1p-23f,
                                               std::max(exponent - 1, -22)));
  }
  CHECK(mistakes.count == 0);
}

TEST_CASE("requantize: any sum, any scale") {
  std::mt19937 random(2);
  Mistakes mistakes;
  for (int i = 0; i < 200000; ++i) {
    const auto bits = static_cast<std::int32_t>(random());
    const float scale = std::ldexp(1.0f + static_cast<float>(random() >> 9) * 0x1p-23f,
                                   -22 + static_cast<int>(random() % 21));
    compare(mistakes, bits >> (random() % 32), scale);
  }
  for (const std::int32_t sum : {std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max(), -1, 0, 1})
    for (const float scale : {0x1p-22f, 0x1.fffffep-2f, 0.5f, 0x1.ffff7ep-9f, 0x1.ff8p-9f})
      compare(mistakes, sum, scale);
  CHECK(mistakes.count == 0);
}

void compare_quotient(Mistakes& mistakes, float x, float factor, float divisor) {
  for (const int low : {-255, -128, 0}) {
    const int high = low + 255;
    const std::int32_t want = in_floats(x, factor, divisor, low, high);
    const float ratio = factor / divisor;
    mistakes.expect(clipped(quotient_by_integers<true>(x, factor, divisor, ratio), low, high),
                    want);
    mistakes.expect(clipped(quotient_by_integers<false>(x, factor, divisor, ratio), low, high),
                    want);
    const auto limit = [](int v) { return static_cast<float>(v); };
    mistakes.expect(static_cast<std::int32_t>(static_cast<float>(
                        quantize(x, factor, divisor, limit(-low), limit(low), limit(high)))),
                    want - low);
  }
}

TEST_CASE("quantize: floats near halves, any float") {
  std::mt19937 random(3);
  Mistakes mistakes;
  const auto any = [&] {
    const std::uint32_t bits = static_cast<std::uint32_t>(random());
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  };
  for (int i = 0; i < 300; ++i) {
    const float step = std::ldexp(1.0f + static_cast<float>(random() >> 9) * 0x1p-23f,
                                  static_cast<int>(random() % 60) - 40);
    for (int half = -300; half < 300; half += 7) {
      const float x = (static_cast<float>(half) + 0.5f) * step;
      for (const float near : {x, std::nextafter(x, 1e30f), std::nextafter(x, -1e30f)}) {
        compare_quotient(mistakes, near, 1.0f, step);
        compare_quotient(mistakes, near, 1.0f / step, 1.0f);
      }
      compare_quotient(mistakes, any(), 1.0f, step);
      compare_quotient(mistakes, std::ldexp(step, static_cast<int>(random() % 16) - 7), 1.0f, step);
    }
  }
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const float x : {inf, -inf, std::nanf(""), -std::nanf(""), 0.0f, -0.0f, 1e-44f, 3e38f})
    compare_quotient(mistakes, x, 1.0f, 0.1f);
  CHECK(mistakes.count == 0);
}

}  // namespace
