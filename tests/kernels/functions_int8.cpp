// functions_int8.cpp - softmax, normalisations and tables of quantised values against their
// definitions in double precision.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "templates/normalization/layer_norm_int8.hpp"
#include "templates/normalization/softmax_int8.hpp"
#include "templates/quantization/lookup_bytes.hpp"

using onnxc::Index;

namespace {

template <class T>
std::vector<T> bytes(Index count, int most) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<T> v(static_cast<std::size_t>(count));
  for (T& x : v) x = static_cast<T>(static_cast<int>(random() % 256u) % most);
  return v;
}

// Whether y is the byte for `exact` steps, or one of two where that is next to a half.
template <class T>
bool is_nearest(T y, double exact, int zero) {
  using Limits = std::numeric_limits<T>;
  constexpr double margin = 1e-3;
  const auto byte = [&](double v) {
    return std::fmin(std::fmax(std::nearbyint(v) + zero, Limits::min()), Limits::max());
  };
  return y >= byte(exact - margin) && y <= byte(exact + margin);
}

struct SoftmaxShape {
  Index rows, count, places, zero, most;
};

template <class X, class Y>
void check_softmax(Index count, double step, double scale, int zero, int most_x) {
  const Index rows = 7;
  const int places = 30 - std::ilogb(1 / scale);
  const SoftmaxShape s = {rows, count, places, zero, std::numeric_limits<Y>::max()};
  std::vector<std::uint32_t> exponents;
  for (int i = 0; i < 256; ++i)
    exponents.push_back(static_cast<std::uint32_t>(std::llround(std::exp(-i * step) * 0x1p31)));
  exponents.push_back(static_cast<std::uint32_t>(std::ldexp(1 / scale, places)));
  const auto x = bytes<X>(rows * count, most_x);
  std::vector<Y> y(x.size()), parts(x.size());
  onnxc::softmax_int8(s, x.data(), exponents.data(), y.data());
  for (Index i = 0; i < 3; ++i)
    onnxc::softmax_int8(onnxc::with_chunk(s, {i, 3, 0}), x.data(), exponents.data(), parts.data());
  REQUIRE(parts == y);
  for (Index r = 0; r < rows; ++r) {
    double sum = 0;
    const auto at = [&](Index i) { return static_cast<std::size_t>(r * count + i); };
    int largest = x[at(0)];
    for (Index i = 0; i < count; ++i) largest = std::max<int>(largest, x[at(i)]);
    for (Index i = 0; i < count; ++i) sum += std::exp((x[at(i)] - largest) * step);
    for (Index i = 0; i < count; ++i)
      REQUIRE(is_nearest(y[at(i)], std::exp((x[at(i)] - largest) * step) / sum / scale, zero));
  }
}

struct NormShape {
  Index rows, size, zero, bits, places, low, high;
};

// As the compiler makes the operands.
template <bool CENTRED, class X, class Y>
void check_norm(Index size, double step, double epsilon, double scale, int zero) {
  const Index rows = 5;
  const int zero_x = 3;
  std::vector<double> gamma, beta;
  double largest = 0;
  for (Index i = 0; i < size; ++i) {
    gamma.push_back(1.5 * std::cos(static_cast<double>(i)));
    beta.push_back(0.3 * std::sin(static_cast<double>(3 * i)));
    largest = std::fmax(largest, std::abs(gamma.back() / scale));
  }
  const auto bits = static_cast<int>(27 - std::ceil(std::log2(static_cast<double>(size)) / 2));
  const int shift = std::min(29 - std::ilogb(largest), 20 + 32 - bits), places = bits + shift - 32;
  using Limits = std::numeric_limits<Y>;
  const NormShape s = {rows, size, zero_x, bits, places, Limits::min(), Limits::max()};
  std::vector<std::int32_t> factors, summands;
  for (std::size_t i = 0; i < gamma.size(); ++i) {
    factors.push_back(static_cast<std::int32_t>(std::lround(std::ldexp(gamma[i] / scale, shift))));
    summands.push_back(
        static_cast<std::int32_t>(std::lround(std::ldexp(beta[i] / scale + zero + 0.5, places))));
  }
  const double ratio = static_cast<double>(size) / step;
  const auto more = static_cast<std::uint64_t>(epsilon * ratio * ratio * 65536 + 0.5);
  const std::uint32_t words[] = {static_cast<std::uint32_t>(more),
                                 static_cast<std::uint32_t>(more >> 32)};
  const auto x = bytes<X>(rows * size, 250);
  std::vector<Y> y(x.size());
  if constexpr (CENTRED)
    onnxc::layer_norm_int8(s, x.data(), factors.data(), summands.data(), words, y.data());
  else
    onnxc::rms_norm_int8(s, x.data(), factors.data(), summands.data(), words, y.data());
  for (Index r = 0; r < rows; ++r) {
    const auto at = [&](Index i) { return static_cast<std::size_t>(r * size + i); };
    double mean = CENTRED ? 0 : zero_x, squares = 0;
    for (Index i = 0; CENTRED && i < size; ++i) mean += x[at(i)] / static_cast<double>(size);
    for (Index i = 0; i < size; ++i) squares += std::pow((x[at(i)] - mean) * step, 2);
    const double root = std::sqrt(squares / static_cast<double>(size) + epsilon);
    for (Index i = 0; i < size; ++i) {
      const auto j = static_cast<std::size_t>(i);
      REQUIRE(is_nearest(y[at(i)], ((x[at(i)] - mean) * step / root * gamma[j] + beta[j]) / scale,
                         zero));
    }
  }
}

}  // namespace

TEST_CASE("softmax_int8") {
  for (const Index count : {1, 3, 32, 77, 1000}) {
    check_softmax<std::int8_t, std::int8_t>(count, 0.05, 1.0 / 256, -128, 256);
    check_softmax<std::uint8_t, std::uint8_t>(count, 0.02, 1.0 / 255, 0, 100);
    check_softmax<std::int8_t, std::uint8_t>(count, 1.0, 1.0 / 700, 3, 20);
    check_softmax<std::uint8_t, std::int8_t>(count, 1e-3, 0.7, -5, 256);
  }
}

TEST_CASE("normalisations of bytes") {
  for (const Index size : {1, 2, 64, 77, 1000, 16384}) {
    check_norm<true, std::int8_t, std::int8_t>(size, 0.02, 1e-5, 0.03, -5);
    check_norm<true, std::uint8_t, std::uint8_t>(size, 0.3, 1e-6, 0.02, 130);
    check_norm<false, std::int8_t, std::uint8_t>(size, 0.02, 1e-3, 0.05, 128);
    check_norm<false, std::uint8_t, std::int8_t>(size, 0.1, 1e-5, 0.04, 0);
  }
}

TEST_CASE("normalisation of equal values gives the summands") {
  const NormShape s = {1, 4, 0, 26, 14, -128, 127};
  const std::int32_t factors[] = {1 << 20, 1 << 20, 1 << 20, 1 << 20};
  const std::int32_t summands[] = {1 << 14, 2 << 14, 3 << 14, -(4 << 14)};
  const std::uint32_t epsilon[] = {1, 0};
  const std::vector<std::int8_t> x(4, 77);
  std::vector<std::int8_t> y(4);
  onnxc::layer_norm_int8(s, x.data(), factors, summands, epsilon, y.data());
  REQUIRE(y == std::vector<std::int8_t>{1, 2, 3, -4});
}

TEST_CASE("lookup_bytes") {
  struct {
    Index count;
  } s = {37};
  std::vector<std::uint8_t> table(256);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint8_t>(7 * i + 3);
  const auto x = bytes<std::int8_t>(s.count, 256);
  std::vector<std::uint8_t> y(x.size());
  onnxc::lookup_bytes(s, x.data(), table.data(), y.data());
  for (std::size_t i = 0; i < x.size(); ++i)
    REQUIRE(y[i] == table[static_cast<std::uint8_t>(x[i])]);
}
