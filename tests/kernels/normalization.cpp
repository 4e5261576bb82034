// normalization.cpp - normalization over any axes, for any element type, against naive loops in
// double.
#include "templates/normalization/normalize_nd.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/normalization/batch_norm.hpp"
#include "templates/normalization/lp_normalize.hpp"
#include "templates/normalization/softmax_axis.hpp"
#include "tests/kernels/test_data.hpp"

namespace {

using kernel_test::at;
using kernel_test::values;
using kernel_test::worst_difference;
using onnxc::Index;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Batch {
  Index batch = 3, channels = 4, positions = 5;
  float epsilon = 1e-3f, momentum = 0.75f;
  Index offset(Index n, Index c, Index p) const { return (n * channels + c) * positions + p; }
};

struct Axis {
  Index outer = 2, count = 5, inner = 3, p = 2;
  bool logarithm = false;
  Index offset(Index o, Index k, Index i) const { return (o * count + k) * inner + i; }
};

struct Box {
  Index outer[2] = {2, 3}, inner[1] = {7};
  Index x_outer[2] = {3, 1}, x_inner[1] = {6};  // the normalized axis has stride 6
  Index scale_outer[2] = {0, 1}, scale_inner[1] = {0}, bias_outer[2] = {0, 0}, bias_inner[1] = {1};
  float epsilon = 1e-3f;
  bool centred = true, outside_root = false;
};

}  // namespace

TEST_CASE("batch_norm", "[normalization]") {
  const Batch s;
  const Floats x = values(60, 1), scale = values(4, 2), bias = values(4, 3), mean = values(4, 4);
  const Floats variance = {0.5f, 0.0f, 2.0f, 0.25f};
  Floats y(60);
  onnxc::batch_norm(s, x.data(), scale.data(), bias.data(), mean.data(), variance.data(), y.data());
  Doubles want;
  for (Index i = 0; i < 60; ++i) {
    const Index c = i / s.positions % s.channels;
    const double deviation = std::sqrt(at(variance, c) + static_cast<double>(s.epsilon));
    want.push_back((at(x, i) - at(mean, c)) / deviation * at(scale, c) + at(bias, c));
  }
  CHECK(worst_difference(y, want) < 1e-5);
}

TEST_CASE("batch_norm_training", "[normalization]") {
  const Batch s;
  const Floats x = values(60, 1), scale = values(4, 2), bias = values(4, 3), mean = values(4, 4);
  const Floats variance = {0.5f, 0.0f, 2.0f, 0.25f};
  Floats y(60), new_mean(4), new_variance(4), saved_mean(4);
  onnxc::batch_norm_training(s, x.data(), scale.data(), bias.data(), mean.data(), variance.data(),
                             y.data(),
                             onnxc::BatchStatistics<float>{new_mean.data(), new_variance.data(),
                                                           saved_mean.data(), nullptr});
  Doubles want(60), want_mean, want_variance, batch_mean;
  for (Index c = 0; c < s.channels; ++c) {
    double sum = 0, squares = 0;
    for (Index i = 0; i < 15; ++i) sum += at(x, s.offset(i / 5, c, i % 5)) / 15;
    for (Index i = 0; i < 15; ++i)
      squares += std::pow(at(x, s.offset(i / 5, c, i % 5)) - sum, 2) / 15;
    for (Index i = 0; i < 15; ++i) {
      const Index k = s.offset(i / 5, c, i % 5);
      want[static_cast<std::size_t>(k)] =
          (at(x, k) - sum) / std::sqrt(squares + static_cast<double>(s.epsilon)) * at(scale, c) +
          at(bias, c);
    }
    batch_mean.push_back(sum);
    want_mean.push_back(at(mean, c) * 0.75 + sum * 0.25);
    want_variance.push_back(at(variance, c) * 0.75 + squares * 0.25);
  }
  CHECK(worst_difference(y, want) < 1e-5);
  CHECK(worst_difference(new_mean, want_mean) < 1e-6);
  CHECK(worst_difference(new_variance, want_variance) < 1e-6);
  CHECK(worst_difference(saved_mean, batch_mean) < 1e-6);
}

TEST_CASE("batch_norm_training_nhwc gives what the plain layout gives", "[normalization]") {
  Batch s;
  s.channels = 37;
  s.positions = 130;
  const auto size = static_cast<std::size_t>(s.batch * s.channels * s.positions);
  const Floats x = values(s.batch * s.channels * s.positions, 1), scale = values(37, 2);
  const Floats bias = values(37, 3), mean = values(37, 4), variance(37, 0.5f);
  const auto last = [&](Index n, Index c, Index p) {
    return static_cast<std::size_t>((n * s.positions + p) * s.channels + c);
  };
  Floats pixels(size), y(size), want(size), in_chunks(size);
  Floats got_mean(37), got_variance(37), want_mean(37), want_variance(37);
  const auto each = [&](auto f) {
    for (Index n = 0; n < s.batch; ++n)
      for (Index c = 0; c < s.channels; ++c)
        for (Index p = 0; p < s.positions; ++p)
          f(static_cast<std::size_t>(s.offset(n, c, p)), last(n, c, p));
  };
  each([&](std::size_t plain, std::size_t pixel) { pixels[pixel] = x[plain]; });
  onnxc::batch_norm_training(
      s, x.data(), scale.data(), bias.data(), mean.data(), variance.data(), want.data(),
      onnxc::BatchStatistics<float>{want_mean.data(), nullptr, nullptr, want_variance.data()});
  const onnxc::BatchStatistics<float> got = {got_mean.data(), nullptr, nullptr,
                                             got_variance.data()};
  onnxc::batch_norm_training_nhwc(s, pixels.data(), scale.data(), bias.data(), mean.data(),
                                  variance.data(), y.data(), got);
  Doubles want_pixels(size);
  each([&](std::size_t plain, std::size_t pixel) {
    want_pixels[pixel] = static_cast<double>(want[plain]);
  });
  CHECK(worst_difference(y, want_pixels) < 1e-5);
  CHECK(worst_difference(got_mean, Doubles(want_mean.begin(), want_mean.end())) < 1e-6);
  CHECK(worst_difference(got_variance, Doubles(want_variance.begin(), want_variance.end())) < 1e-5);
  for (Index i = 0; i < 3; ++i)
    onnxc::batch_norm_training_nhwc(onnxc::with_chunk(s, {i, 3}), pixels.data(), scale.data(),
                                    bias.data(), mean.data(), variance.data(), in_chunks.data(),
                                    got);
  CHECK(in_chunks == y);
  for (Index i = 0; i < 3; ++i)
    onnxc::batch_norm_training(onnxc::with_chunk(s, {i, 3}), x.data(), scale.data(), bias.data(),
                               mean.data(), variance.data(), in_chunks.data(), got);
  CHECK(in_chunks == want);
}

TEST_CASE("lp_normalize", "[normalization]") {
  Axis s;
  Floats x = values(30, 1);
  for (Index k = 0; k < s.count; ++k) x[static_cast<std::size_t>(s.offset(1, k, 2))] = 0;
  for (Index p : {1, 2}) {
    s.p = p;
    Floats y(30);
    onnxc::lp_normalize(s, x.data(), y.data());
    Doubles want;
    for (Index i = 0; i < 30; ++i) {
      double sum = 0;
      for (Index k = 0; k < s.count; ++k) {
        const double v = at(x, s.offset(i / 15, k, i % 3));
        sum += p == 1 ? std::fabs(v) : v * v;
      }
      const double norm = p == 1 ? sum : std::sqrt(sum);
      want.push_back(norm == 0 ? 0 : at(x, i) / norm);
    }
    CHECK(worst_difference(y, want) < 1e-6);
  }
}

TEST_CASE("softmax_axis", "[normalization]") {
  Axis s;
  Floats x = values(30, 1);
  for (float& v : x) v *= 50.0f;
  for (bool logarithm : {false, true}) {
    s.logarithm = logarithm;
    Floats y = x;  // in place
    onnxc::softmax_axis(s, y.data(), y.data());
    Doubles want;
    for (Index i = 0; i < 30; ++i) {
      double sum = 0;
      for (Index k = 0; k < s.count; ++k)
        sum += std::exp(at(x, s.offset(i / 15, k, i % 3)) - at(x, i));
      want.push_back(logarithm ? -std::log(sum) : 1 / sum);
    }
    CHECK(worst_difference(y, want) < (logarithm ? 1e-4 : 1e-5));
  }
}

TEST_CASE("normalize_nd", "[normalization]") {
  const Floats x = values(42, 1), scale = values(3, 2), bias = values(7, 3);
  for (int mode = 0; mode < 4; ++mode) {
    Box s;
    s.centred = (mode & 1) == 0;
    s.outside_root = (mode & 2) != 0;
    Floats y(42), mean(6), inverse(6);
    onnxc::normalize_nd<2, 1>(s, x.data(), scale.data(), bias.data(), y.data(), mean.data(),
                              inverse.data());
    Doubles want(42), want_mean, want_inverse;
    for (Index o = 0; o < 6; ++o) {
      double centre = 0, squares = 0;
      for (Index k = 0; k < 7; ++k) centre += s.centred ? at(x, o + 6 * k) / 7 : 0;
      for (Index k = 0; k < 7; ++k) squares += std::pow(at(x, o + 6 * k) - centre, 2) / 7;
      const double epsilon = static_cast<double>(s.epsilon);
      const double deviation =
          s.outside_root ? std::sqrt(squares) + epsilon : std::sqrt(squares + epsilon);
      want_mean.push_back(centre);
      want_inverse.push_back(1 / deviation);
      for (Index k = 0; k < 7; ++k)
        want[static_cast<std::size_t>(o + 6 * k)] =
            (at(x, o + 6 * k) - centre) / deviation * at(scale, o % 3) + at(bias, k);
    }
    CAPTURE(mode);
    CHECK(worst_difference(y, want) < 1e-5);
    CHECK(worst_difference(mean, want_mean) < 1e-6);
    CHECK(worst_difference(inverse, want_inverse) < 1e-4);
  }
}
