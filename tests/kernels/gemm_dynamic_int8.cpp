// gemm_dynamic_int8.cpp - products of bytes known only at run time against the plain loop, by the
// path of targets with vectors and by that of the others.
#include "templates/matmul/gemm_dynamic_int8.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using onnxc::Index;

namespace {

struct Shape {
  Index batch[2], a_batch[2], b_batch[2], m, k, n, a_row, a_column, b_row, b_column, a_zero, b_zero;
};

template <class T>
std::vector<T> bytes(Index count, std::mt19937& random) {
  std::vector<T> v(static_cast<std::size_t>(count));
  for (T& x : v) x = static_cast<T>(random());
  return v;
}

// Half of the sum, and a summand of the element.
struct Epilogue {
  template <class V>
  V operator()(V v, Index at, Index channel) const {
    return v * 0.5f + (static_cast<float>(at % 8) * 0.0f + static_cast<float>(channel) * 0.0f);
  }
};

template <class A, class B>
void check(const Shape& s) {
  std::mt19937 random(static_cast<unsigned>(s.m * 31 + s.k * 7 + s.n));
  const Index products = s.batch[0] * s.batch[1];
  const auto a = bytes<A>(products * s.m * s.k, random), b = bytes<B>(products * s.k * s.n, random);
  const auto size = static_cast<std::size_t>(products * s.m * s.n);
  std::vector<float> want, y(size), copied(size);
  for (Index p = 0; p < products; ++p)
    for (Index i = 0; i < s.m; ++i)
      for (Index j = 0; j < s.n; ++j) {
        const Index from_a = p / s.batch[1] * s.a_batch[0] + p % s.batch[1] * s.a_batch[1];
        const Index from_b = p / s.batch[1] * s.b_batch[0] + p % s.batch[1] * s.b_batch[1];
        Index sum = 0;
        for (Index k = 0; k < s.k; ++k)
          sum += (a[static_cast<std::size_t>(from_a + i * s.a_row + k)] - s.a_zero) *
                 (b[static_cast<std::size_t>(from_b + k * s.b_row + j * s.b_column)] - s.b_zero);
        want.push_back(static_cast<float>(sum) * 0.5f);
      }
  std::vector<std::int32_t> scratch(static_cast<std::size_t>(onnxc::byte_product_words(s)));
  onnxc::gemm_dynamic_int8<2>(s, a.data(), b.data(), y.data(), scratch.data(), Epilogue{});
  REQUIRE(y == want);
  for (Index p = 0; p < products; ++p)
    onnxc::byte_product(s, a.data() + p / s.batch[1] * s.a_batch[0] + p % s.batch[1] * s.a_batch[1],
                        b.data() + p / s.batch[1] * s.b_batch[0] + p % s.batch[1] * s.b_batch[1],
                        copied.data() + p * s.m * s.n, p * s.m * s.n, scratch.data(), Epilogue{});
  REQUIRE(copied == want);
}

// Operands as they lie one after the other, and the right one transposed.
template <class A, class B>
void check_both(Index m, Index k, Index n, Index a_zero, Index b_zero) {
  check<A, B>(
      {{2, 3}, {3 * m * k, m * k}, {3 * k * n, k * n}, m, k, n, k, 1, n, 1, a_zero, b_zero});
  check<A, B>(
      {{2, 3}, {3 * m * k, m * k}, {3 * k * n, k * n}, m, k, n, k, 1, 1, k, a_zero, b_zero});
}

}  // namespace

TEST_CASE("gemm_dynamic_int8") {
  for (const Index k : {1, 7, 16, 70})
    for (const Index n : {1, 5, 40})
      for (const Index m : {1, 3, 14}) {
        check_both<std::int8_t, std::int8_t>(m, k, n, -3, 0);
        check_both<std::uint8_t, std::int8_t>(m, k, n, 128, 7);
        check_both<std::int8_t, std::uint8_t>(m, k, n, 0, 128);
        check_both<std::uint8_t, std::uint8_t>(m, k, n, 255, 1);
      }
}

TEST_CASE("gemm_dynamic_int8 divided among threads, and one matrix for the whole batch") {
  std::mt19937 random(1);
  const Shape s = {{1, 5}, {0, 6}, {0, 0}, 2, 3, 4, 3, 1, 4, 1, 1, 2};
  const auto a = bytes<std::uint8_t>(30, random);
  const auto b = bytes<std::int8_t>(12, random);
  std::vector<float> whole(40), parts(40);
  std::vector<std::int32_t> scratch(static_cast<std::size_t>(onnxc::byte_product_words(s)));
  onnxc::gemm_dynamic_int8<2>(s, a.data(), b.data(), whole.data(), scratch.data());
  for (Index i = 0; i < 3; ++i)
    onnxc::gemm_dynamic_int8<2>(onnxc::with_chunk(s, {i, 3, 0}), a.data(), b.data(), parts.data(),
                                scratch.data());
  REQUIRE(parts == whole);
}
