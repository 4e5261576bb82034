// random.cpp - Philox against published answers, distributions against their moments.
#include "templates/random/random.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace onnxc;

namespace {

struct Numbers {
  Index count;
  float low, high, mean, scale, seed;
  Index stream;
};

constexpr std::size_t kMany = 40000;
constexpr Numbers kNumbers{kMany, -1.0f, 3.0f, 2.0f, 0.5f, 7.0f, 5};

template <class T>
void check_moments(const std::vector<T>& y, double mean, double deviation) {
  double sum = 0, squares = 0;
  for (const T v : y) sum += static_cast<double>(v);
  sum /= static_cast<double>(y.size());
  for (const T v : y) squares += (static_cast<double>(v) - sum) * (static_cast<double>(v) - sum);
  CHECK(std::abs(sum - mean) < 0.02);
  CHECK(std::abs(std::sqrt(squares / static_cast<double>(y.size())) - deviation) < 0.02);
}

}  // namespace

TEST_CASE("random_words: the published answers of Philox4x32-10", "[random]") {
  const RandomWords zero = random_words(0, 0, 0);
  CHECK(zero.a == 0x6627e8d5u);
  CHECK(zero.b == 0xe169c58du);
  CHECK(zero.c == 0xbc57ac4cu);
  CHECK(zero.d == 0x9b00dbd8u);
}

TEST_CASE("random_uniform and random_normal", "[random]") {
  std::vector<float> f(kMany), again(kMany);
  std::vector<double> d(kMany);
  random_uniform(kNumbers, f.data());
  random_uniform(kNumbers, again.data());
  CHECK(f == again);
  for (const float v : f) REQUIRE((v >= -1.0f && v < 3.0f));
  check_moments(f, 1, 4 / std::sqrt(12.0));
  random_uniform(kNumbers, d.data());
  check_moments(d, 1, 4 / std::sqrt(12.0));
  random_normal(kNumbers, f.data());
  check_moments(f, 2, 0.5);
  random_normal(kNumbers, d.data());
  check_moments(d, 2, 0.5);
  Numbers other = kNumbers;
  other.seed = 8;
  random_normal(other, again.data());
  CHECK(f != again);
}

TEST_CASE("bernoulli and multinomial", "[random]") {
  const std::vector<float> chances(kMany, 0.25f);
  std::vector<float> ones(kMany);
  std::vector<std::uint8_t> bytes(kMany);
  bernoulli(kNumbers, chances.data(), ones.data());
  bernoulli(kNumbers, chances.data(), bytes.data());
  check_moments(ones, 0.25, std::sqrt(0.25 * 0.75));
  for (std::size_t i = 0; i < kMany; ++i) REQUIRE(static_cast<float>(bytes[i]) == ones[i]);
  struct {
    Index batch, classes, samples;
    float seed;
    Index stream;
  } const s{2, 3, kMany / 2, 1.0f, 0};
  const float logs[] = {0.0f, std::log(3.0f), -kInfinity, 90.0f, 0.0f, 0.0f};
  std::vector<std::int32_t> y(kMany);
  multinomial(s, logs, y.data());
  std::vector<std::int32_t> counts(3);
  for (std::size_t i = 0; i < kMany / 2; ++i) ++counts[static_cast<std::size_t>(y[i])];
  CHECK(counts[2] == 0);
  CHECK(std::abs(counts[1] / 20000.0 - 0.75) < 0.02);
  for (std::size_t i = kMany / 2; i < kMany; ++i) REQUIRE(y[i] == 0);
}

struct DrawnNumbers : Numbers {
  Index draw;
};

TEST_CASE("each draw gives other numbers, draw 0 those of a shape without it", "[random]") {
  std::vector<float> plain(kMany), zero(kMany), one(kMany), again(kMany);
  random_uniform(kNumbers, plain.data());
  random_uniform(DrawnNumbers{kNumbers, 0}, zero.data());
  random_uniform(DrawnNumbers{kNumbers, 1}, one.data());
  random_uniform(DrawnNumbers{kNumbers, 1}, again.data());
  CHECK(plain == zero);
  CHECK(one == again);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < kMany; ++i) equal += plain[i] == one[i];
  CHECK(equal < 10);
  check_moments(one, 1, 4 / std::sqrt(12.0));
}
