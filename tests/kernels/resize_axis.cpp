// resize_axis.cpp - tables of taps against known coordinates, and errors of run-time scales.
#include "templates/image/resize_axis.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

using onnxc::Index;
using onnxc::ResizeMode;
using onnxc::Status;

namespace {

struct Shape {
  Index in = 2, out = 4, max_taps = 2, filter = ResizeMode::kLinear,
        coordinates = ResizeMode::kHalfPixel;
  Index nearest = ResizeMode::kFloor;
  bool antialias = false, exclude_outside = false, checked = true;
  float cubic_a = -0.75f;
  Index up = 2, down = 1, axis = 0, roi_end = 1;
  float roi_from = 0, roi_to = 1;
  Index outer = 1, inner = 1;
  float extrapolation = -1.0f;
};

const float* const kNone = nullptr;

std::vector<float> resized(const Shape& s, const std::vector<float>& x) {
  const auto size = static_cast<std::size_t>(s.out * s.max_taps);
  std::vector<std::int64_t> taps(size);
  std::vector<float> weights(size), y(static_cast<std::size_t>(s.outer * s.out * s.inner));
  REQUIRE(onnxc::resize_table(s, kNone, kNone, taps.data(), weights.data()) == Status::ok);
  onnxc::resize_axis(s, x.data(), taps.data(), weights.data(), y.data());
  return y;
}

}  // namespace

TEST_CASE("linear interpolation") {
  Shape s;
  CHECK(resized(s, {1, 3}) == std::vector<float>{1, 1.5f, 2.5f, 3});
  s.coordinates = ResizeMode::kAsymmetric;
  CHECK(resized(s, {1, 3}) == std::vector<float>{1, 2, 3, 3});
  s.coordinates = ResizeMode::kAlignCorners;
  const auto y = resized(s, {0, 3});
  for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == Approx(static_cast<float>(i)));
}

TEST_CASE("a region beyond the data takes the extrapolation value") {
  Shape s;
  s.coordinates = ResizeMode::kTfCropAndResize;
  s.checked = false;
  s.roi_to = 3;
  CHECK(resized(s, {1, 3}) == std::vector<float>{1, 3, -1, -1});
}

TEST_CASE("antialiasing weighs all elements under the filter") {
  Shape s;
  s.in = 4;
  s.out = 2;
  s.up = 1;
  s.down = 2;
  s.antialias = true;
  s.max_taps = 4;
  CHECK(resized(s, {5, 5, 5, 5}) == std::vector<float>{5, 5});
}

TEST_CASE("many columns go through vectors") {
  Shape s;
  s.inner = 37;
  std::vector<float> x(74);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const auto y = resized(s, x);
  for (std::size_t j = 0; j < 37; ++j) CHECK(y[37 + j] == Approx(0.75f * x[j] + 0.25f * x[37 + j]));
}

TEST_CASE("the element of the nearest position") {
  Shape s;
  s.filter = ResizeMode::kNearest;
  s.coordinates = ResizeMode::kAsymmetric;
  s.max_taps = 1;
  s.in = 4;
  s.out = 2;
  s.up = 3;
  s.down = 5;
  std::vector<std::int64_t> taps(2);
  std::vector<float> weights(2);
  REQUIRE(onnxc::resize_table(s, kNone, kNone, taps.data(), weights.data()) == Status::ok);
  CHECK(taps[1] == 1);
  s.nearest = ResizeMode::kByScale;
  REQUIRE(onnxc::resize_table(s, kNone, kNone, taps.data(), weights.data()) == Status::ok);
  CHECK(taps[1] == 2);
}

TEST_CASE("scales and sizes that do not lead to the result are errors") {
  Shape s;
  std::vector<std::int64_t> taps(8);
  std::vector<float> weights(8);
  for (float bad : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), 1e30f})
    CHECK(onnxc::resize_table(s, &bad, kNone, taps.data(), weights.data()) == Status::bad_value);
  const float other = 3.0f;
  CHECK(onnxc::resize_table(s, &other, kNone, taps.data(), weights.data()) == Status::bad_shape);
  struct {
    Index count = 2, in[2] = {2, 4}, out[2] = {4, 8}, policy = 1;
  } sizes;
  std::vector<std::int64_t> scales(4);
  const std::int64_t fits[] = {4, 9}, wrong[] = {5, 20};
  CHECK(onnxc::resize_scales(sizes, fits, scales.data()) == Status::ok);
  CHECK(scales == std::vector<std::int64_t>{4, 2, 4, 2});
  CHECK(onnxc::resize_scales(sizes, wrong, scales.data()) == Status::bad_shape);
}

namespace {

// The standard's formulas, with what is next to a half put on it.
double coordinate(Index mode, double in, double out, double o) {
  const double scale = out / in;
  double x = (o + 0.5) / scale - 0.5;
  if (mode == ResizeMode::kAlignCorners) x = out > 1 ? o * (in - 1) / (out - 1) : 0;
  if (mode == ResizeMode::kPytorchHalfPixel && out <= 1) x = 0;
  if (mode == ResizeMode::kAsymmetric) x = o / scale;
  if (mode == ResizeMode::kTfHalfPixelForNn) x = (o + 0.5) / scale;
  const double half = std::round(2 * x) / 2;
  return std::fabs(x - half) < 1e-9 ? half : x;
}

double nearest(Index rule, double x, double in) {
  const double low = std::floor(x), rest = x - low;
  double at = rest == 0 ? low : rule == ResizeMode::kFloor ? low : low + 1;
  if (rule == ResizeMode::kRoundPreferFloor) at = rest > 0.5 ? low + 1 : low;
  if (rule == ResizeMode::kRoundPreferCeil) at = rest >= 0.5 ? low + 1 : low;
  return std::fmin(std::fmax(at, 0), in - 1);
}

std::size_t wrong_positions(Shape s) {
  std::vector<std::int64_t> taps(static_cast<std::size_t>(s.out));
  std::vector<float> weights(taps.size());
  REQUIRE(onnxc::resize_table(s, kNone, kNone, taps.data(), weights.data()) == Status::ok);
  std::size_t wrong = 0;
  const double in = static_cast<double>(s.in), out = static_cast<double>(s.out);
  for (std::size_t o = 0; o < taps.size(); ++o) {
    const double x = coordinate(s.coordinates, in, out, static_cast<double>(o));
    wrong += static_cast<double>(taps[o]) != nearest(s.nearest, x, in);
  }
  return wrong;
}

}  // namespace

TEST_CASE("the nearest position is exact for all small sizes") {
  for (Index mode :
       {ResizeMode::kHalfPixel, ResizeMode::kHalfPixelSymmetric, ResizeMode::kPytorchHalfPixel,
        ResizeMode::kAlignCorners, ResizeMode::kAsymmetric, ResizeMode::kTfHalfPixelForNn}) {
    for (Index rule = ResizeMode::kRoundPreferFloor; rule <= ResizeMode::kCeil; ++rule) {
      std::size_t wrong = 0;
      for (Index in = 1; in <= 64; ++in) {
        for (Index out = 1; out <= 64; ++out) {
          Shape s;
          s.filter = ResizeMode::kNearest;
          s.max_taps = 1;
          s.coordinates = mode;
          s.nearest = rule;
          s.in = s.down = in;
          s.out = s.up = out;
          s.checked = false;
          wrong += wrong_positions(s);
        }
      }
      INFO("coordinates " << mode << ", rule " << rule);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("scales that are quotients of sizes are those") {
  for (Index in = 1; in <= 300; ++in) {
    for (Index out = 1; out <= 300; ++out) {
      const auto scale = onnxc::resize_scale_of(static_cast<float>(out) / static_cast<float>(in));
      if (scale.up * in != scale.down * out) FAIL(in << " to " << out);
    }
  }
  for (float v : {1e-8f, 0.123456789f, 3.14159274f, 16777215.0f, 9.9e8f}) {
    const auto scale = onnxc::resize_scale_of(v);
    CHECK(static_cast<float>(static_cast<double>(scale.up) / static_cast<double>(scale.down)) == v);
  }
}

TEST_CASE("the ends of a region are exact") {
  Shape s;
  s.coordinates = ResizeMode::kTfCropAndResize;
  s.checked = false;
  for (Index in = 2; in <= 64; ++in) {
    for (Index out = 2; out <= 64; ++out) {
      s.in = in;
      s.out = out;
      s.roi_from = 0.1f;
      s.roi_to = 1.0f;
      std::vector<std::int64_t> taps(static_cast<std::size_t>(out) * 2);
      std::vector<float> weights(taps.size());
      REQUIRE(onnxc::resize_table(s, kNone, kNone, taps.data(), weights.data()) == Status::ok);
      if (taps[taps.size() - 1] != in - 1 || weights[taps.size() - 1] != 1.0f)
        FAIL(in << " to " << out);
    }
  }
}
