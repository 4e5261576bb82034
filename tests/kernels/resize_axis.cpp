// resize_axis.cpp - tables of taps against known coordinates, and errors of run-time scales.
#include "templates/image/resize_axis.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

using onnxc::Index;
using onnxc::ResizeMode;
using onnxc::Status;

namespace {

struct Shape {
  Index in = 2, out = 4, most_taps = 2, filter = ResizeMode::kLinear,
        coordinates = ResizeMode::kHalfPixel;
  Index nearest = ResizeMode::kFloor;
  bool antialias = false, exclude_outside = false, checked = true;
  float cubic_a = -0.75f, scale = 2.0f;
  Index scale_at = 0, roi_start = 0, roi_end = 1;
  float roi_from = 0, roi_to = 1;
  Index outer = 1, inner = 1;
  float extrapolation = -1.0f;
};

const float* const kNone = nullptr;

std::vector<float> resized(const Shape& s, const std::vector<float>& x) {
  const auto size = static_cast<std::size_t>(s.out * s.most_taps);
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
  s.scale = 0.5f;
  s.antialias = true;
  s.most_taps = 4;
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
  s.most_taps = 1;
  s.in = 4;
  s.out = 2;
  s.scale = 0.6f;
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
  std::vector<float> scales(2);
  const std::int64_t fits[] = {4, 9}, wrong[] = {5, 20};
  CHECK(onnxc::resize_scales(sizes, fits, scales.data()) == Status::ok);
  CHECK(scales == std::vector<float>{2, 2});
  CHECK(onnxc::resize_scales(sizes, wrong, scales.data()) == Status::bad_shape);
}
