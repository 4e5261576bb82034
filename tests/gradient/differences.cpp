// Compares the derivatives that generated code computes with differences of what it computes
// forwards: one element of every row of the model at a time, central differences and the five-point
// formula, of which the better one counts. Prints name, error of the first and second derivative,
// relative to the largest element, and a verdict. For homogeneous functions of degree k the sum of
// the inputs times their derivatives is k times the result, by Euler's theorem: checked to
// rounding.
//
// With an argument it prints the derivatives instead, to be compared with those of another ELEMENT.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#ifndef ELEMENT
#define ELEMENT double
#endif

namespace {

using Element = ELEMENT;

struct Range {
  std::size_t size;
  double low, high;
  std::vector<double> avoid;
  bool wanted;  // a derivative by it is computed
};

struct Row {
  const char* name;
  std::size_t first;  // place of its inputs among all
  bool twice;         // second derivatives as well
  double tolerance;   // of the first; the second has ten times this
  int degree;         // of homogeneous functions; 0: not homogeneous
  std::vector<Range> inputs;

  std::size_t size() const {
    std::size_t n = 0;
    for (const Range& r : inputs) n += r.size;
    return n;
  }
};

#include "rows.hpp"

constexpr std::uint32_t kSeed = 7;
constexpr double kClear = 0.02;  // kept from kinks

double moved_off(double v, const std::vector<double>& avoid) {
  for (double a : avoid)
    if (std::fabs(v - a) < kClear) return v < a ? a - kClear : a + kClear;
  return v;
}

// Values in even steps and random order, so that no two are equal.
std::vector<double> draw() {
  std::mt19937 random(kSeed);
  std::vector<double> all;
  for (const Row& row : kRows) {
    double shift = 0.5;
    for (const Range& r : row.inputs) {
      std::vector<double> v(r.size);
      for (std::size_t i = 0; i < r.size; ++i)
        v[i] = r.low +
               (r.high - r.low) * (static_cast<double>(i) + shift) / static_cast<double>(r.size);
      for (std::size_t i = r.size; i > 1; --i) std::swap(v[i - 1], v[random() % i]);
      for (double x : v) all.push_back(moved_off(x, r.avoid));
      shift = 0.23 + 0.4 * (shift - 0.23) + 0.11;
    }
  }
  return all;
}

struct Results {
  std::vector<Element> first, second, sums;
};

class Model {
 public:
  Model() : memory_(RULES_ARENA_BYTES + RULES_ARENA_ALIGN) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
    arena_ = memory_.data() + (RULES_ARENA_ALIGN - at % RULES_ARENA_ALIGN) % RULES_ARENA_ALIGN;
  }

  Results operator()(const std::vector<double>& x) {
    const std::vector<Element> given(x.begin(), x.end());
    Results r;
    // Room for the capacity of dynamic outputs.
    r.first.resize(kElements + 4096);
    r.second.resize(kElements + 4096);
    r.sums.resize(2 * kRows.size());
    if (evaluate(given.data(), r.first.data(), r.second.data(), r.sums.data(), arena_)) return r;
    std::puts("the generated function reports an error");
    std::exit(2);
  }

 private:
  std::vector<unsigned char> memory_;
  unsigned char* arena_;
};

// The sums of all rows when element k of each is moved by h.
std::vector<Element> moved(Model& model, std::vector<double> x, std::size_t k, double h) {
  for (const Row& row : kRows)
    if (k < row.size()) x[row.first + k] += h;
  return model(x).sums;
}

struct Differences {
  std::vector<double> central, five_points;  // by row: L and q
};

Differences differences(Model& model, const std::vector<double>& x, std::size_t k) {
  constexpr double kSmall = 1e-4, kLarge = 1e-3;
  const auto a = moved(model, x, k, -kSmall), b = moved(model, x, k, kSmall);
  const auto c = moved(model, x, k, -2 * kLarge), d = moved(model, x, k, -kLarge);
  const auto e = moved(model, x, k, kLarge), f = moved(model, x, k, 2 * kLarge);
  Differences out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    out.central.push_back((b[i] - a[i]) / (2 * kSmall));
    out.five_points.push_back((c[i] - 8 * d[i] + 8 * e[i] - f[i]) / (12 * kLarge));
  }
  return out;
}

// The largest error so far, and the largest derivative.
struct Error {
  double central = 0, five_points = 0, scale = 1e-2;

  void add(double derivative, double by_central, double by_five_points) {
    scale = std::fmax(scale, std::fabs(derivative));
    central = worse(central, derivative - by_central);
    five_points = worse(five_points, derivative - by_five_points);
  }
  // NaN must not pass.
  static double worse(double known, double error) {
    return std::isfinite(error) ? std::fmax(known, std::fabs(error)) : HUGE_VAL;
  }
  double relative() const { return std::fmin(central, five_points) / scale; }
};

bool is_wanted(const Row& row, std::size_t k) {
  for (const Range& r : row.inputs) {
    if (k < r.size) return r.wanted;
    k -= r.size;
  }
  return false;
}

// Whether the sum of x[i] dL/dx[i] is what Euler's theorem says.
bool is_homogeneous(const Row& row, const std::vector<double>& x, const Results& base,
                    Element sum) {
  if (row.degree == 0) return true;
  double total = 0, size = 0;
  for (std::size_t i = row.first; i < row.first + row.size(); ++i) {
    total += x[i] * base.first[i];
    size += std::fabs(x[i] * base.first[i]);
  }
  return std::fabs(total - row.degree * sum) <= 1e-13 * size;
}

void print(const Results& base) {
  for (const Row& row : kRows) {
    std::printf("%s", row.name);
    for (std::size_t i = row.first; i < row.first + row.size(); ++i)
      std::printf("\t%.17g", static_cast<double>(base.first[i]));
    std::printf("\n");
  }
}

}  // namespace

int main(int count, char**) {
  Model model;
  const std::vector<double> x = draw();
  const Results base = model(x);
  if (count > 1) return print(base), 0;
  std::vector<Error> first(kRows.size()), second(kRows.size());
  std::size_t most = 0;
  for (const Row& row : kRows) most = std::max(most, row.size());
  for (std::size_t k = 0; k < most; ++k) {
    const Differences d = differences(model, x, k);
    for (std::size_t r = 0; r < kRows.size(); ++r) {
      const std::size_t at = kRows[r].first + k, sum = 2 * r;
      if (!is_wanted(kRows[r], k)) continue;
      first[r].add(base.first[at], d.central[sum], d.five_points[sum]);
      if (kRows[r].twice)
        second[r].add(base.second[at], d.central[sum + 1], d.five_points[sum + 1]);
    }
  }
  int failed = 0;
  for (std::size_t r = 0; r < kRows.size(); ++r) {
    const Row& row = kRows[r];
    const bool good =
        first[r].relative() <= row.tolerance && second[r].relative() <= 10 * row.tolerance;
    failed += !good;
    std::printf("%s\t%.1e\t", row.name, first[r].relative());
    if (row.twice) std::printf("%.1e", second[r].relative());
    std::printf("\t%s\n", good ? "pass" : "FAIL");
  }
  return failed == 0 ? 0 : 1;
}
