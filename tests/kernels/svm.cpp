// svm.cpp - support vector machines against plain loops in double precision.
#include "templates/ml/svm.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/kernels/test_data.hpp"

namespace {

using onnxc::Index;

struct Machine {
  Index rows, features, vectors, kernel;
  float gamma, coef0, degree, rho;
  Index classes, columns, transform;
  bool probabilities, positive;
};

double kernel_of(const Machine& s, const float* a, const float* b) {
  double dot = 0, far = 0;
  for (Index i = 0; i < s.features; ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    dot += x * y;
    far += (x - y) * (x - y);
  }
  const auto g = static_cast<double>(s.gamma), c = static_cast<double>(s.coef0);
  if (s.kernel == onnxc::kLinearKernel) return dot;
  if (s.kernel == onnxc::kRbfKernel) return std::exp(-g * far);
  if (s.kernel == onnxc::kSigmoidKernel) return std::tanh(g * dot + c);
  return std::pow(g * dot + c, static_cast<double>(s.degree));
}

const std::int32_t kFirst[] = {0, 2, 3, 7};

// Decisions of three classes, pair by pair.
std::vector<double> decisions(const Machine& s, const float* x, const std::vector<float>& vectors,
                              const std::vector<float>& table, const std::vector<float>& rho) {
  std::vector<double> out;
  for (Index i = 0; i < 3; ++i)
    for (Index j = i + 1; j < 3; ++j) {
      auto sum = static_cast<double>(rho[out.size()]);
      for (const auto& [own, line] : {std::pair(i, j - 1), std::pair(j, i)})
        for (Index v = kFirst[own]; v < kFirst[own + 1]; ++v)
          sum += static_cast<double>(table[static_cast<std::size_t>(line * s.vectors + v)]) *
                 kernel_of(s, x, &vectors[static_cast<std::size_t>(v * s.features)]);
      out.push_back(sum);
    }
  return out;
}

}  // namespace

TEST_CASE("kernel functions and regression") {
  for (Index features : {1, 3, 8, 21})
    for (Index kernel = onnxc::kLinearKernel; kernel <= onnxc::kSigmoidKernel; ++kernel)
      for (float degree : {2.0f, 3.0f, 4.0f}) {
        const Machine s{4, features, 7, kernel, 0.25f, 0.5f, degree, 0.125f, 0, 0, 0, false, false};
        const auto x = kernel_test::values(s.rows * features, 1);
        const auto vectors = kernel_test::values(s.vectors * features, 2);
        const auto weights = kernel_test::values(s.vectors, 3);
        std::vector<float> y(4);
        onnxc::svm_regressor(s, x.data(), vectors.data(), weights.data(), y.data());
        for (Index r = 0; r < s.rows; ++r) {
          double want = 0.125;
          for (Index v = 0; v < s.vectors; ++v)
            want += static_cast<double>(weights[static_cast<std::size_t>(v)]) *
                    kernel_of(s, &x[static_cast<std::size_t>(r * features)],
                              &vectors[static_cast<std::size_t>(v * features)]);
          CAPTURE(features, kernel, degree, r);
          CHECK(static_cast<double>(y[static_cast<std::size_t>(r)]) ==
                Approx(want).epsilon(1e-4).margin(1e-4));
        }
      }
}

TEST_CASE("one class") {
  std::vector<float> y = {0.5f, 0, -0.5f, onnxc::kNaN};
  onnxc::svm_one_class(Machine{4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, false}, y.data());
  CHECK(y == std::vector<float>{1, -1, -1, -1});
}

TEST_CASE("decisions of pairs, votes and probabilities") {
  Machine s{5, 3, 7, onnxc::kRbfKernel, 0.5f, 0, 0, 0, 3, 3, 0, false, false};
  const auto x = kernel_test::values(s.rows * s.features, 4);
  const auto vectors = kernel_test::values(s.vectors * s.features, 5);
  const auto table = kernel_test::values(2 * s.vectors, 6);
  const std::vector<float> rho = {0.125f, -0.25f, 0.0625f}, a = {-2, -1, -3}, b = {0.5f, 0, -0.5f};
  const std::int64_t labels[] = {10, 20, 30};
  std::vector<float> scratch(static_cast<std::size_t>(onnxc::svm_scratch(3, 7))), z(15), p(15);
  std::vector<std::int64_t> y(5);
  const onnxc::SvmClasses model{vectors.data(), table.data(), kFirst, rho.data(),
                                a.data(),       b.data(),     labels};
  onnxc::svm_classifier(s, x.data(), model, scratch.data(), y.data(), z.data());
  s.probabilities = true;
  onnxc::svm_classifier(s, x.data(), model, scratch.data(), y.data(), p.data());
  for (std::size_t r = 0; r < 5; ++r) {
    const auto want = decisions(s, &x[3 * r], vectors, table, rho);
    int votes[3] = {};
    std::size_t pair = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = i + 1; j < 3; ++j, ++pair) {
        CHECK(static_cast<double>(z[3 * r + pair]) ==
              Approx(want[pair]).epsilon(1e-4).margin(1e-5));
        ++votes[want[pair] > 0 ? i : j];
      }
    const auto best = std::max_element(votes, votes + 3) - votes;
    CHECK(y[r] == labels[best]);
    CHECK(p[3 * r] + p[3 * r + 1] + p[3 * r + 2] == Approx(1).epsilon(1e-4));
  }
}

TEST_CASE("coupled probabilities of two classes are those of their pair") {
  const float against[] = {0, 0.7f, 0.3f, 0};
  float q[4], qp[2], p[2];
  onnxc::couple_probabilities(2, against, q, qp, p);
  CHECK(p[0] == Approx(0.7f).epsilon(0.01));
  CHECK(p[1] == Approx(0.3f).epsilon(0.01));
  const float nothing[4] = {};
  onnxc::couple_probabilities(2, nothing, q, qp, p);  // no division traps
}

TEST_CASE("linear machines") {
  const std::int64_t labels[] = {10, 20};
  std::vector<std::int64_t> y(3);
  std::vector<float> z(6);
  Machine s{3, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, false, false};
  std::vector<float> scores = {0.25f, 0.125f, -1, -2, -3, -2};
  onnxc::svm_linear_classes(s, scores.data(), labels, y.data(), z.data());
  CHECK(y == std::vector<std::int64_t>{20, 10, 20});
  CHECK(z == scores);
  s.positive = true;
  onnxc::svm_linear_classes(s, scores.data(), labels, y.data(), static_cast<float*>(nullptr));
  CHECK(y == std::vector<std::int64_t>{10, 10, 20});
}
