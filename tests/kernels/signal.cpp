// signal.cpp - transforms, windows and mel weights against sums in double.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "templates/signal/cosine_window.hpp"
#include "templates/signal/dft.hpp"
#include "templates/signal/mel_weights.hpp"
#include "templates/signal/sincos_2pi.hpp"
#include "templates/signal/stft.hpp"
#include "tests/kernels/test_data.hpp"

using namespace onnxc;

namespace {

constexpr double kPi = 3.14159265358979323846;

std::vector<float> noise(std::size_t count) {
  return kernel_test::values(static_cast<Index>(count), 12345);
}

using Complex = std::complex<double>;

Complex complex(float re, float im) { return {static_cast<double>(re), static_cast<double>(im)}; }

std::vector<Complex> reference(const std::vector<Complex>& x, double sign) {
  const std::size_t n = x.size();
  std::vector<Complex> y(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      y[k] += x[i] * std::polar(1.0, sign * 2 * kPi * static_cast<double>(k * i % n) /
                                         static_cast<double>(n));
  return y;
}

}  // namespace

TEST_CASE("sincos_2pi", "[signal]") {
  for (std::int64_t whole : {1, 2, 3, 7, 8, 12, 1000})
    for (std::int64_t part = 0; part < 2 * whole; ++part) {
      const double angle = 2 * kPi * static_cast<double>(part) / static_cast<double>(whole);
      const SinCos<float> f = sincos_2pi<float>(part, whole);
      const SinCos<double> d = sincos_2pi<double>(part, whole);
      CHECK(std::abs(static_cast<double>(f.cos) - std::cos(angle)) < 1.2e-7);
      CHECK(std::abs(static_cast<double>(f.sin) - std::sin(angle)) < 1.2e-7);
      CHECK(std::abs(d.cos - std::cos(angle)) < 4e-15);
      CHECK(std::abs(d.sin - std::sin(angle)) < 4e-15);
    }
  CHECK(sincos_2pi<float>(1, 4).cos == 0.0f);
  CHECK(sincos_2pi<float>(1, 2).sin == 0.0f);
}

TEST_CASE("cosine_window", "[signal]") {
  struct {
    Index size;
    bool periodic;
  } s{10, true};
  for (bool periodic : {true, false}) {
    s.periodic = periodic;
    float hann[10], hamming[10], blackman[10];
    cosine_window<CosineWindow::hann>(s, hann);
    cosine_window<CosineWindow::hamming>(s, hamming);
    cosine_window<CosineWindow::blackman>(s, blackman);
    for (int i = 0; i < 10; ++i) {
      const double angle = 2 * kPi * i / (periodic ? 10 : 9), c = std::cos(angle);
      CHECK(std::abs(static_cast<double>(hann[i]) - (0.5 - 0.5 * c)) < 1e-7);
      CHECK(std::abs(static_cast<double>(hamming[i]) - (25 - 21 * c) / 46) < 1e-7);
      CHECK(std::abs(static_cast<double>(blackman[i]) -
                     (0.42 - 0.5 * c + 0.08 * std::cos(2 * angle))) < 2e-7);
    }
  }
  s.size = 1;
  std::uint8_t one = 0;
  cosine_window<CosineWindow::hann>(s, &one);
  CHECK(one == 1);
}

TEST_CASE("mel_weights", "[signal]") {
  struct {
    Index bins, bands;
  } const s{9, 4};
  const std::int32_t mels = 4, length = 16, rate = 8192, silent = 0;
  const float low = 0, high = 4096, beyond = 8192;
  float y[36];
  CHECK(mel_weights(s, &mels, &length, &rate, &low, &high, y) == Status::ok);
  for (Index band = 0; band < 4; ++band) {
    float peak = 0;
    for (Index bin = 0; bin < 9; ++bin) peak = std::max(peak, y[bin * 4 + band]);
    CHECK(peak == 1.0f);
  }
  CHECK(y[0] == 1.0f);
  CHECK(y[8 * 4 + 3] == 0.0f);
  CHECK(mel_weights(s, &length, &length, &rate, &low, &high, y) == Status::bad_shape);
  CHECK(mel_weights(s, &mels, &length, &silent, &low, &high, y) == Status::bad_value);
  CHECK(mel_weights(s, &mels, &length, &rate, &low, &beyond, y) == Status::bad_value);
  CHECK(mel_weights(s, &mels, &length, &rate, &high, &low, y) == Status::bad_value);
  CHECK(mel_weights(s, &mels, &length, &rate, &low, &kNaN, y) == Status::bad_value);
}

TEST_CASE("dft of every length, in rows and columns", "[signal]") {
  for (Index n : {1, 2, 3, 4, 5, 6, 8, 12, 16, 17, 30, 49, 64, 101, 120})
    for (Index inner : {1, 3})
      for (bool inverse : {false, true}) {
        struct {
          Index outer, in, inner, parts, out, length, roots;
          bool inverse, onesided;
        } const s{2, n, inner, 2, n, n, n, inverse, false};
        const std::vector<float> x = noise(static_cast<std::size_t>(4 * n * inner));
        std::vector<float> y(x.size()), work(static_cast<std::size_t>(4 * n * inner));
        std::vector<float> table(static_cast<std::size_t>(2 * n));
        fft_roots(n, n, table.data());
        dft(s, x.data(), table.data(), y.data(), work.data());
        for (Index row = 0; row < 2 * inner; ++row) {
          const auto at = [&](Index k) {
            return static_cast<std::size_t>(((row / inner * n + k) * inner + row % inner) * 2);
          };
          std::vector<Complex> line;
          for (Index k = 0; k < n; ++k) line.push_back(complex(x[at(k)], x[at(k) + 1]));
          const std::vector<Complex> want = reference(line, inverse ? 1 : -1);
          const double scale = inverse ? 1.0 / static_cast<double>(n) : 1.0;
          for (Index k = 0; k < n; ++k) {
            const Complex got = complex(y[at(k)], y[at(k) + 1]);
            CHECK(std::abs(got - want[static_cast<std::size_t>(k)] * scale) <
                  1e-6 * std::sqrt(static_cast<double>(n)) * scale + 1e-6);
          }
        }
      }
}

// Signals are cut, or continued by zeros.
TEST_CASE("dft of real signals", "[signal]") {
  for (Index n : {1, 2, 4, 6, 7, 8, 10, 12, 30, 64, 98})
    for (Index in : {n, n + 3, (n + 1) / 2})
      for (Index inner : {1, 3})
        for (bool onesided : {false, true}) {
          const DftShape s{
              2, in, inner, 1, onesided ? n / 2 + 1 : n, n, fft_roots_of_real(n), false, onesided};
          const std::vector<float> x = noise(static_cast<std::size_t>(2 * in * inner));
          std::vector<float> y(static_cast<std::size_t>(4 * s.out * inner));
          std::vector<float> work(static_cast<std::size_t>((fft_halves(n) ? 1 : 4) * n * inner));
          std::vector<float> table(static_cast<std::size_t>(2 * n));
          fft_roots(n, s.roots, table.data());
          dft(s, x.data(), table.data(), y.data(), work.data());
          for (Index row = 0; row < 2 * inner; ++row) {
            const auto at = [&](Index k, Index extent) {
              return static_cast<std::size_t>((row / inner * extent + k) * inner + row % inner);
            };
            std::vector<Complex> line;
            for (Index k = 0; k < n; ++k) line.push_back(complex(k < in ? x[at(k, in)] : 0, 0));
            const std::vector<Complex> want = reference(line, -1);
            for (Index k = 0; k < s.out; ++k) {
              const std::size_t to = 2 * at(k, s.out);
              CHECK(std::abs(complex(y[to], y[to + 1]) - want[static_cast<std::size_t>(k)]) <
                    1e-6 * std::sqrt(static_cast<double>(n)) + 1e-6);
            }
          }
        }
}

TEST_CASE("dft_axis: one-sided there and back", "[signal]") {
  for (Index n : {7, 8}) {
    struct {
      Index rank, dims[2], out[2], capacity;
      bool inverse, onesided;
    } there{2, {n, 1}, {n / 2 + 1, 2}, 64, false, true},
        back{2, {n / 2 + 1, 2}, {n, 1}, 64, true, true};
    const std::vector<float> x = noise(static_cast<std::size_t>(n));
    float spectrum[10], again[8], work[64];
    const std::int64_t length = n, axis = 0, wrong = 1, outside = 2;
    const std::int64_t* const none = nullptr;
    CHECK(dft_axis(there, x.data(), none, none, spectrum, work) == Status::ok);
    CHECK(dft_axis(back, spectrum, &length, &axis, again, work) == Status::ok);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::abs(again[i] - x[i]) < 1e-6f);
    CHECK(dft_axis(there, x.data(), none, &wrong, spectrum, work) == Status::bad_index);
    CHECK(dft_axis(there, x.data(), none, &outside, spectrum, work) == Status::bad_index);
    const std::int64_t empty = 0, longer = 12;
    CHECK(dft_axis(there, x.data(), &empty, none, spectrum, work) == Status::bad_value);
    CHECK(dft_axis(there, x.data(), &longer, none, spectrum, work) == Status::bad_shape);
    there.capacity = 8;
    CHECK(dft_axis(there, x.data(), none, none, spectrum, work) == Status::bad_shape);
  }
}

TEST_CASE("stft", "[signal]") {
  struct {
    Index batch, samples, parts, window, frames, bins, longest;
    bool onesided;
  } s{2, 20, 1, 6, 3, 4, 8, true};
  const std::vector<float> x = noise(40), window = noise(6);
  const std::int64_t step = 7, still = 0;
  const std::int64_t* const none = nullptr;
  float y[48], work[48];
  CHECK(stft(s, x.data(), &step, window.data(), none, y, work) == Status::ok);
  for (std::size_t row = 0; row < 6; ++row) {
    std::vector<Complex> frame;
    for (std::size_t k = 0; k < 6; ++k)
      frame.emplace_back(static_cast<double>(x[row / 3 * 20 + row % 3 * 7 + k]) *
                         static_cast<double>(window[k]));
    const std::vector<Complex> want = reference(frame, -1);
    for (std::size_t k = 0; k < 4; ++k)
      CHECK(std::abs(complex(y[(row * 4 + k) * 2], y[(row * 4 + k) * 2 + 1]) - want[k]) < 1e-6);
  }
  struct {
    Index batch, samples, parts, frames, bins, hop, length, roots, used;
  } const fixed{2, 20, 1, 3, 4, 7, 6, 6, 6};
  float table[12], again[48];
  fft_roots(Index{6}, Index{6}, table);
  stft_by_table(fixed, x.data(), window.data(), table, again, work);
  CHECK(std::equal(again, again + 48, y));
  CHECK(stft(s, x.data(), &still, window.data(), none, y, work) == Status::bad_value);
  s.frames = 4;
  CHECK(stft(s, x.data(), &step, window.data(), none, y, work) == Status::bad_shape);
}
