// lrn.cpp - local response normalization against the definition in double precision.
#include "templates/normalization/lrn.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "compiler/kernels/normalization_calls.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::Index;

using Shape = onnxc::LrnShape<onnxc::Index>;

void check(Shape s) {
  const auto x = kernel_test::values(s.batch * s.channels * s.positions, 1);
  const auto at = [&](Index n, Index c, Index p) {
    const Index inner = s.channels_last ? p * s.channels + c : c * s.positions + p;
    return static_cast<std::size_t>(n * s.channels * s.positions + inner);
  };
  std::vector<double> want(x.size());
  for (Index n = 0; n < s.batch; ++n) {
    for (Index c = 0; c < s.channels; ++c) {
      for (Index p = 0; p < s.positions; ++p) {
        double squares = 0;
        for (Index k = c - (s.size - 1) / 2; k <= c + s.size / 2; ++k) {
          if (k < 0 || k >= s.channels) continue;
          const double v = static_cast<double>(x[at(n, k, p)]);
          squares += v * v;
        }
        const double base = static_cast<double>(s.bias) +
                            static_cast<double>(s.alpha) / static_cast<double>(s.size) * squares;
        want[at(n, c, p)] =
            static_cast<double>(x[at(n, c, p)]) * std::pow(base, -static_cast<double>(s.beta));
      }
    }
  }
  std::vector<float> y(x.size()), chunks(x.size());
  CAPTURE(s.channels, s.size, s.alpha, s.beta, s.bias, s.channels_last);
  onnxc::lrn(s, x.data(), y.data());
  double largest = 0;
  for (double v : want) largest = std::fmax(largest, std::fabs(v));
  CHECK(kernel_test::worst_difference(y, want) <= 1e-6 * largest);
  for (Index i = 0; i < 3; ++i) {
    onnxc::lrn(onnxc::with_chunk(s, {i, 3, i}), x.data(), chunks.data());
  }
  CHECK(chunks == y);
}

}  // namespace

TEST_CASE("lrn") {
  for (bool last : {false, true}) {
    for (Index channels : {1, 5, 16, 37, 128, 300}) {
      for (Index size : {1, 3, 4, 5, 17, 90}) {
        check({2, channels, 3, size, 1e-4f, 0.75f, 1.0f, last});
        check({1, channels, 2, size, 2.0f, 0.5f, 0.25f, last});
        // Not by vectors: the base of an integer power may be negative.
        check({1, channels, 2, size, 1.0f, 2.0f, -5.0f, last});
      }
    }
  }
}
