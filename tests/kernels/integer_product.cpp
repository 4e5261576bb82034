// matmul_integer against the plain triple loop.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "templates/quantization/quantize.hpp"

using namespace onnxc;

namespace {

struct Product {
  Index batch[1], a_batch[1], b_batch[1], m, k, n, a_row, a_column, b_row, b_column;
  Index a_zero_batch[1], b_zero_batch[1], a_zero_step, b_zero_step;
  Index a_scale_batch[1], b_scale_batch[1], a_scale_step, b_scale_step;
};

template <class T>
std::vector<T> bytes(Index count, std::mt19937& random) {
  std::vector<T> v(static_cast<std::size_t>(count) + 1);
  for (T& x : v) x = static_cast<T>(random());
  return v;
}

template <class X, class W>
void check(Index m, Index k, Index n, bool transposed) {
  std::mt19937 random(static_cast<unsigned>(m * 31 + k * 7 + n));
  const auto a = bytes<X>(m * k, random), a_zero = bytes<X>(m, random);
  const auto b = bytes<W>(k * n, random), b_zero = bytes<W>(n, random);
  std::vector<std::int32_t> y(static_cast<std::size_t>(m * n) + 1);
  const Product s{
      {1}, {0}, {0}, m, k,   n,   k, 1, transposed ? Index{1} : n, transposed ? k : Index{1},
      {0}, {0}, 1,   1, {0}, {0}, 0, 0};
  matmul_integer<1>(s, a.data(), b.data(), a_zero.data(), b_zero.data(), y.data());
  const auto at = [](const auto& v, Index i) { return int{v[static_cast<std::size_t>(i)]}; };
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      int want = 0;
      for (Index q = 0; q < k; ++q)
        want += (at(a, i * k + q) - at(a_zero, i)) *
                (at(b, transposed ? j * k + q : q * n + j) - at(b_zero, j));
      REQUIRE(at(y, i * n + j) == want);
    }
}

// Of the sums that matmul_integer gives. step: of the scales.
template <class Y>
void check_scaled(Index m, Index k, Index n, Index step) {
  std::mt19937 random(7);
  const auto a = bytes<std::uint8_t>(m * k, random), a_zero = bytes<std::uint8_t>(m, random);
  const auto b = bytes<std::int8_t>(k * n, random), b_zero = bytes<std::int8_t>(n, random);
  std::vector<float> rows, columns;
  for (Index i = 0; i < m; ++i) rows.push_back(0.01f + 0.001f * static_cast<float>(i));
  for (Index j = 0; j < n; ++j) columns.push_back(0.02f + 0.003f * static_cast<float>(j));
  const Product s{{1}, {0}, {0}, m, k, n, k, 1, n, 1, {0}, {0}, 1, 1, {0}, {0}, step, step};
  const float out = 3.0f;
  const Y zero = 5;
  std::vector<std::int32_t> sums(static_cast<std::size_t>(m * n));
  matmul_integer<1>(s, a.data(), b.data(), a_zero.data(), b_zero.data(), sums.data());
  std::vector<Y> y(sums.size());
  qlinear_matmul<1>(s, a.data(), rows.data(), a_zero.data(), b.data(), columns.data(),
                    b_zero.data(), &out, &zero, y.data());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto row = static_cast<Index>(i) / n * step, column = static_cast<Index>(i) % n * step;
    const float scale =
        rows[static_cast<std::size_t>(row)] * columns[static_cast<std::size_t>(column)] / out;
    REQUIRE(y[i] == quantised<Y>(static_cast<float>(sums[i]) * scale, 5.0f, true));
  }
}

}  // namespace

TEST_CASE("qlinear_matmul quantises the exact sums") {
  for (const Index n : {5, 40})
    for (const Index step : {0, 1}) {
      check_scaled<std::uint8_t>(29, 33, n, step);
      check_scaled<std::int8_t>(3, 600, n, step);
    }
}

TEST_CASE("matmul_integer is exact for any sizes") {
  for (Index m : {1, 3, 4, 17, 33})
    for (Index k : {0, 1, 63, 64, 65, 300})
      for (Index n : {1, 7, 16, 32, 35, 131})
        for (bool transposed : {false, true}) {
          check<std::uint8_t, std::int8_t>(m, k, n, transposed);
          check<std::int8_t, std::uint8_t>(m, k, n, transposed);
        }
}
