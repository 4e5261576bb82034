// features.cpp - rows of features, scores and labels against naive loops.
#include "templates/ml/features.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "compiler/kernels/ml_calls.hpp"
#include "templates/fn/binarize.hpp"
#include "templates/ml/classify.hpp"

namespace {

using onnxc::Index;

using Columns = onnxc::FeatureColumnsShape<onnxc::Index>;
using Parameters = onnxc::FeatureParametersShape<onnxc::Index>;
struct FixedParameters {
  static constexpr Index rows = 4, parameters = 3;
};
using Norm = onnxc::NormalizeFeaturesShape<onnxc::Index>;
using Transform = onnxc::TransformScoresShape<onnxc::Index>;
struct Classes {
  Index rows, classes, transform;
};
struct Pair {
  Index rows, columns, transform, rest;
  float threshold;
};

double transformed(Index transform, const std::vector<double>& row, std::size_t k) {
  const double x = row[k];
  if (transform == onnxc::kLogisticScores) return 1 / (1 + std::exp(-x));
  if (transform == onnxc::kProbitScores) {
    const double t = 2 * x - 1, log = std::log(1 - t * t), v = 2 / (3.14159 * 0.147) + log / 2;
    return 1.41421356 * std::copysign(std::sqrt(std::sqrt(v * v - log / 0.147) - v), t);
  }
  double sum = 0;
  const bool skip = transform == onnxc::kSoftmaxZeroScores;
  for (double v : row)
    if (!skip || v != 0) sum += std::exp(v);
  if (transform == 0) return x;
  return skip && x == 0 ? 0 : std::exp(x) / sum;
}

}  // namespace

TEST_CASE("columns of features are cut or filled up") {
  const double x[] = {1, 2, 3, 4, 5, 6};
  std::vector<float> y(12, -1.0f);
  onnxc::feature_columns(Columns{2, 3, 6, 1, 2}, x, y.data());
  CHECK(y == std::vector<float>{-1, 1, 2, -1, -1, -1, -1, 4, 5, -1, -1, -1});
  onnxc::feature_columns(Columns{2, 3, 6, 1, 5}, x, y.data());
  CHECK(y == std::vector<float>{-1, 1, 2, 3, 0, 0, -1, 4, 5, 6, 0, 0});
}

TEST_CASE("scaled features") {
  const std::vector<float> offset = {1, -2, 0.5f}, scale = {2, 0.25f, -3};
  const auto check = [&](auto s, auto zero) {
    using T = decltype(zero);
    std::vector<T> x;
    for (int i = 0; i < 12; ++i) x.push_back(static_cast<T>(7 * i - 30));
    std::vector<float> y(x.size());
    onnxc::scale_features(s, x.data(), offset.data(), scale.data(), y.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK(y[i] == (static_cast<float>(x[i]) - offset[i % 3]) * scale[i % 3]);
  };
  check(Parameters{4, 3}, 0.0f);
  check(Parameters{4, 3}, 0.0);
  check(FixedParameters{}, std::int32_t{0});
  check(FixedParameters{}, std::int64_t{0});
}

TEST_CASE("imputed features") {
  const float nan = onnxc::kNaN, values[] = {7, 8};
  const std::vector<float> x = {1, nan, nan, 4};
  std::vector<float> y(4);
  onnxc::impute_features(Parameters{2, 2}, x.data(), &nan, values, y.data());
  CHECK(y == std::vector<float>{1, 8, 7, 4});
  const std::int64_t whole[] = {-1, 2, -1, 3}, missing = -1, filled[] = {9};
  std::vector<std::int64_t> z(4);
  onnxc::impute_features(Parameters{4, 1}, whole, &missing, filled, z.data());
  CHECK(z == std::vector<std::int64_t>{9, 2, 9, 3});
}

TEST_CASE("normalised features") {
  const std::vector<double> x = {3, -4, 0, 0};
  std::vector<float> y(4);
  onnxc::normalize_features(Norm{2, 2, onnxc::kDivideByMax}, x.data(), y.data());
  CHECK(y == std::vector<float>{1, -4.0f / 3, 0, 0});
  onnxc::normalize_features(Norm{2, 2, onnxc::kDivideBySum}, x.data(), y.data());
  CHECK(y == std::vector<float>{3.0f / 7, -4.0f / 7, 0, 0});
  onnxc::normalize_features(Norm{2, 2, onnxc::kDivideByLength}, x.data(), y.data());
  CHECK(y == std::vector<float>{0.6f, -0.8f, 0, 0});
  const std::int64_t whole[] = {-9223372036854775807 - 1, 9223372036854775807};
  onnxc::normalize_features(Norm{1, 2, onnxc::kDivideBySum}, whole, y.data());
  CHECK(y[0] == -0.5f);
  onnxc::normalize_features(Norm{2, 0, onnxc::kDivideByMax}, x.data(), y.data());
}

TEST_CASE("transforms of scores") {
  for (Index transform = 0; transform <= onnxc::kProbitScores; ++transform) {
    std::vector<double> x = {0.25, 0.0, 0.75, 0.5, 0.0625, 0.9};
    if (transform != onnxc::kProbitScores) x[2] = -3;
    const std::vector<double> rows[] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    std::vector<float> y(x.begin(), x.end());
    onnxc::transform_scores(Transform{2, 3, transform}, y.data());
    onnxc::transform_scores(Transform{2, 3, transform}, x.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      CAPTURE(transform, i);
      const double want = transformed(transform, rows[i / 3], i % 3);
      if (std::isinf(want)) {
        CHECK(static_cast<double>(y[i]) == want);
        continue;
      }
      CHECK(static_cast<double>(y[i]) == Approx(want).epsilon(1e-5).margin(1e-6));
      CHECK(x[i] == Approx(want).epsilon(1e-5).margin(1e-12));
    }
  }
}

TEST_CASE("extreme scores are transformed as the formulas say") {
  constexpr double inf = static_cast<double>(onnxc::kInfinity);
  const auto transform = [](Index kind, float first) {
    std::vector<float> row = {first, 1.0f, -first, 7.0f};
    onnxc::post_transform(kind, row.data(), 3);
    CHECK(row[3] == 7.0f);  // after the row
    onnxc::post_transform(kind, row.data(), 0);
    return std::vector<double>(row.begin(), row.begin() + 3);
  };
  using Row = std::vector<double>;
  for (float v : {onnxc::kInfinity, -onnxc::kInfinity, 3e38f, -3e38f, 0.0f}) {
    CAPTURE(v);
    const double d = static_cast<double>(v), high = v > 0 ? 1.0 : 0.0;
    CHECK(transform(0, v) == Row{d, 1.0, -d});
    const Row logistic = transform(onnxc::kLogisticScores, v);
    CHECK(logistic[0] == Approx(v == 0.0f ? 0.5 : high).margin(1e-6));
    CHECK(logistic[1] == Approx(1 / (1 + std::exp(-1.0))));
    CHECK(logistic[2] == Approx(v == 0.0f ? 0.5 : 1 - high).margin(1e-6));
    for (Index kind : {onnxc::kSoftmaxScores, onnxc::kSoftmaxZeroScores}) {
      const Row softmax = transform(kind, v);
      if (std::fabs(d) == inf) {
        CHECK(std::isnan(softmax[v > 0 ? 0 : 2]));  // infinity less infinity
        continue;
      }
      const bool zero = kind == onnxc::kSoftmaxZeroScores && v == 0.0f;
      const double e = std::exp(1.0);
      CHECK(softmax[0] == Approx(zero ? 0.0 : v == 0.0f ? 1 / (2 + e) : high).margin(1e-6));
      CHECK(softmax[2] == Approx(zero ? 0.0 : v == 0.0f ? 1 / (2 + e) : 1 - high).margin(1e-6));
      CHECK(softmax[1] == Approx(zero ? 1.0 : v == 0.0f ? e / (2 + e) : 0.0).margin(1e-6));
    }
  }
  for (Index kind : {onnxc::kLogisticScores, onnxc::kSoftmaxScores, onnxc::kProbitScores})
    CHECK(std::isnan(transform(kind, onnxc::kNaN)[0]));
}

TEST_CASE("the first of the largest scores wins") {
  std::vector<float> scores = {1, 3, 3, -1, -2, -1};
  const std::int64_t labels[] = {10, 20, 30};
  std::vector<std::int64_t> y(2);
  std::vector<float> z(6);
  onnxc::classify(Classes{2, 3, 0}, scores.data(), labels, y.data(), z.data());
  CHECK(y == std::vector<std::int64_t>{20, 10});
  CHECK(z == scores);
  onnxc::classify(Classes{2, 3, onnxc::kSoftmaxScores}, scores.data(), labels, y.data(),
                  static_cast<float*>(nullptr));
  CHECK(scores == z);
}

TEST_CASE("one score decides between two labels") {
  const std::vector<float> scores = {-0.5f, 0.25f, 0.75f};
  const std::int64_t labels[] = {10, 20};
  std::vector<std::int64_t> y(3);
  std::vector<float> z(6);
  onnxc::classify_pair(Pair{3, 2, 0, onnxc::kRestOfOne, 0.5f}, scores.data(), labels, y.data(),
                       z.data());
  CHECK(y == std::vector<std::int64_t>{10, 10, 20});
  CHECK(z == std::vector<float>{1.5f, -0.5f, 0.75f, 0.25f, 0.25f, 0.75f});
  onnxc::classify_pair(Pair{3, 2, onnxc::kSoftmaxScores, onnxc::kRestNegated, 0.0f}, scores.data(),
                       labels, y.data(), z.data());
  CHECK(y == std::vector<std::int64_t>{10, 20, 20});
  CHECK(z == std::vector<float>{0.5f, -0.5f, -0.25f, 0.25f, -0.75f, 0.75f});
  onnxc::classify_pair(Pair{3, 2, onnxc::kLogisticScores, onnxc::kRestOfOne, 0.5f}, scores.data(),
                       labels, y.data(), z.data());
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(z[2 * i] + z[2 * i + 1] == Approx(1));
    CHECK(z[2 * i + 1] == Approx(1 / (1 + std::exp(-scores[i]))));
  }
  onnxc::classify_pair(Pair{3, 1, onnxc::kLogisticScores, onnxc::kRestOfOne, 0.5f}, scores.data(),
                       labels, y.data(), z.data());
  CHECK(z[1] == Approx(1 / (1 + std::exp(-0.25f))));
  onnxc::classify_pair(Pair{3, 2, onnxc::kSoftmaxScores, onnxc::kRestZero, 0.5f}, scores.data(),
                       labels, y.data(), z.data());
  CHECK(z[2] == Approx(1 / (1 + std::exp(0.25f))));
}

TEST_CASE("binarised numbers") {
  using onnxc::fn::binarize;
  CHECK(binarize(1.5f, 1.0f) == 1.0f);
  CHECK(binarize(1.0f, 1.0f) == 0.0f);
  CHECK(binarize(onnxc::kNaN, 1.0f) == 0.0f);
  CHECK(binarize(std::int64_t{1}, 0.5f) == 1);
  CHECK(binarize(std::int64_t{0}, -0.5f) == 1);
  CHECK(binarize(std::int64_t{-1}, -0.5f) == 0);
  CHECK(binarize(std::int32_t{16777217}, 16777216.0f) == 1);
  CHECK(binarize(std::numeric_limits<std::int64_t>::min(), -onnxc::kInfinity) == 1);
  CHECK(binarize(std::numeric_limits<std::int64_t>::max(), onnxc::kInfinity) == 0);
  CHECK(binarize(std::int64_t{5}, onnxc::kNaN) == 0);
}
