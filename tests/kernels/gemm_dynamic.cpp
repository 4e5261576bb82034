// gemm_dynamic.cpp - batched products of run-time operands against the naive sum.
#include "templates/matmul/gemm_dynamic.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "compiler/kernels/matmul_calls.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using onnxc::Index;

using Shape = onnxc::DynamicGemmShape<onnxc::Index>;

template <Index M, Index K, Index N, bool TRANSPOSED>
struct FixedShape {
  static constexpr Index batch = 2, m = M, k = K, n = N, lda = K, ldb = TRANSPOSED ? K : N, ldy = N,
                         a_batch = M * K, b_batch = K * N, y_batch = M * N;
  static constexpr bool transposed_b = TRANSPOSED;
  static constexpr float alpha = 0.125f;
  static constexpr Index packed_floats = 4096;
};

double at(const std::vector<float>& v, Index i) {
  return static_cast<double>(v[static_cast<std::size_t>(i)]);
}

// Gaps between rows keep the value 7.
template <class S>
std::vector<double> reference(const S& s, const std::vector<float>& a,
                              const std::vector<float>& b) {
  std::vector<double> want(static_cast<std::size_t>(s.batch * s.y_batch), 7.0);
  for (Index n = 0; n < s.batch; ++n)
    for (Index i = 0; i < s.m; ++i)
      for (Index j = 0; j < s.n; ++j) {
        double sum = 0;
        for (Index p = 0; p < s.k; ++p) {
          const Index bi = n * s.b_batch + (s.transposed_b ? j * s.ldb + p : p * s.ldb + j);
          sum += at(a, n * s.a_batch + i * s.lda + p) * at(b, bi);
        }
        want[static_cast<std::size_t>(n * s.y_batch + i * s.ldy + j)] =
            sum * static_cast<double>(s.alpha);
      }
  return want;
}

// An epilogue that reads the element that it replaces: y - product.
template <int MR, int NR, class S>
void check_in_place(S s, const std::vector<float>& a, const std::vector<float>& b,
                    const std::vector<float>& product) {
  const auto old = kernel_test::values(s.batch * s.y_batch, 4);
  std::vector<float> y = old, scratch(static_cast<std::size_t>(onnxc::gemm_dynamic_scratch(s, NR)));
  onnxc::gemm_dynamic<MR, NR>(s, a.data(), b.data(), y.data(), scratch.data(),
                              [&](auto v, Index i, Index) {
                                using V = decltype(v);
                                return onnxc::load<V>(y.data() + i) - v;
                              });
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool written = static_cast<Index>(i) % s.y_batch % s.ldy < s.n;
    CHECK(y[i] == Approx(written ? old[i] - product[i] : old[i]).margin(1e-5));
  }
}

template <int MR, int NR, class S>
void check(S s) {
  const auto a = kernel_test::values(s.batch * s.m * s.lda, 1);
  const auto b = kernel_test::values(s.batch * (s.transposed_b ? s.n : s.k) * s.ldb, 2);
  std::vector<float> scratch(static_cast<std::size_t>(onnxc::gemm_dynamic_scratch(s, NR)));
  std::vector<float> y(static_cast<std::size_t>(s.batch * s.y_batch), 7.0f);
  std::vector<float> plain(y.size(), 7.0f);
  onnxc::gemm_dynamic<MR, NR>(s, a.data(), b.data(), plain.data(), scratch.data());
  auto want = reference(s, a, b);
  CAPTURE(s.batch, s.m, s.k, s.n, s.transposed_b, MR, NR);
  const double bound = 2e-6 * static_cast<double>(s.k + 10);
  CHECK(kernel_test::worst_difference(plain, want) <= bound);

  const auto residual = kernel_test::values(s.batch * s.y_batch, 3);
  onnxc::gemm_dynamic<MR, NR>(s, a.data(), b.data(), y.data(), scratch.data(),
                              [&](auto v, Index i, Index channel) {
                                using V = decltype(v);
                                return v * 2.0f + onnxc::load<V>(residual.data() + i) +
                                       onnxc::load<V>(residual.data() + channel);
                              });
  for (Index i = 0; i < s.batch * s.y_batch; ++i) {
    const Index j = i % s.y_batch % s.ldy;
    double& value = want[static_cast<std::size_t>(i)];
    if (j < s.n) value = 2 * value + at(residual, i) + at(residual, j);
  }
  CHECK(kernel_test::worst_difference(y, want) <= 2 * bound);
  if (!s.transposed_b || s.m > onnxc::kFewRows) check_in_place<MR, NR>(s, a, b, plain);
}

// With room for all columns that are packed, and for one panel.
template <int MR, int NR>
void check_all(Index packed) {
  for (bool transposed : {false, true}) {
    for (Index m : {1, 2, 3, 4, 15, 30}) {
      for (Index k : {1, 4, 19, 64}) {
        for (Index n : {1, 7, 32, 75}) {
          const Index ldb = (transposed ? k : n) + 2;
          const Index b_size = (transposed ? n : k) * ldb;
          check<MR, NR>(Shape{2, m, k, n, k + 1, ldb, n + 3, m * (k + 1), b_size, m * (n + 3),
                              transposed, 0.5f, packed});
          check<MR, NR>(Shape{3, m, k, n, k, ldb, n, 0, b_size, m * n, transposed, 1.0f, packed});
          check<MR, NR>(Shape{3, m, k, n, k, ldb, n, m * k, 0, m * n, transposed, -2.0f, packed});
        }
      }
    }
    check<MR, NR>(Shape{1, 9, 700, 300, 700, 700, 300, 0, 0, 9 * 300, transposed, 1.0f, packed});
  }
}

}  // namespace

TEST_CASE("gemm_dynamic, run-time shapes") {
  for (const Index packed : {Index(0), onnxc::kGemmDynamicFloats}) {
    check_all<14, 32>(packed);
    check_all<6, 16>(packed);
    check_all<4, 4>(packed);
    check_all<2, 1>(packed);
  }
}

TEST_CASE("gemm_dynamic, fixed shapes") {
  check<14, 32>(FixedShape<1, 64, 40, true>{});
  check<14, 32>(FixedShape<20, 64, 40, true>{});
  check<14, 32>(FixedShape<20, 64, 40, false>{});
}
