// mixture_of_experts.cpp - experts of every layout against their definition in double, and chunks
// against the whole.
#include "templates/matmul/mixture_of_experts.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "compiler/kernels/matmul_calls.hpp"
#include "tests/kernels/test_data.hpp"

using namespace onnxc;
using kernel_test::at;
using kernel_test::values;

namespace {

using Shape = ExpertShape<Index>;
using Doubles = std::vector<double>;
using Floats = std::vector<float>;

struct Layers {
  Floats gates, factors, outputs, gate_bias, factor_bias, output_bias;
};

double activated(const Shape& s, double g, double l) {
  const double alpha = static_cast<double>(s.alpha), limit = static_cast<double>(s.limit);
  if (s.activation == kExpertSwiglu && s.limit >= 0) {
    g = std::fmin(g, limit);
    l = std::fmax(std::fmin(l, limit), -limit);
  }
  switch (s.activation) {
    case kExpertRelu:
      return std::fmax(g, 0) * l;
    case kExpertGelu:
      return 0.5 * g * (1 + std::tanh(0.7978845608 * (g + 0.044715 * g * g * g))) * l;
    case kExpertSilu:
      return g / (1 + std::exp(-g)) * l;
    case kExpertSwiglu:
      return g / (1 + std::exp(-alpha * g)) * (l + static_cast<double>(s.beta));
    default:
      return g * l;
  }
}

double product(const Floats& w, const Floats& bias, Index row, Index k, const Doubles& x) {
  double sum = at(bias, row);
  for (Index i = 0; i < k; ++i) sum += at(w, row * k + i) * x[static_cast<std::size_t>(i)];
  return sum;
}

// What one token gets from expert e.
Doubles expert(const Shape& s, const Layers& layers, Index e, const Doubles& x) {
  Doubles inner, y;
  for (Index j = 0; j < s.inter; ++j) {
    const bool fused = s.fusion != kGateSeparate;
    const Index first = e * s.inter * (fused ? 2 : 1);
    const bool pairs = s.fusion == kGateInterleaved;
    const double g =
        product(layers.gates, layers.gate_bias, first + (pairs ? 2 * j : j), s.hidden, x);
    double l = 1;
    if (fused) {
      const Index other = first + (pairs ? 2 * j + 1 : s.inter + j);
      l = product(layers.gates, layers.gate_bias, other, s.hidden, x);
    } else if (!layers.factors.empty()) {
      l = product(layers.factors, layers.factor_bias, first + j, s.hidden, x);
    }
    inner.push_back(activated(s, g, l));
  }
  for (Index c = 0; c < s.hidden; ++c)
    y.push_back(product(layers.outputs, layers.output_bias, e * s.hidden + c, s.inter, inner));
  return y;
}

void check(const Shape& s, const Layers& layers) {
  const Floats x = values(s.tokens * s.hidden, 1), shares = values(s.tokens * s.k, 2);
  std::vector<std::int32_t> chosen;
  for (Index i = 0; i < s.tokens * s.k; ++i) chosen.push_back(static_cast<std::int32_t>(i * 2 % 3));
  Doubles want;
  for (Index t = 0; t < s.tokens; ++t) {
    Doubles row, y(static_cast<std::size_t>(s.hidden));
    for (Index i = 0; i < s.hidden; ++i) row.push_back(at(x, t * s.hidden + i));
    for (Index slot = t * s.k; slot < (t + 1) * s.k; ++slot) {
      const Doubles part = expert(s, layers, chosen[static_cast<std::size_t>(slot)], row);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += at(shares, slot) * part[i];
    }
    want.insert(want.end(), y.begin(), y.end());
  }
  const auto layer = [](const Floats& w, const Floats& bias) {
    return ExpertLayer<float>{w.empty() ? nullptr : w.data(), nullptr, nullptr, bias.data()};
  };
  for (Index count : {1, 3, 7}) {
    Floats inner(static_cast<std::size_t>(s.tokens * s.k * s.inter)), y(x.size()), row(100);
    for (Index i = 0; i < count; ++i)
      expert_gates<0>(with_chunk(s, {i, count}), x.data(), chosen.data(),
                      layer(layers.gates, layers.gate_bias),
                      layer(layers.factors, layers.factor_bias), inner.data(), row.data());
    for (Index i = 0; i < count; ++i)
      expert_outputs<0>(with_chunk(s, {i, count}), inner.data(), chosen.data(), shares.data(),
                        layer(layers.outputs, layers.output_bias), y.data(), row.data());
    CAPTURE(s.activation, s.fusion, count);
    CHECK(kernel_test::worst_difference(y, want) < 1e-5);
  }
}

}  // namespace

TEST_CASE("experts of every activation and layout") {
  for (Index activation : {kExpertRelu, kExpertGelu, kExpertSilu, kExpertIdentity, kExpertSwiglu})
    for (Index fusion : {kGateSeparate, kGateInterleaved, kGateHalves})
      for (bool factors : {false, true}) {
        const bool gates = activation == kExpertSwiglu;
        if (gates ? factors != (fusion == kGateSeparate) : fusion != kGateSeparate) continue;
        Shape s{3, 2, 19, 5, 19, activation, fusion, 1.702f, 0.5f, -1.0f};
        const Index rows = 3 * s.inter * (fusion == kGateSeparate ? 1 : 2);
        Layers layers{
            values(rows * s.hidden, 3), {}, values(3 * s.hidden * s.inter, 4), values(rows, 5), {},
            values(3 * s.hidden, 6)};
        if (factors) layers.factors = values(rows * s.hidden, 7);
        if (factors) layers.factor_bias = values(rows, 8);
        check(s, layers);
        s.limit = 0.75f;
        check(s, layers);
      }
}

TEST_CASE("the experts with the largest scores, and their shares") {
  const float scores[] = {0.5f, 2.0f, 2.0f, -1.0f}, weights[] = {0.1f, 0.3f, 0.2f, 0.9f};
  std::int32_t chosen[3];
  float shares[3];
  const auto run = [&](bool over_all, bool normalize, const float* given) {
    choose_experts(ChooseExpertsShape<Index>{1, 4, 3, over_all, normalize}, scores, given, chosen,
                   shares);
  };
  run(true, false, nullptr);
  CHECK((chosen[0] == 1 && chosen[1] == 2 && chosen[2] == 0));
  const double third = std::exp(-1.5), sum = 2 + third + std::exp(-3.0);
  CHECK(static_cast<double>(shares[0]) == Approx(1 / sum));
  CHECK(static_cast<double>(shares[2]) == Approx(third / sum));
  for (bool over_all : {true, false}) {
    run(over_all, over_all, nullptr);
    CHECK(static_cast<double>(shares[1]) == Approx(1 / (2 + third)));
  }
  run(false, false, weights);
  CHECK((shares[0] == 0.3f && shares[1] == 0.2f && shares[2] == 0.1f));
  run(false, true, weights);
  CHECK(static_cast<double>(shares[0]) == Approx(0.5));
}
