// measure.hpp - what the parts of the measurement share: reference functions, errors, inputs.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/accuracy/forms.hpp"

namespace accuracy {

constexpr std::size_t kChunk = 8192, kMaxTargets = 3;
constexpr double kLimit = 0x1p128;
constexpr double kWrong = 1e30;  // the error of a NaN for a number, or of a number for NaN

struct Reference {
  const char* name;
  void (*block)(const float* x, double* y, std::size_t count);
  long double (*wide)(long double x);
  double bound;
  double wide_bound;
};

// In the order of functions.inc, which is that of the functions of a Forms.
const std::vector<Reference>& references();

template <class To, class From>
To bit_copy(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// |got - want| in the unit of the last place that a float of want's exponent has, as the bits of a
// double, which compare like it. Infinity counts as 2^128. No branches: compilers turn loops over
// it into vector code.
[[gnu::always_inline]] inline std::uint64_t error_bits(float got, double want) {
  constexpr std::uint64_t kMagnitude = ~(std::uint64_t{1} << 63), kNan = std::uint64_t{0x7ff} << 52;
  const double g = static_cast<double>(got);
  const bool got_nan = (bit_copy<std::uint64_t>(g) & kMagnitude) > kNan;
  const bool want_nan = (bit_copy<std::uint64_t>(want) & kMagnitude) > kNan;
  const double bounded = std::fabs(g) > kLimit ? std::copysign(kLimit, g) : g;
  const double w = std::fabs(want) > kLimit ? std::copysign(kLimit, want) : want;
  std::uint64_t exponent = (bit_copy<std::uint64_t>(w) & kMagnitude) >> 52;
  exponent = exponent < 1023 - 126 ? 1023 - 126 : exponent > 1023 + 127 ? 1023 + 127 : exponent;
  const double error = std::fabs(bounded - w) * bit_copy<double>((2 * 1023 + 23 - exponent) << 52);
  const std::uint64_t wrong = bit_copy<std::uint64_t>(kWrong);
  return got_nan || want_nan ? (got_nan && want_nan ? 0 : wrong) : bit_copy<std::uint64_t>(error);
}

struct Worst {
  double error = 0;
  float at = 0;
  std::uint64_t wrong = 0;       // NaN for a number, a number for NaN
  std::uint64_t wrong_zero = 0;  // zeros of the other sign
};

void merge(Worst& a, const Worst& b);
void measure(const float* x, const float* got, const double* want, std::size_t count, Worst& worst);

inline bool same_bits(float a, float b) {
  return bit_copy<std::uint32_t>(a) == bit_copy<std::uint32_t>(b) || (a != a && b != b);
}

// Words with no pattern, the same in every run.
struct Sequence {
  std::uint64_t state = 1;
  std::uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state ^ (state >> 29)) * 0xbf58476d1ce4e5b9u >> 11 << 11 | state >> 53;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

// Which patterns are visited: every stride-th, and with `dense` also every one from 1/64 to 128,
// where functions bend.
struct Visit {
  std::uint64_t stride = 4099;
  bool dense = false;

  static constexpr std::uint64_t kFirst = 121u << 23, kEnd = 134u << 23;
  std::uint64_t dense_count() const { return dense ? 2 * (kEnd - kFirst) : 0; }
  std::uint64_t count() const {
    return dense_count() + ((std::uint64_t{1} << 32) + stride - 1) / stride;
  }
  std::uint32_t pattern(std::uint64_t i) const {
    if (i >= dense_count()) return static_cast<std::uint32_t>((i - dense_count()) * stride);
    return static_cast<std::uint32_t>(kFirst + i / 2 + (i % 2 << 31));
  }
};

// An error as the page prints it.
std::string number(double error);

// Each prints its rows; false if an error is above its bound. `names`: only these functions.
bool measure_unary(const std::vector<Forms>& forms, const Visit& visit,
                   const std::vector<std::string>& names);
bool measure_pow(const std::vector<Forms>& forms, std::uint64_t samples);
bool measure_wide(const std::vector<Forms>& forms, std::uint64_t samples);
bool measure_narrow(const Forms& forms);

struct Options {
  Visit visit;
  std::uint64_t samples = 100000;
  bool page = false;
  std::string check, measured;
  std::vector<std::string> names;
};

bool print_page(const std::vector<Forms>& forms, const Options& options);
// Every function has rows with its bounds, and no measured error in the page is above them.
bool check_page(const std::string& path);

}  // namespace accuracy
