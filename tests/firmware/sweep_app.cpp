// sweep_app.cpp - runs the sweep and compares every output with the host's: integers have to be
// equal, floats to be near.
#include "startup.hpp"
#include "sweep.hpp"
#include "sweep_wanted.h"

namespace {

// The reference of a relative error: the element, or the largest element of sums.
enum Rule { kEach, kLargest };
constexpr float kTolerance = 2e-6f;
// Vectors of a Cortex-M55 take denormals for zero.
constexpr float kLeastNormal = 1.17549435e-38f;

float magnitude(float x) { return x < 0 ? -x : x; }
bool is_finite(float x) { return x - x == 0; }
bool is_nan(float x) { return x != x; }

float number(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

bool near(float got, float want, float scale) {
  if (!is_finite(want)) return is_nan(want) ? is_nan(got) : got == want;
  return magnitude(got - want) <= kTolerance * scale + kLeastNormal;
}

template <std::size_t N>
bool same(const float (&got)[N], const std::uint32_t (&wanted)[N], Rule rule) {
  float largest = 0;
  for (std::uint32_t bits : wanted) {
    const float want = magnitude(number(bits));
    if (is_finite(want) && want > largest) largest = want;
  }
  for (std::size_t i = 0; i < N; ++i) {
    const float want = number(wanted[i]);
    if (!near(got[i], want, rule == kEach ? magnitude(want) : largest)) return false;
  }
  return true;
}

template <class T, std::size_t N>
bool same(const T (&got)[N], const std::int64_t (&wanted)[N], Rule) {
  for (std::size_t i = 0; i < N; ++i)
    if (got[i] != wanted[i]) return false;
  return true;
}

int failures = 0;

void report(const char* name, bool equal) {
  if (equal) return;
  ++failures;
  print(name);
  print(" differs from the host's\n");
}

}  // namespace

extern "C" int app_main() {
  if (!sweep::run()) {
    print("the model reports an error\n");
    return 1;
  }
#define SWEEP_OUTPUT(name, type, count, rule) report(#name, same(sweep::name, wanted_##name, rule));
  SWEEP_OUTPUTS(SWEEP_OUTPUT)
  return failures;
}
