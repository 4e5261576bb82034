// gemm.cpp - packed matrix products against the naive sum.
#include "templates/matmul/gemm.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "compiler/kernels/matmul_calls.hpp"
#include "templates/matmul/gemm_f16_weights.hpp"
#include "templates/matmul/gemm_scaled.hpp"
#include "tests/kernels/test_data.hpp"

using onnxc::Index;

namespace {

using Shape = onnxc::GemmShape<onnxc::Index>;

template <Index M, Index K, Index N>
struct FixedShape {
  static constexpr Index m = M, k = K, n = N, ldx = K, ldy = N;
};

using kernel_test::values;
constexpr float kGuard = 123.5f;

template <int MR, int NR, class S>
void check(S s, bool transposed, bool with_bias) {
  const Index ldb = (transposed ? s.k : s.n) + 3;
  const auto x = values(s.m * s.ldx, 1);
  const auto b = values((transposed ? s.n : s.k) * ldb, 2);
  const auto bias = values(s.n, 3);
  const auto residual = values(s.m * s.ldy, 4);
  std::vector<float> packed(static_cast<std::size_t>(onnxc::packed_gemm_size<NR>(s.k, s.n) + 1));
  onnxc::pack_gemm_b<NR>(b.data(), s.k, s.n, ldb, transposed, packed.data());
  std::vector<float> y(static_cast<std::size_t>((s.m - 1) * s.ldy + s.n), kGuard);
  const auto plain = [](auto v, Index, Index) { return v; };
  const auto fused = [&](auto v, Index at, Index channel) {
    using V = decltype(v);
    return v * 2.0f + onnxc::load<V>(residual.data() + at) + onnxc::load<V>(bias.data() + channel);
  };
  if (with_bias) {
    onnxc::gemm<MR, NR>(s, x.data(), packed.data(), bias.data(), y.data(), fused);
  } else {
    onnxc::gemm<MR, NR>(s, x.data(), packed.data(), nullptr, y.data(), plain);
  }
  double worst = 0;
  for (Index i = 0; i < s.m; ++i) {
    for (Index j = 0; j < s.ldy && i * s.ldy + j < static_cast<Index>(y.size()); ++j) {
      const double got = static_cast<double>(y[static_cast<std::size_t>(i * s.ldy + j)]);
      double want = static_cast<double>(kGuard);
      if (j < s.n) {
        const double added = static_cast<double>(bias[static_cast<std::size_t>(j)]);
        want = with_bias ? added : 0.0;
        for (Index p = 0; p < s.k; ++p) {
          const Index at = transposed ? j * ldb + p : p * ldb + j;
          want += static_cast<double>(x[static_cast<std::size_t>(i * s.ldx + p)]) *
                  static_cast<double>(b[static_cast<std::size_t>(at)]);
        }
        if (with_bias)
          want = 2 * want + added +
                 static_cast<double>(residual[static_cast<std::size_t>(i * s.ldy + j)]);
      }
      worst = std::max(worst, std::fabs(got - want));
    }
  }
  CAPTURE(s.m, s.k, s.n, MR, NR, transposed, with_bias);
  CHECK(worst <= 1e-6 * static_cast<double>(s.k + 10));
}

template <int MR, int NR>
void check_all() {
  for (Index m : {1, 2, 3, 7, 13, 14, 15, 29}) {
    for (Index k : {1, 3, 16, 65}) {
      for (Index n : {1, 5, 16, 31, 32, 33, 70}) {
        check<MR, NR>(Shape{m, k, n, k, n}, false, true);
        check<MR, NR>(Shape{m, k, n, k + 5, n + 2}, true, false);
      }
    }
  }
  check<MR, NR>(Shape{15, 1100, 40, 1100, 40}, false, true);
  check<MR, NR>(Shape{2, 0, 3, 1, 3}, false, true);
}

}  // namespace

TEST_CASE("run-time shapes, panels wider and narrower than the registers") {
  check_all<14, 32>();
  check_all<28, 16>();
  check_all<6, 16>();
  check_all<4, 8>();
  check_all<4, 4>();
  check_all<2, 1>();
  check_all<9, 48>();
  check_all<4, 24>();
  check_all<6, 64>();
}

TEST_CASE("gemm, fixed shapes") {
  check<14, 32>(FixedShape<1, 64, 40>{}, false, true);
  check<14, 32>(FixedShape<15, 64, 40>{}, true, true);
  check<14, 32>(FixedShape<49, 20, 64>{}, false, false);
  check<4, 8>(FixedShape<4, 7, 9>{}, true, false);
  check<14, 32>(FixedShape<3, 1030, 4096>{}, false, true);
  check<6, 64>(FixedShape<1, 30, 128>{}, false, false);
  check<6, 64>(FixedShape<1, 31, 100>{}, true, false);
}

namespace {

// 16-bit float weights give exactly what gemm gives with the same weights as floats.
template <class H, int MR, int NR, class S>
void check_half_floats(S s) {
  const auto x = values(s.m * s.k, 1);
  auto b = values(s.k * s.n, 2);
  for (float& v : b) v = static_cast<float>(H(v));
  const auto bias = values(s.n, 3), residual = values(s.m * s.n, 4);
  const auto count = static_cast<std::size_t>(onnxc::packed_gemm_size<NR>(s.k, s.n));
  std::vector<float> packed(count + 1);
  onnxc::pack_gemm_b<NR>(b.data(), s.k, s.n, s.n, false, packed.data());
  std::vector<H> half_floats;
  for (const float v : packed) half_floats.push_back(H(v));
  std::vector<float> scratch(static_cast<std::size_t>(onnxc::widened_size<NR>(s.m, s.k, s.n)));
  const auto fused = [&](auto v, Index at, Index channel) {
    using V = decltype(v);
    return v * 2.0f + onnxc::load<V>(residual.data() + at) + onnxc::load<V>(bias.data() + channel);
  };
  CAPTURE(s.m, s.k, s.n, MR, NR);
  std::vector<float> want(static_cast<std::size_t>(s.m * s.n)), y(want.size(), kGuard);
  onnxc::gemm<MR, NR>(Shape{s.m, s.k, s.n, s.k, s.n}, x.data(), packed.data(), bias.data(),
                      want.data(), fused);
  onnxc::gemm_f16_weights<MR, NR>(s, x.data(), half_floats.data(), bias.data(), y.data(),
                                  scratch.data(), fused);
  CHECK(y == want);
  onnxc::gemm<MR, NR>(Shape{s.m, s.k, s.n, s.k, s.n}, x.data(), packed.data(), nullptr,
                      want.data());
  for (Index chunk = 0; chunk < 3; ++chunk)
    onnxc::gemm_f16_weights<MR, NR>(onnxc::with_chunk(s, {chunk, 3, 0}), x.data(),
                                    half_floats.data(), nullptr, y.data(), scratch.data());
  CHECK(y == want);
}

template <class H>
void check_all_half_floats() {
  for (Index m : {1, 2, 3, 13, 15, 32, 33, 70})
    for (Index k : {1, 3, 65})
      for (Index n : {1, 5, 32, 33, 70}) {
        check_half_floats<H, 14, 32>(Shape{m, k, n, k, n});
        check_half_floats<H, 6, 16>(Shape{m, k, n, k, n});
        check_half_floats<H, 4, 4>(Shape{m, k, n, k, n});
      }
  check_half_floats<H, 14, 32>(Shape{40, 1100, 40, 1100, 40});
  check_half_floats<H, 9, 48>(Shape{200, 1100, 100, 1100, 100});
  check_half_floats<H, 4, 24>(Shape{200, 1100, 100, 1100, 100});
  check_half_floats<H, 14, 32>(FixedShape<1, 64, 40>{});
  check_half_floats<H, 14, 32>(FixedShape<2, 64, 40>{});
  check_half_floats<H, 14, 32>(FixedShape<29, 64, 40>{});
  check_half_floats<H, 14, 32>(FixedShape<33, 700, 70>{});
}

}  // namespace

TEST_CASE("gemm_f16_weights, float16", "[gemm]") { check_all_half_floats<onnxc::float16>(); }
TEST_CASE("gemm_f16_weights, bfloat16", "[gemm]") { check_all_half_floats<onnxc::bfloat16>(); }

TEST_CASE("gemm_scaled: integers times fractions", "[gemm]") {
  struct {
    onnxc::Index m, k, n, a_row, a_column, b_row, b_column, c_row, c_column;
    float alpha, beta;
  } s{1, 2, 2, 2, 1, 2, 1, 0, 1, 0.5f, -1.5f};
  const std::int32_t a[] = {3, -4}, b[] = {1, 2, 3, 5}, c[] = {1, 2};
  std::int32_t y[2];
  onnxc::gemm_scaled(s, a, b, c, y);
  CHECK((y[0] == -6 && y[1] == -10));  // -4.5 - 1.5, -7 - 3
  s.beta = 0.25f;
  onnxc::gemm_scaled(s, a, b, c, y);
  CHECK((y[0] == -4 && y[1] == -6));  // -4.25, -6.5: cut to the whole part
  s.alpha = 1e30f;
  onnxc::gemm_scaled(s, a, b, static_cast<const std::int32_t*>(nullptr), y);
  CHECK((y[0] == INT32_MIN && y[1] == INT32_MIN));
}
