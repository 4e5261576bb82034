// library.cpp - the functions that generated code takes where compilers come without a C++ library,
// in the namespace `tested`, as a core has them whose doubles have 32 bits.
#include <math.h>
#include <stdint.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#undef __SIZEOF_DOUBLE__
#define __SIZEOF_DOUBLE__ 4
#include "library.hpp"

namespace {

int failed = 0;

void check(bool right, const char* name, double x) {
  if (right) return;
  ++failed;
  std::printf("FAIL: %s of %g\n", name, x);
}

// Within some units in the last place.
void check_near(float got, double want, const char* name, float x) {
  const float nearest = static_cast<float>(want);
  const float spacing = std::fabs(std::nextafter(nearest, INFINITY) - nearest);
  const bool same =
      std::isnan(want) ? std::isnan(got) : got == nearest || std::fabs(got - want) <= 8 * spacing;
  check(same && (std::isnan(want) || std::signbit(got) == std::signbit(nearest)), name, x);
}

void check_functions(float x) {
  check_near(tested::nearbyint(x), std::nearbyint(x), "nearbyint", x);
  check_near(tested::log1p(x), std::log1p(double{x}), "log1p", x);
  check_near(tested::asinh(x), std::asinh(double{x}), "asinh", x);
  check_near(tested::acosh(x), std::acosh(double{x}), "acosh", x);
  check_near(tested::atanh(x), std::atanh(double{x}), "atanh", x);
  check(std::isnan(x) || tested::abs(x) == std::fabs(x), "abs", x);
  check(tested::signbit(x) == std::signbit(x), "signbit", x);
}

void check_sorted(int count) {
  std::vector<int> x, y;
  for (int i = 0; i < count; ++i) x.push_back(i * 7919 % 31);
  y = x;
  std::sort(x.begin(), x.end());
  tested::sort(y.data(), y.data() + count);
  check(x == y, "sort", count);
  for (int v = -1; v < 32; ++v)
    check(tested::lower_bound(x.data(), x.data() + count, v) - x.data() ==
              std::lower_bound(x.begin(), x.end(), v) - x.begin(),
          "lower_bound", v);
  std::vector<int> copy(x.size());
  tested::copy(x.begin(), x.end(), copy.begin());
  check(tested::equal(x.begin(), x.end(), copy.begin()), "copy", count);
  if (count == 0) return;
  copy.back() += 1;
  check(!tested::equal(x.begin(), x.end(), copy.begin()), "equal", count);
  tested::fill(copy.begin(), copy.end(), 5);
  check(std::count(copy.begin(), copy.end(), 5) == count, "fill", count);
}

}  // namespace

int main() {
  const float infinity = INFINITY;
  for (const float x : {0.0f, 1.0f, infinity, NAN, 1e-40f, 8388607.5f, 8388609.0f, 3e38f}) {
    check_functions(x);
    check_functions(-x);
  }
  for (float x = 1e-12f; x < 1e30f; x *= 1.07f) {
    check_functions(x);
    check_functions(-x);
  }
  for (float x = -4.0f; x <= 4.0f; x += 0.125f) check_functions(x);
  for (const int count : {0, 1, 2, 3, 10, 100}) check_sorted(count);
  return failed > 0;
}
