// pick_token.cpp - the choice of the next token.
#include "templates/text/pick_token.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <vector>

namespace onnxc {
namespace {

std::int64_t pick(std::vector<float> scores, const TokenSearch& search, std::uint64_t& state,
                  const std::vector<std::int64_t>& seen = {}) {
  std::vector<std::int32_t> order(scores.size());
  return pick_token(scores.data(), static_cast<std::int32_t>(scores.size()), search, seen.data(),
                    seen.size(), state, order.data());
}

std::map<std::int64_t, int> draw(const std::vector<float>& scores, const TokenSearch& search) {
  std::map<std::int64_t, int> out;
  std::uint64_t state = 5;
  for (int i = 0; i < 20000; ++i) ++out[pick(scores, search, state)];
  return out;
}

const std::vector<float> kScores = {0.0f, std::log(3.0f), -1e30f, std::log(6.0f), -1e30f};

TEST_CASE("the best token is chosen", "[text]") {
  std::uint64_t state = 0;
  CHECK(pick(kScores, {false, 0, 1, 1, 1}, state) == 3);
  CHECK(pick({2, 5, 5, 1}, {false, 0, 1, 1, 1}, state) == 1);
  CHECK(pick(kScores, {true, 1, 1, 1, 1}, state) == 3);
  CHECK(pick(kScores, {true, 0, 1, 0, 1}, state) == 3);
  CHECK(pick(kScores, {true, 0, 0, 1, 1}, state) == 3);
}

TEST_CASE("tokens that were there are less likely, each once", "[text]") {
  std::uint64_t state = 0;
  CHECK(pick({1.0f, 1.9f, -1.0f}, {false, 0, 1, 1, 2}, state, {1}) == 0);
  CHECK(pick({1.0f, 2.5f, -1.0f}, {false, 0, 1, 1, 2}, state, {1, 1, 1}) == 1);
  CHECK(pick({-1.0f, -1.5f}, {false, 0, 1, 1, 2}, state, {0, 7, -1}) == 1);
}

TEST_CASE("tokens are drawn by their probabilities", "[text]") {
  // 0.1, 0.3, 0, 0.6, 0
  auto drawn = draw(kScores, {true, 0, 1, 1, 1});
  CHECK(drawn[0] > 1700);
  CHECK(drawn[0] < 2300);
  CHECK(drawn[3] > 11500);
  CHECK(drawn[3] < 12500);
  CHECK(drawn[2] + drawn[4] == 0);
  drawn = draw(kScores, {true, 2, 1, 1, 1});
  CHECK(drawn.size() == 2);
  CHECK(drawn[1] > 6200);
  CHECK(drawn[1] < 7100);
  drawn = draw(kScores, {true, 0, 0.7f, 1, 1});
  CHECK(drawn.size() == 2);
  CHECK(draw(kScores, {true, 0, 0.5f, 1, 1}).size() == 1);
  // Twice the temperature: the square roots of the weights.
  drawn = draw(kScores, {true, 2, 1, 2, 1});
  CHECK(drawn[1] > 7900);
  CHECK(drawn[1] < 8700);
}

}  // namespace
}  // namespace onnxc
