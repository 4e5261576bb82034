// complex.cpp - complex numbers, and casts of bits between narrow types.
#include "runtime_min/complex.hpp"

#include <catch2/catch.hpp>
#include <complex>
#include <cstring>
#include <vector>

#include "templates/image/resize_axis.hpp"
#include "templates/movement/bit_cast.hpp"
#include "templates/reduction/unique.hpp"

using namespace onnxc;

TEST_CASE("complex numbers: arithmetic, order, layout", "[complex]") {
  const complex64 a{1, 2}, b{-3, 0.5f}, c{1, 3};
  const std::complex<float> x(1, 2), y(-3, 0.5f);
  const std::complex<float> sum = x + y, product = x * y;
  CHECK((a + b) == complex64{sum.real(), sum.imag()});
  CHECK((a * b) == complex64{product.real(), product.imag()});
  CHECK((2.0f * a) == complex64{2, 4});
  CHECK((b < a && a < c && !(c < a) && !(a < a)));
  CHECK((a != c && a == a));
  complex64 copy;
  static_assert(sizeof copy == sizeof x, "a caller may pass std::complex");
  std::memcpy(&copy, &x, sizeof copy);
  CHECK(copy == a);
}

TEST_CASE("complex numbers: sorting and interpolation", "[complex]") {
  struct {
    Index outer, extent, inner, found;
    bool sorted;
    Index reports;
  } const u{1, 4, 1, 3, true, 1};
  const complex128 x[] = {{1, 1}, {0, 5}, {1, -1}, {1, 1}};
  complex128 y[3];
  std::int64_t work[12];
  Index found = 0;
  unique_groups(u, x, work, &found);
  REQUIRE(found == 3);
  unique<decltype(u), complex128>(u, x, y, nullptr, nullptr, nullptr, work);
  CHECK((y[0] == x[1] && y[1] == x[2] && y[2] == x[0]));

  struct {
    Index outer, in, out, inner, max_taps;
    float extrapolation;
  } const r{1, 2, 2, 1, 2, 7};
  const complex64 line[] = {{1, 2}, {3, -2}};
  const std::int64_t taps[] = {0, 1, -1, 0};
  const float weights[] = {0.25f, 0.75f, 0, 0};
  complex64 z[2];
  resize_axis(r, line, taps, weights, z);
  CHECK(z[0] == complex64{2.5f, -1});
  CHECK(z[1] == complex64{7, 0});
}

TEST_CASE("bit_cast between narrow types", "[complex]") {
  struct {
    Index count;
  } const s{16};
  int4 numbers[16], back[16];
  uint4 codes[16];
  float4e2m1 floats[16];
  for (int i = 0; i < 16; ++i) numbers[i] = int4(i);
  bit_cast(s, numbers, codes);
  bit_cast(s, codes, floats);
  bit_cast(s, floats, back);
  for (int i = 0; i < 16; ++i) {
    CHECK(codes[i].value == i);
    CHECK(floats[i].bits == i);
    CHECK(back[i].value == numbers[i].value);
  }
  CHECK(numbers[15].value == -1);
}
