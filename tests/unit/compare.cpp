// compare.cpp - what verify takes for equal.
#include "compiler/run/compare.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace onnxc;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor floats(std::vector<float> v) {
  const auto n = static_cast<std::int64_t>(v.size());
  return Tensor::of<float>(ElemType::float32, {n}, v);
}

bool same(std::vector<float> got, std::vector<float> want, Tolerance t = {}) {
  return compare(floats(std::move(got)), floats(std::move(want)), t).match;
}

}  // namespace

TEST_CASE("floats match within the tolerance") {
  CHECK(same({1.0005f}, {1.0f}));
  CHECK_FALSE(same({1.002f}, {1.0f}));
  CHECK(same({5e-8f}, {0.0f}));
  CHECK_FALSE(same({1e-6f}, {0.0f}));
}

TEST_CASE("special values match only themselves") {
  CHECK(same({NAN, kInf, -kInf}, {NAN, kInf, -kInf}));
  CHECK_FALSE(same({kInf}, {-kInf}));
  CHECK_FALSE(same({NAN}, {0.0f}));
  CHECK_FALSE(same({0.0f}, {NAN}));
  CHECK_FALSE(same({3e38f}, {kInf}));
  CHECK_FALSE(same({NAN}, {1.0f}, {1e-3, 1e-7, 1.0}));
}

TEST_CASE("scaled accepts errors small compared with the largest value") {
  CHECK_FALSE(same({100.0f, 0.01f}, {100.0f, 0.0f}));
  CHECK(same({100.0f, 0.01f}, {100.0f, 0.0f}, {1e-3, 1e-7, 1e-3}));
  CHECK_FALSE(same({100.0f, 0.2f}, {100.0f, 0.0f}, {1e-3, 1e-7, 1e-3}));
}

TEST_CASE("integers, shapes and types are exact") {
  const std::array<std::int64_t, 2> a = {1, (std::int64_t{1} << 60) + 1};
  const std::array<std::int64_t, 2> b = {1, std::int64_t{1} << 60};
  CHECK(compare(Tensor::ints(a), Tensor::ints(a), {}).match);
  CHECK_FALSE(compare(Tensor::ints(a), Tensor::ints(b), {}).match);
  CHECK_FALSE(compare(floats({1, 2}), floats({1, 2}).reshaped({2, 1}), {}).match);
  CHECK_FALSE(compare(floats({1, 2}), Tensor::ints(a), {}).match);
}

TEST_CASE("errors are measured") {
  const Comparison c = compare(floats({1, 2, 3.5f}), floats({1, 2, 4}), {});
  CHECK(c.max_abs == Approx(0.5));
  CHECK(c.max_rel == Approx(0.125));
}

TEST_CASE("maps match by their keys, in any order") {
  const auto map = [](std::vector<std::int64_t> keys, const std::vector<float>& values) {
    DataValue v;
    v.kind = Type::Kind::map;
    v.key = ElemType::int64;
    v.keys = Tensor::ints(keys);
    for (float value : values) {
      v.items.emplace_back();
      v.items.back().kind = Type::Kind::tensor;
      v.items.back().tensor = Tensor::scalar(value);
    }
    return v;
  };
  CHECK(compare(map({1, 2}, {5, 6}), map({2, 1}, {6, 5}), {}).match);
  CHECK_FALSE(compare(map({1, 2}, {5, 6}), map({2, 1}, {5, 6}), {}).match);
  CHECK_FALSE(compare(map({1, 3}, {5, 6}), map({1, 2}, {5, 6}), {}).match);
  CHECK_FALSE(compare(map({1}, {5}), map({1, 2}, {5, 6}), {}).match);
  CHECK_FALSE(compare(map({1, 2}, {5}), map({1, 2}, {5, 6}), {}).match);
}
