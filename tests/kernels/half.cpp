// half.cpp - float16 and bfloat16 against the definition of their bits.
#include "runtime_min/half.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime_min/simd_f16.hpp"

using namespace onnxc;

namespace {

// The definition of binary16, in double.
double half_by_definition(unsigned bits) {
  const int exponent = static_cast<int>((bits >> 10) & 31u);
  const double mantissa = static_cast<double>(bits & 1023u);
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024.0 + mantissa, exponent - 25);
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

// Nearest, ties to even, by search over the neighbours of a code.
template <class H>
bool is_nearest_even(H h, double x) {
  const auto at = [](unsigned bits) {
    return static_cast<double>(static_cast<float>(H::from_bits(static_cast<std::uint16_t>(bits))));
  };
  const double here = std::fabs(at(h.bits) - x);
  for (int step : {-1, 1}) {
    const unsigned next = static_cast<unsigned>(static_cast<int>(h.bits) + step) & 0xffffu;
    if ((next & 0x8000u) != (h.bits & 0x8000u)) continue;
    const double there = std::fabs(at(next) - x);
    if (there < here || (there == here && (h.bits & 1u) != 0)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("every float16 has the value of its definition and survives the conversion back",
          "[half]") {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const float16 h = float16::from_bits(static_cast<std::uint16_t>(bits));
    const float x = h;
    if ((bits & 0x7fffu) > 0x7c00u) {
      REQUIRE(std::isnan(x));
      REQUIRE(std::isnan(static_cast<float>(float16(x))));
      continue;
    }
    if ((bits & 0x7fffu) == 0x7c00u)
      REQUIRE(std::isinf(x));
    else
      REQUIRE(static_cast<double>(x) == half_by_definition(bits));
    REQUIRE(float16(x).bits == bits);
  }
}

TEST_CASE("float16 rounds to nearest even between all neighbours", "[half]") {
  for (unsigned bits = 0; bits < 0x7bffu; ++bits) {
    const double low = half_by_definition(bits), high = half_by_definition(bits + 1);
    const double middle = (low + high) / 2;
    const unsigned even = (bits & 1u) != 0 ? bits + 1 : bits;
    REQUIRE(float16(static_cast<float>(middle)).bits == even);
    REQUIRE(float16(std::nextafter(static_cast<float>(middle), 0.0f)).bits == bits);
    REQUIRE(float16(std::nextafter(static_cast<float>(middle), 1e9f)).bits == bits + 1);
    // A double just off the tie would be a tie again in float.
    REQUIRE(float16(std::nextafter(middle, 0.0)).bits == bits);
    REQUIRE(float16(std::nextafter(-middle, -1e9)).bits == (0x8000u | (bits + 1)));
  }
  REQUIRE(float16(65519.0f).bits == 0x7bff);
  REQUIRE(float16(65520.0f).bits == 0x7c00);
  REQUIRE(float16(1e300).bits == 0x7c00);
  REQUIRE(float16(-70000).bits == 0xfc00);
}

TEST_CASE("bfloat16 rounds to nearest even", "[half]") {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const bfloat16 h = bfloat16::from_bits(static_cast<std::uint16_t>(bits));
    const float x = h;
    if (std::isnan(x))
      REQUIRE(std::isnan(static_cast<float>(bfloat16(x))));
    else
      REQUIRE(bfloat16(x).bits == bits);
  }
  std::uint32_t state = 1;
  for (int i = 0; i < 1000000; ++i) {
    state = state * 1664525u + 1013904223u;
    const float x = half_detail::float_of(state);
    const bfloat16 h(x);
    if (!std::isfinite(x) || std::isinf(static_cast<float>(h)) || (h.bits & 0x7fffu) == 0x7f7fu)
      continue;
    REQUIRE(is_nearest_even(h, static_cast<double>(x)));
  }
  REQUIRE(bfloat16(3.4e38f).bits == 0x7f80);
  REQUIRE(bfloat16(1.00390625).bits == 0x3f80);
  REQUIRE(bfloat16(1.00390625000001).bits == 0x3f81);
}

namespace {

// Vectors of V hold what one number after the other gives; `bits` of all values, NaN and denormals
// too.
template <class V, class H>
void check_load(const std::vector<H>& all) {
  constexpr int n = lanes<V>;
  for (std::size_t i = 0; i + static_cast<std::size_t>(n) <= all.size();
       i += static_cast<std::size_t>(n)) {
    float got[static_cast<std::size_t>(n)];
    store(got, load<V>(all.data() + i));
    for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
      const float want = all[i + j];
      if (std::isnan(want))
        REQUIRE(std::isnan(got[j]));
      else
        REQUIRE(half_detail::bits_of(got[j]) == half_detail::bits_of(want));
    }
  }
}

template <class H>
void check_loads() {
  std::vector<H> all;
  for (unsigned bits = 0; bits < 0x10000u; ++bits)
    all.push_back(H::from_bits(static_cast<std::uint16_t>(bits)));
  check_load<float>(all);
  check_load<vfloat>(all);
  if constexpr (kLanes >= 8) check_load<vec<kLanes / 2>>(all);
  if constexpr (kLanes >= 16) check_load<vec<kLanes / 4>>(all);
}

}  // namespace

TEST_CASE("halves widen to vectors of floats", "[half]") {
  check_loads<float16>();
  check_loads<bfloat16>();
}

TEST_CASE("halves widen without instructions of their own", "[half]") {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const float want = float16::from_bits(static_cast<std::uint16_t>(bits));
    const bits_t<vfloat> lanes_of_it = bits_t<vfloat>{} + bits;
    float got[static_cast<std::size_t>(kLanes)];
    store(got, half_float_detail::half_values<vfloat>(lanes_of_it));
    if (std::isnan(want))
      REQUIRE(std::isnan(got[0]));
    else
      REQUIRE(half_detail::bits_of(got[0]) == half_detail::bits_of(want));
  }
}
