// flex_attention.cpp - flex_attention against a naive loop.
#include "templates/attention/flex_attention.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace onnxc;

TEST_CASE("flex_attention: two heads share a key", "[attention]") {
  struct {
    Index batch, q_heads, kv_heads, q_length, kv_length, width, v_width;
    bool scaled;
    float scale;
    Index rows, columns;
  } s{1, 2, 1, 1, 2, 2, 1, true, 0.5f, 2, 2};
  const float q[] = {1, 2, 0, -1}, k[] = {1, 0, 3, 1}, v[] = {10, 20};
  double scores[4];
  flex_scores(s, q, k, scores);
  CHECK(scores[0] == Approx(0.5));
  CHECK(scores[1] == Approx(2.5));
  CHECK(scores[2] == Approx(0));
  CHECK(scores[3] == Approx(-0.5));
  flex_softmax(s, scores, scores);
  CHECK(scores[0] == Approx(1 / (1 + std::exp(2.0))));
  CHECK(scores[2] + scores[3] == Approx(1));
  float y[2];
  flex_output(s, scores, v, y);
  CHECK(static_cast<double>(y[0]) == Approx(10 * scores[0] + 20 * scores[1]));
  CHECK(static_cast<double>(y[1]) == Approx(10 * scores[2] + 20 * scores[3]));
  s.scaled = false;
  flex_scores(s, q, k, scores);
  CHECK(scores[1] == Approx(5 / std::sqrt(2.0)));
}
