// minifloat.cpp - 8-bit and 4-bit floats against the definition of their bits.
#include "runtime_min/minifloat.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime_min/int_small.hpp"

using namespace onnxc;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// Every finite code, the middle between neighbours, and what is next to the middle.
template <class F>
void check_rounding(unsigned largest) {
  for (unsigned code = 0; code < largest; ++code) {
    const float low = F::from_bits(static_cast<std::uint8_t>(code));
    const float high = F::from_bits(static_cast<std::uint8_t>(code + 1));
    CAPTURE(code, low, high);
    REQUIRE(low < high);
    REQUIRE(F(low).bits == code);
    const float middle = (low + high) / 2;
    REQUIRE(F(middle).bits == ((code & 1u) != 0 ? code + 1 : code));
    REQUIRE(F(std::nextafter(middle, 0.0f)).bits == code);
    REQUIRE(F(std::nextafter(middle, 1e30f)).bits == code + 1);
    REQUIRE(F(std::nextafter(static_cast<double>(middle), 1e30)).bits == code + 1);
    if (code > 0) REQUIRE(F(-low).bits == (F::kSign | code));
  }
  REQUIRE(F(1e30f).bits == largest);
  REQUIRE(F(-kInf).bits == (F::kSign | largest));
}

template <class F>
float value(unsigned bits) {
  return F::from_bits(static_cast<std::uint8_t>(bits));
}

}  // namespace

TEST_CASE("minifloats round to nearest even and saturate", "[minifloat]") {
  check_rounding<float8e4m3fn>(0x7e);
  check_rounding<float8e4m3fnuz>(0x7f);
  check_rounding<float8e5m2>(0x7b);
  check_rounding<float8e5m2fnuz>(0x7f);
  check_rounding<float4e2m1>(7);
}

TEST_CASE("minifloats have the values of their formats", "[minifloat]") {
  CHECK(value<float8e4m3fn>(0x7e) == 448.0f);
  CHECK(value<float8e4m3fn>(1) == std::ldexp(1.0f, -9));
  CHECK(value<float8e4m3fnuz>(0x7f) == 240.0f);
  CHECK(value<float8e4m3fnuz>(1) == std::ldexp(1.0f, -10));
  CHECK(value<float8e5m2>(0x7b) == 57344.0f);
  CHECK(value<float8e5m2>(1) == std::ldexp(1.0f, -16));
  CHECK(value<float8e5m2>(0xfc) == -kInf);
  CHECK(std::isnan(value<float8e5m2>(0x7d)));
  CHECK(value<float8e5m2fnuz>(0x7f) == 57344.0f);
  CHECK(value<float8e5m2fnuz>(1) == std::ldexp(1.0f, -17));
  const float four_bit[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(value<float4e2m1>(i) == four_bit[i]);
    CHECK(value<float4e2m1>(i + 8) == -four_bit[i]);
  }
}

TEST_CASE("minifloats without saturation", "[minifloat]") {
  CHECK(float8e4m3fn::from(1e6f, false).bits == 0x7f);
  CHECK(float8e4m3fn::from(464.0f, false).bits == 0x7e);
  CHECK(float8e4m3fn::from(-kInf, false).bits == 0xff);
  CHECK(float8e4m3fnuz::from(1e6f, false).bits == 0x80);
  CHECK(float8e5m2::from(1e6f, false).bits == 0x7c);
  CHECK(float8e5m2::from(-kInf, false).bits == 0xfc);
  CHECK(float8e5m2fnuz::from(-1e6f, false).bits == 0x80);
  CHECK(float8e4m3fnuz(-0.0f).bits == 0);
  CHECK(float8e4m3fn(-0.0f).bits == 0x80);
  CHECK(float8e4m3fnuz(std::nanf("")).bits == 0x80);
}

TEST_CASE("float8e8m0 holds powers of two", "[minifloat]") {
  for (unsigned code = 0; code < 255; ++code) {
    const float x = value<float8e8m0>(code);
    REQUIRE(x == std::ldexp(1.0f, static_cast<int>(code) - 127));
    REQUIRE(float8e8m0(x).bits == code);
    REQUIRE(float8e8m0::from(x, false, Rounding::nearest).bits == code);
    if (code == 254) continue;
    REQUIRE(float8e8m0(x * 1.25f).bits == code + 1);
    REQUIRE(float8e8m0::from(x * 1.75f, true, Rounding::down).bits == code);
    REQUIRE(float8e8m0::from(x * 1.25f, true, Rounding::nearest).bits == code);
    REQUIRE(float8e8m0::from(x * 1.5f, true, Rounding::nearest).bits == code + 1);
  }
  CHECK(float8e8m0(0.0f).bits == 0);
  CHECK(float8e8m0::from(0.0f, false, Rounding::nearest).bits == 0xff);
  CHECK(float8e8m0(kInf).bits == 0xfe);
  CHECK(float8e8m0::from(kInf, false, Rounding::nearest).bits == 0xff);
  CHECK(float8e8m0(3.4e38f).bits == 0xfe);
  CHECK(float8e8m0(std::nanf("")).bits == 0xff);
}

TEST_CASE("small integers keep the lowest bits", "[int_small]") {
  for (int i = -300; i < 300; ++i) {
    const int low4 = ((i % 16) + 16) % 16, low2 = ((i % 4) + 4) % 4;
    REQUIRE(static_cast<int>(uint4(i)) == low4);
    REQUIRE(static_cast<int>(int4(i)) == (low4 < 8 ? low4 : low4 - 16));
    REQUIRE(static_cast<int>(uint2(i)) == low2);
    REQUIRE(static_cast<int>(int2(static_cast<std::int64_t>(i))) == (low2 < 2 ? low2 : low2 - 4));
  }
}
