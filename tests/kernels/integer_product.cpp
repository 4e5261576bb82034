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
      {1}, {0}, {0}, m, k, n, k, 1, transposed ? Index{1} : n, transposed ? k : Index{1},
      {0}, {0}, 1,   1};
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

}  // namespace

TEST_CASE("matmul_integer is exact for any sizes") {
  for (Index m : {1, 3, 4, 17, 33})
    for (Index k : {0, 1, 63, 64, 65, 300})
      for (Index n : {1, 7, 16, 32, 35, 131})
        for (bool transposed : {false, true}) {
          check<std::uint8_t, std::int8_t>(m, k, n, transposed);
          check<std::int8_t, std::uint8_t>(m, k, n, transposed);
        }
}
