// matmul_nbits against a product with unpacked weights, qlinear_map and inverse against their
// formulas.
#include "templates/matmul_nbits.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "templates/inverse.hpp"
#include "templates/qlinear_map.hpp"

using namespace onnxc;

namespace {

struct Product {
  Index m, k, n, block;
};

template <int kBits>
void check_product(Product s, bool with_zeros, bool with_bias) {
  std::mt19937 random(static_cast<unsigned>(s.k * 31 + s.n));
  const Index blocks = (s.k + s.block - 1) / s.block, bytes = s.block * kBits / 8;
  const Index zero_bytes = (blocks * kBits + 7) / 8;
  const auto reals = [&](Index count) {
    std::vector<float> v(static_cast<std::size_t>(count));
    for (float& x : v) x = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
    return v;
  };
  const auto packed = [&](Index count) {
    std::vector<std::uint8_t> v(static_cast<std::size_t>(count));
    for (auto& x : v) x = static_cast<std::uint8_t>(random());
    return v;
  };
  const auto x = reals(s.m * s.k), scales = reals(s.n * blocks), bias = reals(s.n);
  const auto w = packed(s.n * blocks * bytes), zeros = packed(s.n * zero_bytes);
  std::vector<float> y(static_cast<std::size_t>(s.m * s.n));
  std::vector<float> scratch(static_cast<std::size_t>(std::max(4 * s.k, blocks * (s.block + 1))));
  matmul_nbits<kBits>(s, x.data(), w.data(), scales.data(), with_zeros ? zeros.data() : nullptr,
                      with_bias ? bias.data() : nullptr, y.data(), scratch.data());
  const auto number = [](const std::vector<std::uint8_t>& v, Index from, Index i) {
    const int byte = v[static_cast<std::size_t>(from + i * kBits / 8)];
    return (byte >> (i * kBits % 8)) & ((1 << kBits) - 1);
  };
  for (Index i = 0; i < s.m; ++i) {
    for (Index j = 0; j < s.n; ++j) {
      double want = with_bias ? double{bias[static_cast<std::size_t>(j)]} : 0.0;
      for (Index k = 0; k < s.k; ++k) {
        const Index b = k / s.block;
        const int zero = with_zeros ? number(zeros, j * zero_bytes, b) : 1 << (kBits - 1);
        const int q = number(w, (j * blocks + b) * bytes, k % s.block) - zero;
        want += double{x[static_cast<std::size_t>(i * s.k + k)]} * q *
                double{scales[static_cast<std::size_t>(j * blocks + b)]};
      }
      REQUIRE(double{y[static_cast<std::size_t>(i * s.n + j)]} ==
              Approx(want).margin(1e-4 * (1 << kBits)));
    }
  }
}

}  // namespace

TEST_CASE("matmul_nbits") {
  for (Index m : {1, 3, 4, 9})
    for (Index k : {1, 16, 50, 130})
      for (Index n : {1, 4, 7})
        for (Index block : {16, 64})
          for (bool zeros : {false, true}) {
            check_product<2>({m, k, n, block}, zeros, !zeros);
            check_product<4>({m, k, n, block}, zeros, !zeros);
            check_product<8>({m, k, n, block}, zeros, zeros);
          }
}

namespace {
struct Binary {
  Index dims[2], a_step[2], b_step[2];
  bool multiply;
};
}  // namespace

TEST_CASE("qlinear_binary walks broadcast operands and rounds after the zero point") {
  const std::int8_t a[] = {-128, 0, 7, 127}, b[] = {3, -5};
  const float sa = 0.5f, sb = 0.25f, sy = 0.125f;
  const std::int8_t za = 1, zb = -2, zy = 4;
  for (bool multiply : {false, true}) {
    std::int8_t y[4];
    qlinear_binary<2>(Binary{{2, 2}, {2, 1}, {1, 0}, multiply}, a, &sa, &za, b, &sb, &zb, &sy, &zy,
                      y);
    for (int i = 0; i < 4; ++i) {
      const float u = (static_cast<float>(a[i]) - 1) * sa,
                  v = (static_cast<float>(b[i / 2]) + 2) * sb;
      const float q = std::nearbyint((multiply ? u * v : u + v) / sy + 4);
      REQUIRE(static_cast<float>(y[i]) == std::min(127.0f, std::max(-128.0f, q)));
    }
  }
}

namespace {
struct Matrices {
  Index batch, size;
};
}  // namespace

TEST_CASE("inverse needs pivots") {
  const float x[] = {0, 2, 0, 1, 0, 0, 0, 0, 4};
  float y[9], scratch[18];
  inverse(Matrices{1, 3}, x, y, scratch);
  const float want[] = {0, 1, 0, 0.5f, 0, 0, 0, 0, 0.25f};
  for (int i = 0; i < 9; ++i) REQUIRE(y[i] == want[i]);
}
