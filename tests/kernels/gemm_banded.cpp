// gemm_banded.cpp - products with columns of a few rows against the sum over all rows.
#include "templates/matmul/gemm_banded.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "compiler/kernels/matmul_calls.hpp"
#include "tests/kernels/test_data.hpp"

using onnxc::Index;

TEST_CASE("gemm_banded", "[matmul]") {
  // The second column is zero, the last one has the last row.
  const onnxc::DenseGemmShape<Index> s{2, 5, 4};
  const std::uint16_t bands[] = {1, 2, 0, 0, 0, 5, 4, 1};
  const float w[] = {0.5f, -2, 1, 2, 3, 4, 5, -0.25f};
  const std::vector<float> x = kernel_test::values(10, 7);
  float y[8];
  onnxc::gemm_banded(s, x.data(), bands, w, y, [](float v, Index at, Index channel) {
    return v + static_cast<float>(100 * at + 1000 * channel);
  });
  for (Index i = 0; i < 2; ++i) {
    const float* const weight[] = {w, w + 2, w + 2, w + 7};
    for (Index j = 0; j < 4; ++j) {
      double want = static_cast<double>(100 * (4 * i + j) + 1000 * j);
      for (Index k = 0; k < bands[2 * j + 1]; ++k)
        want += static_cast<double>(x[static_cast<std::size_t>(5 * i + bands[2 * j] + k)]) *
                static_cast<double>(weight[j][k]);
      CHECK(std::abs(static_cast<double>(y[4 * i + j]) - want) < 3e-4);
    }
  }
}
