// cast_text.cpp - decimal text of numbers, written and read, against strtod and exact cases.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "templates/text/cast_text.hpp"

namespace onnxc {
namespace {

Text as_text(const std::string& s) { return {s.data(), static_cast<std::int64_t>(s.size())}; }

template <class T>
std::string written(T x) {
  char room[kLongestNumber];
  return {room, static_cast<std::size_t>(write_number(room, x) - room)};
}

template <class T>
T read(const std::string& s) {
  T x{};
  REQUIRE(read_number(as_text(s), x));
  return x;
}

template <class T>
bool reads(const std::string& s) {
  T x{};
  return read_number(as_text(s), x);
}

template <class T, class Bits>
T from_bits(Bits bits) {
  T x;
  static_assert(sizeof x == sizeof bits, "the same width");
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace

TEST_CASE("numbers are written in their shortest form", "[cast_text]") {
  CHECK(written(0.0f) == "0.0");
  CHECK(written(-0.0f) == "-0.0");
  CHECK(written(1.0f) == "1.0");
  CHECK(written(0.1f) == "0.1");
  CHECK(written(0.039187793f) == "0.039187793");
  CHECK(written(100.0f) == "100.0");
  CHECK(written(123.5) == "123.5");
  CHECK(written(1e15) == "1000000000000000.0");
  CHECK(written(1e16) == "1e+16");
  CHECK(written(1e-4f) == "0.0001");
  CHECK(written(1e-5f) == "1e-05");
  CHECK(written(9007199254740993.0) == "9007199254740992.0");
  CHECK(written(5e-324) == "5e-324");
  CHECK(written(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(written(-2.2250738585072014e-308) == "-2.2250738585072014e-308");
  CHECK(written(3.4028235e38f) == "3.4028235e+38");
  CHECK(written(1e-45f) == "1e-45");
  CHECK(written(8388608.0f) == "8388608.0");
  CHECK(written(9.0e15f) == "9000000000000000.0");
  CHECK(written(kInfinity) == "INF");
  CHECK(written(-kInfinity) == "-INF");
  CHECK(written(kNaN) == "NaN");
  CHECK(written(float16(0.1f)) == "0.1");
  CHECK(written(float16(65504.0f)) == "65500.0");
  CHECK(written(bfloat16(3.140625f)) == "3.14");
  CHECK(written(float8e4m3fn(448.0f)) == "450.0");
  CHECK(written(true) == "True");
  CHECK(written(false) == "False");
  CHECK(written(std::int8_t{-128}) == "-128");
  CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(written(int4(-8)) == "-8");
}

TEST_CASE("every number reads back as itself, and strtod agrees", "[cast_text]") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto bits = random();
    const auto f = from_bits<float>(static_cast<std::uint32_t>(bits));
    if (f == f) {
      const std::string s = written(f);
      CHECK(s.size() <= static_cast<std::size_t>(kLongestNumber));
      if (f - f == 0.0f) {
        CHECK(std::strtof(s.c_str(), nullptr) == f);
        char exact[64];
        std::snprintf(exact, sizeof exact, "%.9g", static_cast<double>(f));
        CHECK(read<float>(exact) == f);
      }
      CHECK(read<float>(s) == f);
    }
    const auto d = from_bits<double>(bits);
    if (d - d == 0.0) {
      const std::string s = written(d);
      CHECK(s.size() <= static_cast<std::size_t>(kLongestNumber));
      CHECK(std::strtod(s.c_str(), nullptr) == d);
      CHECK(read<double>(s) == d);
      char rounded[64];
      std::snprintf(rounded, sizeof rounded, "%.11e", d);
      CHECK(read<double>(rounded) == std::strtod(rounded, nullptr));
      CHECK(read<float>(rounded) == std::strtof(rounded, nullptr));
    }
  }
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto h = from_bits<float16>(static_cast<std::uint16_t>(bits));
    const float x = h;
    if (x == x) CHECK(static_cast<float>(read<float16>(written(h))) == x);
    const auto b = from_bits<bfloat16>(static_cast<std::uint16_t>(bits));
    const float y = b;
    if (y == y) CHECK(static_cast<float>(read<bfloat16>(written(b))) == y);
  }
}

TEST_CASE("halves and borders are rounded as the standard of floats says", "[cast_text]") {
  for (const char* s :
       {"9007199254740993", "9007199254740992.99999999", "9007199254740993.00000000000000000001",
        "2.4703282292062327208e-324", "2.4703282292062328e-324", "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273"
        "854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704"
        "342711559699508093042880",
        "0.00000000000000000000000000000000000000000000000000000000000000001e70", "1e-400", "1e400",
        "123456789012345678901234567890", ".5", "5.", "+7e+2", "16777217", "33554435e0"}) {
    CAPTURE(s);
    CHECK(read<double>(s) == std::strtod(s, nullptr));
    CHECK(read<float>(s) == std::strtof(s, nullptr));
  }
  // More digits than any buffer: half an ulp above 1, and a little more.
  const std::string half = "1.00000005960464477539062500000" + std::string(3000, '0');
  CHECK(read<float>(half) == 1.0f);
  CHECK(read<float>(half + "1") > 1.0f);
  CHECK(read<double>("1e-999999999999999999999") == 0.0);
  CHECK(read<double>("-1e999999999999999999999") == -std::numeric_limits<double>::infinity());
}

TEST_CASE("texts become numbers or are refused", "[cast_text]") {
  CHECK(read<float>("+INF") == kInfinity);
  CHECK(read<float>("-inf") == -kInfinity);
  CHECK(read<float>("nAn") != read<float>("nan"));
  CHECK(read<float>(" 1E8 ") == 1e8f);
  CHECK(read<std::int32_t>("100.5") == 100);
  CHECK(read<std::int32_t>("-1.25e2") == -125);
  CHECK(read<std::int32_t>("1e3") == 1000);
  CHECK(read<std::int32_t>("-0.9") == 0);
  CHECK(read<std::uint8_t>("255") == 255);
  CHECK(read<std::int64_t>("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(read<std::uint64_t>("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(read<bool>("True"));
  CHECK(read<bool>("2"));
  CHECK_FALSE(read<bool>("false"));
  CHECK_FALSE(read<bool>("0.0"));
  CHECK(static_cast<int>(read<int4>("-8")) == -8);
  for (const char* s :
       {"", " ", "abc", "1x", "1e", "1e+", "--1", "1.2.3", ".", "+", "e5", "0x10"}) {
    CAPTURE(s);
    CHECK_FALSE(reads<float>(s));
    CHECK_FALSE(reads<std::int64_t>(s));
  }
  CHECK_FALSE(reads<std::uint8_t>("256"));
  CHECK_FALSE(reads<std::uint8_t>("-1"));
  CHECK_FALSE(reads<std::int8_t>("128"));
  CHECK_FALSE(reads<std::int64_t>("9223372036854775808"));
  CHECK_FALSE(reads<std::int64_t>("18446744073709551615"));
  CHECK_FALSE(reads<std::uint64_t>("18446744073709551616"));
  CHECK_FALSE(reads<std::int64_t>("-9223372036854775809"));
  CHECK_FALSE(reads<std::int64_t>("1e300"));
  CHECK_FALSE(reads<std::int32_t>("nan"));
  CHECK_FALSE(reads<int4>("8"));
}

TEST_CASE("tensors of strings and numbers", "[cast_text]") {
  struct {
    Index count = 3;
  } s;
  Heap heap(malloc_allocator());
  const float x[] = {1.5f, -2.0f, 0.25f};
  Text y[3];
  REQUIRE(text_from_numbers(s, x, y, heap) == Status::ok);
  CHECK(y[0] == text("1.5"));
  CHECK(y[1] == text("-2.0"));
  std::int16_t back[3] = {};
  REQUIRE(numbers_from_text(s, y, back) == Status::ok);
  CHECK(back[1] == -2);
  y[2] = text("Hello");
  CHECK(numbers_from_text(s, y, back) == Status::bad_value);
}

}  // namespace onnxc
