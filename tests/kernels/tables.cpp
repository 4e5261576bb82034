// tables.cpp - n-gram counts and label tables against naive loops.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "compiler/kernels/ml_calls.hpp"
#include "runtime_min/text.hpp"
#include "templates/ml/label_encoder.hpp"
#include "templates/text/tf_idf.hpp"

namespace onnxc {
namespace {

struct TfIdfShape {
  Index rows, columns, width, grams, least, most, max_skips;
  bool binary;
  Index begin[3], token_begin[2];
};
using LabelShape = onnxc::LabelEncoderShape<onnxc::Index>;

}  // namespace

TEST_CASE("n-grams are counted with and without skips", "[tables]") {
  // 1-grams 2 3 5 4, 2-grams (5 6) (6 7) (7 8).
  const std::int64_t tokens[] = {2, 3, 4, 5, 5, 6, 6, 7, 7, 8}, places[] = {0, 1, 3, 2, 4, 6, 5};
  const float weights[] = {1, 1, 1, 1, 1, 1, 2};
  const std::int32_t x[] = {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8};
  TfIdfShape s{1, 12, 7, 7, 1, 2, 5, false, {0, 4, 7}, {0, 4}};
  std::vector<float> y(14, -1.0f);
  std::vector<std::int64_t> counts(7);
  tf_idf(s, x, tokens, places, weights, y.data(), counts.data());
  y.resize(7);
  CHECK(y == std::vector<float>{0, 3, 1, 0, 1, 6, 1});
  s.binary = true;
  tf_idf(s, x, tokens, places, weights, y.data(), counts.data());
  CHECK(y == std::vector<float>{0, 1, 1, 0, 1, 2, 1});
  s = {2, 6, 7, 7, 2, 2, 0, false, {0, 4, 7}, {0, 4}};
  y.assign(14, -1.0f);
  tf_idf(s, x, tokens, places, weights, y.data(), counts.data());
  CHECK(y == std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1});
  s.columns = 0;
  tf_idf(s, x, tokens, places, weights, y.data(), counts.data());
  CHECK(y == std::vector<float>(14, 0.0f));
}

TEST_CASE("equal n-grams of the pool all count", "[tables]") {
  const Text tokens[] = {text("a"), text("a"), text("b")};
  const std::int64_t places[] = {0, 1, 0};
  const float weights[] = {1, 1, 1};
  const Text x[] = {text("a"), text("b"), text("c"), text("a")};
  std::vector<float> y(2);
  std::vector<std::int64_t> counts(3);
  tf_idf(TfIdfShape{1, 4, 2, 3, 1, 1, 0, false, {0, 3, 3}, {0, 3}}, x, tokens, places, weights,
         y.data(), counts.data());
  CHECK(y == std::vector<float>{3, 2});
}

TEST_CASE("labels are looked up", "[tables]") {
  const float x[] = {1.5f, kNaN, -0.0f, 7.0f, kInfinity}, keys[] = {0.0f, 1.5f, kNaN};
  const std::int16_t values[] = {10, 20, 30, -1};
  std::int16_t y[5] = {};
  label_encoder(LabelShape{5, 3}, x, keys, values, y);
  CHECK(std::vector<std::int16_t>(y, y + 5) == std::vector<std::int16_t>{20, 30, 10, -1, -1});
  const Text words[] = {text("b"), text("a"), text("")}, known[] = {text("a"), text("b")};
  const Text names[] = {text("A"), text("B"), text("?")};
  Text z[3];
  label_encoder(LabelShape{3, 2}, words, known, names, z);
  CHECK(z[0] == text("B"));
  CHECK(z[2] == text("?"));
  label_encoder(LabelShape{3, 0}, words, known, names + 2, z);
  CHECK(z[1] == text("?"));
}

}  // namespace onnxc
