// gemv.cpp - one row times packed weights against the naive sum, whole and in ranges of columns.
#include "templates/matmul/gemv.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/matmul/gemm.hpp"
#include "tests/kernels/test_data.hpp"

using onnxc::Index;

namespace {

using kernel_test::values;
constexpr float kGuard = 123.5f;

struct Operands {
  std::vector<float> x, packed, bias;
  std::vector<double> want;
};

template <int NR>
Operands operands(Index k, Index n) {
  const auto w = values(k * n, 2);
  Operands o{values(k, 1), {}, values(n, 3), {}};
  o.packed.resize(static_cast<std::size_t>(onnxc::packed_gemm_size<NR>(k, n) + 1));
  onnxc::pack_gemm_b<NR>(w.data(), k, n, n, false, o.packed.data());
  for (Index j = 0; j < n; ++j) {
    double sum = static_cast<double>(o.bias[static_cast<std::size_t>(j)]);
    for (Index i = 0; i < k; ++i)
      sum += static_cast<double>(o.x[static_cast<std::size_t>(i)]) *
             static_cast<double>(w[static_cast<std::size_t>(i * n + j)]);
    o.want.push_back(sum);
  }
  return o;
}

// The columns in ranges of `step`, a multiple of those of PANELS panels, each a call.
template <int NR, int PANELS, class Epilogue>
std::vector<float> product(const Operands& o, Index k, Index n, Index step,
                           const Epilogue& epilogue) {
  std::vector<float> y(static_cast<std::size_t>(n + 1), kGuard);
  for (Index begin = 0; begin < n; begin += step) {
    const onnxc::Span columns{begin, begin + step < n ? begin + step : n};
    onnxc::gemv_range<NR, PANELS>(k, columns, o.x.data(), o.packed.data(), o.bias.data(), y.data(),
                                  epilogue);
  }
  CHECK(y.back() == kGuard);
  y.pop_back();
  return y;
}

template <int NR, int PANELS>
void check(Index k, Index n) {
  CAPTURE(NR, PANELS, k, n);
  constexpr Index step = PANELS * NR;
  const Operands o = operands<NR>(k, n);
  const auto whole = product<NR, PANELS>(o, k, n, n + step, onnxc::NoEpilogue{});
  CHECK(kernel_test::worst_difference(whole, o.want) <= 2e-5);
  // A column's sum does not depend on which others are computed with it: threads divide them.
  CHECK(product<NR, PANELS>(o, k, n, step, onnxc::NoEpilogue{}) == whole);
  CHECK(product<NR, PANELS>(o, k, n, 2 * step, onnxc::NoEpilogue{}) == whole);
  const auto twice =
      product<NR, PANELS>(o, k, n, n + step, [](auto v, Index, Index) { return v * 2.0f; });
  for (std::size_t j = 0; j < whole.size(); ++j) CHECK(twice[j] == whole[j] * 2.0f);
}

template <int NR>
void check_sizes() {
  for (const Index k : {0, 1, 3, 4, 31, 64})
    for (const Index n : {1, NR - 1, NR, NR + 1, 2 * NR, 2 * NR + 3, 5 * NR, 8 * NR}) {
      check<NR, onnxc::kGemvPanels<NR>>(k, n);
      if constexpr (onnxc::gemv_fours<NR>(1, 4 * NR)) check<NR, 4>(k, n);
    }
}

}  // namespace

TEST_CASE("gemv") {
  check_sizes<1>();
  check_sizes<4>();
  check_sizes<8>();
  check_sizes<16>();
  check_sizes<24>();
  check_sizes<32>();
  check_sizes<64>();
}
