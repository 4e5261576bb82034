// row_norm_grad.cpp - derivatives of LayerNormalization and RMSNormalization against their
// definition in double, and chunks against the whole.
#include "templates/normalization/row_norm_grad.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::at;
using kernel_test::values;
using kernel_test::worst_difference;
using onnxc::Index;
using Doubles = std::vector<double>;

struct Shape {
  Index rows, size;
  float epsilon = 1e-3f;
};

template <class T>
struct Data {
  std::vector<T> x, scale, dy;

  explicit Data(const Shape& s)
      : x(as(values(s.rows * s.size, 1))),
        scale(as(values(s.size, 2))),
        dy(as(values(s.rows * s.size, 3))) {}
  static std::vector<T> as(const std::vector<float>& v) { return {v.begin(), v.end()}; }
};

struct Grads {
  Doubles x, scale, bias;
};

template <class T>
Grads reference(const Shape& s, const Data<T>& d, bool centred) {
  Grads g{Doubles(d.x.size()), Doubles(d.scale.size()), Doubles(d.scale.size())};
  const double n = static_cast<double>(s.size);
  for (Index r = 0; r < s.rows; ++r) {
    const Index first = r * s.size;
    double mean = 0, squares = 0, sum = 0, product = 0;
    for (Index i = 0; centred && i < s.size; ++i) mean += at(d.x, first + i) / n;
    for (Index i = 0; i < s.size; ++i) squares += std::pow(at(d.x, first + i) - mean, 2) / n;
    const double deviation = std::sqrt(squares + static_cast<double>(s.epsilon));
    const auto z = [&](Index i) { return (at(d.x, first + i) - mean) / deviation; };
    for (Index i = 0; i < s.size; ++i) {
      const double dy = at(d.dy, first + i);
      g.scale[static_cast<std::size_t>(i)] += dy * z(i);
      g.bias[static_cast<std::size_t>(i)] += dy;
      sum += centred ? dy * at(d.scale, i) / n : 0.0;
      product += dy * at(d.scale, i) * z(i) / n;
    }
    for (Index i = 0; i < s.size; ++i)
      g.x[static_cast<std::size_t>(first + i)] =
          (at(d.dy, first + i) * at(d.scale, i) - sum - z(i) * product) / deviation;
  }
  return g;
}

template <bool CENTRED, class T>
void check(const Shape& s, double tolerance) {
  const Data<T> d(s);
  const Grads want = reference(s, d, CENTRED);
  const auto run = [&](Index chunks) {
    std::vector<T> x(d.x.size()), scale(d.scale.size()), bias(d.scale.size());
    std::vector<T> moments(static_cast<std::size_t>(2 * s.rows));
    for (Index i = chunks; i-- > 0;)
      onnxc::row_norm_grad<CENTRED>(onnxc::with_chunk(s, {i, chunks}), d.x.data(), d.scale.data(),
                                    d.dy.data(), x.data(), moments.data());
    for (Index i = chunks; i-- > 0;)
      onnxc::row_norm_scale_grad(onnxc::with_chunk(s, {i, chunks}), d.x.data(), d.dy.data(),
                                 moments.data(), scale.data(), bias.data());
    CAPTURE(s.rows, s.size, CENTRED, chunks);
    CHECK(worst_difference(x, want.x) <= tolerance);
    CHECK(worst_difference(scale, want.scale) <= tolerance);
    CHECK(worst_difference(bias, want.bias) <= tolerance);
    x.insert(x.end(), scale.begin(), scale.end());
    x.insert(x.end(), bias.begin(), bias.end());
    return x;
  };
  const auto whole = run(1), chunks = run(3);
  CHECK(std::memcmp(whole.data(), chunks.data(), whole.size() * sizeof(T)) == 0);
}

}  // namespace

TEST_CASE("row_norm_grad, rows of any length") {
  for (Index rows : {1, 2, 7}) {
    for (Index size : {2, 5, 16, 33, 100}) {
      check<true, float>({rows, size}, 2e-5);
      check<false, float>({rows, size}, 2e-5);
      check<true, double>({rows, size}, 1e-12);
      check<false, double>({rows, size}, 1e-12);
    }
  }
}

TEST_CASE("row_norm_grad in place, and without rows") {
  const Shape s{3, 20};
  const Data<float> d(s);
  auto dx = d.dy;
  std::vector<float> moments(6), scale(20, 7.0f);
  onnxc::row_norm_grad<true>(s, d.x.data(), d.scale.data(), dx.data(), dx.data(), moments.data());
  CHECK(worst_difference(dx, reference(s, d, true).x) <= 2e-5);
  float* const none = nullptr;
  onnxc::row_norm_scale_grad(Shape{0, 20}, d.x.data(), d.dy.data(), moments.data(), scale.data(),
                             none);
  CHECK(worst_difference(scale, Doubles(20, 0.0)) == 0.0);
}
