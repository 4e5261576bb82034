// channel_norm_grad.cpp - derivatives of normalisations of channels against their definition in
// double, both layouts and chunks against the whole.
#include "templates/normalization/channel_norm_grad.hpp"

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
  Index outer, pieces, channels, positions, width;
  bool per_group = false, channels_last = false;
  float epsilon = 1e-3f;

  Index size() const { return outer * pieces * channels * positions; }
  Index scales() const { return per_group ? channels / width : channels; }
  Index index(Index image, Index channel, Index position) const {
    return channels_last ? (image * positions + position) * channels + channel
                         : (image * channels + channel) * positions + position;
  }
  Index scale_of(Index channel) const { return per_group ? channel / width : channel; }
};

template <class T>
struct Data {
  std::vector<T> x, scale, dy;

  // The data is far from zero, as a channel's often is.
  explicit Data(const Shape& s)
      : x(as(values(s.size(), 1))), scale(as(values(s.scales(), 2))), dy(as(values(s.size(), 3))) {
    for (T& v : x) v = v * T{0.5} + T{3};
  }
  static std::vector<T> as(const std::vector<float>& v) { return {v.begin(), v.end()}; }
};

struct Grads {
  Doubles x, scale, bias;
};

// f(index, channel) for all elements of a group.
template <class F>
void each_of_group(const Shape& s, Index o, Index first, F f) {
  for (Index piece = 0; piece < s.pieces; ++piece)
    for (Index c = first; c < first + s.width; ++c)
      for (Index p = 0; p < s.positions; ++p) f(s.index(o * s.pieces + piece, c, p), c);
}

template <class T>
void add_group(const Shape& s, const Data<T>& d, Index o, Index first, Grads& g) {
  const double n = static_cast<double>(s.pieces * s.width * s.positions);
  double mean = 0, squares = 0, sum = 0, product = 0;
  each_of_group(s, o, first, [&](Index i, Index) { mean += at(d.x, i) / n; });
  each_of_group(s, o, first,
                [&](Index i, Index) { squares += std::pow(at(d.x, i) - mean, 2) / n; });
  const double deviation = std::sqrt(squares + static_cast<double>(s.epsilon));
  const auto z = [&](Index i) { return (at(d.x, i) - mean) / deviation; };
  each_of_group(s, o, first, [&](Index i, Index c) {
    const double scaled = at(d.dy, i) * at(d.scale, s.scale_of(c));
    sum += scaled / n, product += scaled * z(i) / n;
    g.scale[static_cast<std::size_t>(s.scale_of(c))] += at(d.dy, i) * z(i);
    g.bias[static_cast<std::size_t>(s.scale_of(c))] += at(d.dy, i);
  });
  each_of_group(s, o, first, [&](Index i, Index c) {
    const double scaled = at(d.dy, i) * at(d.scale, s.scale_of(c));
    g.x[static_cast<std::size_t>(i)] = (scaled - sum - z(i) * product) / deviation;
  });
}

template <class T>
Grads reference(const Shape& s, const Data<T>& d) {
  Grads g{Doubles(d.x.size()), Doubles(d.scale.size()), Doubles(d.scale.size())};
  for (Index o = 0; o < s.outer; ++o)
    for (Index c = 0; c < s.channels; c += s.width) add_group(s, d, o, c, g);
  return g;
}

// The three calls, in `chunks` parts; dx is where dy was.
template <class T>
void run(const Shape& s, const Data<T>& d, Index chunks, std::vector<T>& x, std::vector<T>& scale,
         std::vector<T>& bias) {
  x = d.dy;
  scale.assign(d.scale.size(), T{7}), bias = scale;
  std::vector<T> sums(static_cast<std::size_t>(4 * s.outer * s.channels)), factors(sums);
  for (Index i = chunks; i-- > 0;)
    onnxc::channel_norm_sums(onnxc::with_chunk(s, {i, chunks}), d.x.data(), x.data(), sums.data());
  onnxc::channel_norm_factors(s, d.scale.data(), sums.data(), factors.data(), scale.data(),
                              bias.data());
  for (Index i = chunks; i-- > 0;)
    onnxc::channel_norm_grad(onnxc::with_chunk(s, {i, chunks}), d.x.data(), x.data(),
                             factors.data(), x.data());
}

template <class T>
void check(const Shape& s, double tolerance) {
  const Data<T> d(s);
  const Grads want = reference(s, d);
  std::vector<T> x, scale, bias, parts_x, parts_scale, parts_bias;
  run(s, d, 1, x, scale, bias);
  CAPTURE(s.outer, s.pieces, s.channels, s.positions, s.width, s.per_group, s.channels_last);
  CHECK(worst_difference(x, want.x) <= tolerance);
  CHECK(worst_difference(scale, want.scale) <= tolerance * 10);
  CHECK(worst_difference(bias, want.bias) <= tolerance * 10);
  run(s, d, 3, parts_x, parts_scale, parts_bias);
  CHECK(std::memcmp(x.data(), parts_x.data(), x.size() * sizeof(T)) == 0);
  CHECK(std::memcmp(scale.data(), parts_scale.data(), scale.size() * sizeof(T)) == 0);
  CHECK(std::memcmp(bias.data(), parts_bias.data(), bias.size() * sizeof(T)) == 0);
}

void check_all(Shape s) {
  for (bool last : {false, true}) {
    s.channels_last = last;
    check<float>(s, 5e-5);
    check<double>(s, 1e-12);
  }
}

}  // namespace

TEST_CASE("channel_norm_grad, images of one channel each") {
  for (Index channels : {1, 3, 16, 37, 80})
    for (Index positions : {2, 17, 130}) check_all({2, 1, channels, positions, 1});
  check_all({1, 1, 2, 2500, 1});
}

TEST_CASE("channel_norm_grad, groups") {
  for (bool per_group : {false, true})
    for (Index width : {2, 4, 12}) check_all({3, 1, 12, 9, width, per_group});
}

TEST_CASE("channel_norm_grad, statistics of a batch") {
  for (Index channels : {1, 5, 64})
    for (Index positions : {1, 6, 100}) check_all({1, 4, channels, positions, 1});
}

TEST_CASE("channel_norm_grad without data") {
  const Shape s{1, 0, 2, 5, 1};
  const Data<float> d(s);
  std::vector<float> x, scale, bias;
  run(s, d, 1, x, scale, bias);
  CHECK(worst_difference(scale, Doubles(2, 0.0)) == 0.0);
  CHECK(worst_difference(bias, Doubles(2, 0.0)) == 0.0);
}
