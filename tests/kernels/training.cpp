// training.cpp - losses and optimizers against naive loops in double.
#include "templates/training/optimizer.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/training/loss.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::at;
using kernel_test::values;
using kernel_test::worst_difference;
using onnxc::Index;
using onnxc::Reduction;
using onnxc::Status;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Loss {
  Index batch = 2, classes = 3, positions = 4, reduction = Reduction::kNone;
  bool ignores = true;
  Index ignored = -1;
};

struct Optimizer {
  Index count = 11;
  float decay = 0.5f, epsilon = 1e-2f, norm = 0.125f, alpha = 0.75f, beta = 0.5f, norm_post = 0.25f;
  float log_alpha = std::log(0.75f), log_beta = std::log(0.5f);
  bool nesterov = false;
};

constexpr Index kCount = 11;
const std::int64_t kFirst[] = {0}, kThird[] = {2};
const float kRate[] = {0.5f};

}  // namespace

TEST_CASE("nll_loss", "[training]") {
  Loss s;
  const Floats x = values(24, 1), weight = {0.5f, 2.0f, 1.5f};
  std::vector<std::int64_t> target = {0, 2, -1, 1, 1, -1, 0, 2};
  Doubles each;
  double sum = 0, weights = 0;
  for (Index i = 0; i < 8; ++i) {
    const std::int64_t t = target[static_cast<std::size_t>(i)];
    const double w = t < 0 ? 0 : at(weight, static_cast<Index>(t));
    each.push_back(t < 0 ? 0 : -at(x, (i / 4 * 3 + static_cast<Index>(t)) * 4 + i % 4) * w);
    sum += each.back();
    weights += w;
  }
  const auto run = [&](Index reduction, std::size_t count) {
    s.reduction = reduction;
    Floats y(count);
    REQUIRE(onnxc::nll_loss(s, x.data(), target.data(), weight.data(), y.data()) == Status::ok);
    return y;
  };
  CHECK(worst_difference(run(Reduction::kNone, 8), each) < 1e-6);
  CHECK(worst_difference(run(Reduction::kSum, 1), {sum}) < 1e-5);
  CHECK(worst_difference(run(Reduction::kMean, 1), {sum / weights}) < 1e-5);
  target[3] = 3;
  Floats y(8);
  CHECK(onnxc::nll_loss(s, x.data(), target.data(), weight.data(), y.data()) == Status::bad_index);
}

// Class c of position p of batch entry n is x[(n * classes + c) * positions + p].
TEST_CASE("cross_entropy and its derivative", "[training]") {
  for (const auto& [classes, positions] : {std::pair{3, 4}, {21, 1}, {5, 70}}) {
    Loss s;
    s.classes = classes, s.positions = positions, s.reduction = Reduction::kMean;
    const Index count = s.batch * positions;
    const Floats x = values(count * classes, 1), weight = values(classes, 2), dy = {0.5f};
    std::vector<std::int64_t> target;
    for (Index i = 0; i < count; ++i) target.push_back(i % 5 == 2 ? -1 : i % classes);
    Doubles softmax(x.size()), want(x.size());
    double sum = 0, weights = 0;
    const auto place = [&](Index i, Index c) {
      return static_cast<std::size_t>((i / s.positions * s.classes + c) * s.positions +
                                      i % s.positions);
    };
    const auto weight_of = [&](Index i) {
      const std::int64_t t = target[static_cast<std::size_t>(i)];
      return t < 0 ? 0 : at(weight, static_cast<Index>(t));
    };
    for (Index i = 0; i < count; ++i) {
      double total = 0;
      for (Index c = 0; c < classes; ++c) total += std::exp(static_cast<double>(x[place(i, c)]));
      for (Index c = 0; c < classes; ++c)
        softmax[place(i, c)] = std::exp(static_cast<double>(x[place(i, c)])) / total;
      weights += weight_of(i);
      const std::int64_t t = target[static_cast<std::size_t>(i)];
      if (t >= 0) sum -= weight_of(i) * std::log(softmax[place(i, static_cast<Index>(t))]);
    }
    for (Index i = 0; i < count; ++i)
      for (Index c = 0; c < classes; ++c)
        want[place(i, c)] = 0.5 * weight_of(i) / weights *
                            (softmax[place(i, c)] - (target[static_cast<std::size_t>(i)] == c));
    Floats y(1), dx(softmax.begin(), softmax.end());
    REQUIRE(onnxc::cross_entropy(s, x.data(), target.data(), weight.data(), y.data()) ==
            Status::ok);
    REQUIRE(onnxc::cross_entropy_grad(s, dx.data(), target.data(), weight.data(), dy.data(),
                                      dx.data()) == Status::ok);
    CHECK(worst_difference(y, {sum / weights}) < 1e-5 * (1 + std::fabs(sum / weights)));
    CHECK(worst_difference(dx, want) < 1e-6);
    target[0] = classes;
    CHECK(onnxc::cross_entropy(s, x.data(), target.data(), weight.data(), y.data()) ==
          Status::bad_index);
    CHECK(onnxc::cross_entropy_grad(s, dx.data(), target.data(), weight.data(), dy.data(),
                                    dx.data()) == Status::bad_index);
  }
}

TEST_CASE("adagrad", "[training]") {
  const Optimizer s;
  const Floats x = values(kCount, 1), g = values(kCount, 2), h(kCount, 0.5f);
  Floats x_new(kCount), h_new(kCount);
  onnxc::adagrad(s, kRate, kThird, x.data(), g.data(), h.data(), x_new.data(), h_new.data());
  Doubles want_x, want_h;
  for (Index i = 0; i < kCount; ++i) {
    const double gradient = 0.125 * at(x, i) + at(g, i);
    want_h.push_back(0.5 + gradient * gradient);
    want_x.push_back(at(x, i) - 0.5 / (1 + 2 * 0.5) * gradient / (std::sqrt(want_h.back()) + 0.01));
  }
  CHECK(worst_difference(x_new, want_x) < 1e-6);
  CHECK(worst_difference(h_new, want_h) < 1e-6);
}

TEST_CASE("adam", "[training]") {
  const Optimizer s;
  const Floats x = values(kCount, 1), g = values(kCount, 2), v = values(kCount, 3);
  const Floats h(kCount, 0.5f);
  for (const std::int64_t* step : {kFirst, kThird}) {
    Floats x_new(kCount), v_new(kCount), h_new(kCount);
    onnxc::adam(s, kRate, step, x.data(), g.data(), v.data(), h.data(), x_new.data(), v_new.data(),
                h_new.data());
    double rate = 0.5;
    if (*step > 0) rate *= std::sqrt(1 - std::pow(0.5, 2)) / (1 - std::pow(0.75, 2));
    Doubles want_x, want_v, want_h;
    for (Index i = 0; i < kCount; ++i) {
      const double gradient = 0.125 * at(x, i) + at(g, i);
      want_v.push_back(0.75 * at(v, i) + 0.25 * gradient);
      want_h.push_back(0.5 * 0.5 + 0.5 * gradient * gradient);
      const double moved = at(x, i) - rate * want_v.back() / (std::sqrt(want_h.back()) + 0.01);
      want_x.push_back(0.75 * moved);
    }
    CHECK(worst_difference(x_new, want_x) < 1e-5);
    CHECK(worst_difference(v_new, want_v) < 1e-6);
    CHECK(worst_difference(h_new, want_h) < 1e-6);
  }
}

TEST_CASE("one_minus_power: the first steps of Adam's averages", "[training]") {
  for (const double base : {0.9, 0.999, 0.99999, 0.0, -0.5})
    for (const int t : {1, 2, 3, 10, 100, 1000, 100000}) {
      const auto log = base > 0 ? static_cast<float>(std::log(base)) : 0.0f;
      const double want = 1 - std::pow(base, t);
      const auto got = static_cast<double>(
          onnxc::one_minus_power(static_cast<float>(base), log, static_cast<float>(t)));
      CHECK(std::fabs(got - want) <= 2e-7 * want);
    }
}

TEST_CASE("momentum", "[training]") {
  Optimizer s;
  const Floats x = values(kCount, 1), g = values(kCount, 2), v = values(kCount, 3);
  for (const std::int64_t* step : {kFirst, kThird})
    for (bool nesterov : {false, true}) {
      s.nesterov = nesterov;
      Floats x_new(kCount), v_new(kCount);
      onnxc::momentum(s, kRate, step, x.data(), g.data(), v.data(), x_new.data(), v_new.data());
      Doubles want_x, want_v;
      for (Index i = 0; i < kCount; ++i) {
        const double gradient = 0.125 * at(x, i) + at(g, i);
        want_v.push_back(0.75 * at(v, i) + (*step > 0 ? 0.5 : 1) * gradient);
        const double by = nesterov ? gradient + 0.75 * want_v.back() : want_v.back();
        want_x.push_back(at(x, i) - 0.5 * by);
      }
      CHECK(worst_difference(x_new, want_x) < 1e-6);
      CHECK(worst_difference(v_new, want_v) < 1e-6);
    }
}
