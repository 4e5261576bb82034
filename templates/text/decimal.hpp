// decimal.hpp - numbers as decimal text and back, exactly and without a locale.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "runtime_min/half.hpp"
#include "runtime_min/int_small.hpp"
#include "runtime_min/minifloat.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/big_number.hpp"

namespace onnxc {

// A binary format: bits of the significand, exponent of its last bit for the smallest numbers, and
// the exponent e with all finite numbers below 2^e.
template <class T>
struct BinaryFormat {
  static constexpr int precision = std::numeric_limits<T>::digits;
  static constexpr int least = std::numeric_limits<T>::min_exponent - precision;
  static constexpr int most = std::numeric_limits<T>::max_exponent;
};
template <>
struct BinaryFormat<float16> {
  static constexpr int precision = 11, least = -24, most = 16;
};
template <>
struct BinaryFormat<bfloat16> {
  static constexpr int precision = 8, least = -133, most = 128;
};
template <>
struct BinaryFormat<float8e4m3fn> {
  static constexpr int precision = 4, least = -9, most = 9;
};
template <>
struct BinaryFormat<float8e4m3fnuz> {
  static constexpr int precision = 4, least = -10, most = 8;
};
template <>
struct BinaryFormat<float8e5m2> {
  static constexpr int precision = 3, least = -16, most = 16;
};
template <>
struct BinaryFormat<float8e5m2fnuz> {
  static constexpr int precision = 3, least = -17, most = 16;
};
template <>
struct BinaryFormat<float8e8m0> {
  static constexpr int precision = 1, least = -127, most = 128;
};
template <>
struct BinaryFormat<float4e2m1> {
  static constexpr int precision = 2, least = -1, most = 3;
};

// Room for any number: sign, 17 digits, a point, and leading zeros or an exponent.
constexpr Index kLongestNumber = 26;

namespace decimal_detail {

// Digits d1 d2 ... of 0.d1d2... * 10^point.
struct Digits {
  char digit[20];
  int count = 0;
  int point = 0;
};

// Free-format printing with exact integers (Steele and White 1990). The value is r / s; the
// midpoints to its neighbours are above / s and below / s away. even: they still read back as the
// value.
struct FreeFormat {
  BigNumber r, s, above, below;
  bool even;

  // narrow: the gap to the next lower value is half of that to the next higher one.
  FreeFormat(std::uint64_t significand, int exponent, bool narrow)
      : r(significand), s(1), above(1), below(1), even(significand % 2 == 0) {
    const int extra = narrow ? 2 : 1, up = exponent > 0 ? exponent : 0;
    r.shift_left(up + extra);
    s.shift_left(up - exponent + extra);
    above.shift_left(up + extra - 1);
    below.shift_left(up);
  }

  bool above_reaches_one() const {
    BigNumber high = r;
    high.add(above);
    const int c = BigNumber::compare(high, s);
    return c > 0 || (c == 0 && even);
  }

  // Divides by the power of ten that makes the value 0.d1d2... and returns its exponent, which is
  // first estimated from the logarithm (Burger and Dybvig 1996).
  int scale() {
    // 30103 / 100000 is just above log10(2); the guess may be one too low.
    const int bits = r.bit_length() - s.bit_length();
    const int guess = bits > 0 ? (bits - 1) * 30103 / 100000 : bits * 30103 / 100000 - 1;
    if (guess > 0) {
      s.multiply_power_of_ten(guess);
    } else {
      r.multiply_power_of_ten(-guess);
      above.multiply_power_of_ten(-guess);
      below.multiply_power_of_ten(-guess);
    }
    int point = guess;
    for (; above_reaches_one(); ++point) s.multiply_add(10, 0);
    return point;
  }

  int next_digit() {
    r.multiply_add(10, 0);
    above.multiply_add(10, 0);
    below.multiply_add(10, 0);
    int digit = 0;
    for (; BigNumber::compare(r, s) >= 0; ++digit) r.subtract(s);
    return digit;
  }
};

// The shortest digits that read back as significand * 2^exponent.
inline Digits shortest_digits(std::uint64_t significand, int exponent, bool narrow) {
  FreeFormat rest(significand, exponent, narrow);
  Digits d;
  d.point = rest.scale();
  for (;;) {
    int digit = rest.next_digit();
    const int to_low = BigNumber::compare(rest.r, rest.below);
    const bool low = to_low < 0 || (to_low == 0 && rest.even), high = rest.above_reaches_one();
    if (low || high) {
      BigNumber twice = rest.r;
      twice.add(rest.r);
      const int half = BigNumber::compare(twice, rest.s);
      if (high && (!low || half > 0 || (half == 0 && digit % 2 == 1))) ++digit;
    }
    d.digit[d.count++] = static_cast<char>('0' + digit);
    if (low || high || d.count == 18) return d;
  }
}

inline char* put(char* to, const char* literal) {
  while (*literal != 0) *to++ = *literal++;
  return to;
}

// Plain from 1e-4 up to below 1e16, else scientific.
inline char* put_digits(char* to, const Digits& d) {
  if (d.point > 16 || d.point < -3) {
    *to++ = d.digit[0];
    if (d.count > 1) *to++ = '.';
    for (int i = 1; i < d.count; ++i) *to++ = d.digit[i];
    int exponent = d.point - 1;
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    exponent = exponent < 0 ? -exponent : exponent;
    if (exponent >= 100) *to++ = static_cast<char>('0' + exponent / 100);
    *to++ = static_cast<char>('0' + exponent / 10 % 10);
    *to++ = static_cast<char>('0' + exponent % 10);
    return to;
  }
  if (d.point <= 0) to = put(to, "0.");
  for (int i = d.point; i < 0; ++i) *to++ = '0';
  for (int i = 0; i < d.count; ++i) {
    if (i == d.point && i > 0) *to++ = '.';
    *to++ = d.digit[i];
  }
  for (int i = d.count; i < d.point; ++i) *to++ = '0';
  return d.point >= d.count ? put(to, ".0") : to;
}

inline char* put_integer(char* to, std::uint64_t magnitude, bool negative) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude != 0);
  if (negative) *to++ = '-';
  while (count > 0) *to++ = digits[--count];
  return to;
}

// Of a float format, seen as F. Taken from the bits: under -Ofast the processor may take denormals
// for 0, and std::signbit(-0.0) is false.
template <class T, class F>
char* put_real(char* to, F x) {
  using Bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
  constexpr int kFraction = BinaryFormat<F>::precision - 1;
  constexpr Bits kOne = Bits{1} << kFraction, kInfinity = (2 * BinaryFormat<F>::most - 1) * kOne;
  Bits bits;
  std::memcpy(&bits, &x, sizeof bits);
  const Bits magnitude = static_cast<Bits>(bits << 1) >> 1;
  if (magnitude > kInfinity) return put(to, "NaN");
  if (bits != magnitude) *to++ = '-';
  if (magnitude == kInfinity) return put(to, "INF");
  if (magnitude == 0) return put(to, "0.0");
  const int biased = static_cast<int>(magnitude >> kFraction);
  std::uint64_t significand = magnitude % kOne + (biased > 0 ? kOne : 0);
  int exponent = BinaryFormat<F>::least + (biased > 0 ? biased - 1 : 0);
  // As T has it, with fewer bits.
  using Format = BinaryFormat<T>;
  int length = 0;
  while (significand >> length != 0) ++length;
  int shift = length - Format::precision;
  if (exponent + shift < Format::least) shift = Format::least - exponent;
  significand = shift > 0 ? significand >> shift : significand << -shift;
  exponent += shift;
  const bool narrow =
      significand == std::uint64_t{1} << (Format::precision - 1) && exponent > Format::least;
  return put_digits(to, shortest_digits(significand, exponent, narrow));
}

}  // namespace decimal_detail

// Writes at most kLongestNumber bytes and returns where they end. Floats in the shortest form that
// reads back as the same number, with INF, -INF and NaN; True and False.
template <class T>
char* write_number(char* to, T value) {
  const auto x = static_cast<compute_t<T>>(value);
  using C = compute_t<T>;
  if constexpr (std::is_same<C, bool>::value)
    return decimal_detail::put(to, x ? "True" : "False");
  else if constexpr (std::is_floating_point<C>::value)
    return decimal_detail::put_real<T>(to, x);
  else if constexpr (std::is_signed<C>::value)
    return decimal_detail::put_integer(
        to,
        x < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x),
        x < 0);
  else
    return decimal_detail::put_integer(to, x, false);
}

namespace decimal_detail {

enum class Kind : std::uint8_t { bad, number, infinity, nan, word_true, word_false };

// 0.DIGITS * 10^point, where the digits are those in [first, last) that are not a point.
struct Literal {
  Kind kind = Kind::bad;
  bool negative = false;
  const char *first = nullptr, *last = nullptr;  // without zeros at either end
  std::int64_t point = 0;
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline bool same_word(const char* p, const char* end, const char* lower) {
  for (; p < end && *lower != 0; ++p, ++lower)
    if ((*p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p) != *lower) return false;
  return p == end && *lower == 0;
}

// e12, E-3; far beyond every format the value no longer matters.
inline bool read_exponent(const char* p, const char* end, std::int64_t& exponent) {
  bool negative = false;
  if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  if (p == end) return false;
  std::int64_t value = 0;
  for (; p < end; ++p) {
    if (!is_digit(*p)) return false;
    if (value < (std::int64_t{1} << 40)) value = value * 10 + (*p - '0');
  }
  exponent = negative ? -value : value;
  return true;
}

inline Literal read_digits(const char* p, const char* end, Literal out) {
  const char *first = nullptr, *last = nullptr;
  bool any = false, fraction = false;
  std::int64_t whole = 0;  // digits before the point, counted from the first that is not zero
  for (; p < end && (is_digit(*p) || (*p == '.' && !fraction)); ++p) {
    if (*p == '.') {
      fraction = true;
      continue;
    }
    any = true;
    if (*p != '0') {
      if (first == nullptr) first = p;
      last = p + 1;
    }
    if (fraction && first == nullptr) --whole;
    if (!fraction && first != nullptr) ++whole;
  }
  std::int64_t exponent = 0;
  if (!any) return out;
  if (p < end && ((*p != 'e' && *p != 'E') || !read_exponent(p + 1, end, exponent))) return out;
  out.kind = Kind::number;
  out.first = first;
  out.last = last;
  out.point = whole + exponent;
  return out;
}

inline Literal read_literal(const Text& text) {
  Literal out;
  const char *p = text.data, *end = text.data + text.size;
  while (p < end && is_blank(*p)) ++p;
  while (p < end && is_blank(end[-1])) --end;
  if (p < end && (*p == '+' || *p == '-')) out.negative = *p++ == '-';
  const auto word = [&](const char* lower) { return same_word(p, end, lower); };
  if (word("nan")) out.kind = Kind::nan;
  if (word("inf") || word("infinity")) out.kind = Kind::infinity;
  if (word("true")) out.kind = Kind::word_true;
  if (word("false")) out.kind = Kind::word_false;
  return out.kind != Kind::bad ? out : read_digits(p, end, out);
}

// The nearest value of a format, ties to even: exact long division of big integers.
template <class T, class F>
F nearest(const Literal& x) {
  using Format = BinaryFormat<T>;
  constexpr F infinity = std::numeric_limits<F>::infinity();
  if (x.first == x.last || x.point < -400) return F{0};
  if (x.point > 400) return infinity;
  // Digits after the 800th only break ties: one digit stands for all of them.
  constexpr int kMaxDigits = 800;
  BigNumber up, down(1);
  int count = 0;
  for (const char* p = x.first; p < x.last && count <= kMaxDigits; ++p) {
    if (*p == '.') continue;
    up.multiply_add(10, count == kMaxDigits ? 1u : static_cast<std::uint32_t>(*p - '0'));
    ++count;
  }
  const int scale = static_cast<int>(x.point) - count;
  (scale > 0 ? up : down).multiply_power_of_ten(scale > 0 ? scale : -scale);
  // The exponent of the significand's last bit, so that up / down < 2 at first.
  int exponent = up.bit_length() - down.bit_length();
  (exponent > 0 ? down : up).shift_left(exponent > 0 ? exponent : -exponent);
  if (BigNumber::compare(up, down) < 0) {
    up.shift_left(1);
    --exponent;
  }
  if (exponent >= Format::most) return infinity;
  const int lowest = exponent - Format::precision + 1 > Format::least
                         ? exponent - Format::precision + 1
                         : Format::least;
  std::uint64_t significand = 0;
  for (; exponent >= lowest; --exponent) {
    const bool bit = BigNumber::compare(up, down) >= 0;
    if (bit) up.subtract(down);
    significand = significand * 2 + (bit ? 1u : 0u);
    up.shift_left(1);
  }
  // The remainder against half of the last bit; below it when the loop did not run.
  const int half = exponent == lowest - 1 ? BigNumber::compare(up, down) : -1;
  if (half > 0 || (half == 0 && significand % 2 == 1)) ++significand;
  const F value = std::ldexp(static_cast<F>(significand), lowest);
  return value < std::ldexp(F{1}, Format::most - 1) * F{2} ? value : infinity;
}

// Without its fraction; false when it does not fit.
inline bool truncated(const Literal& x, std::uint64_t& magnitude) {
  magnitude = 0;
  std::int64_t digits = x.first == x.last ? 0 : x.point;
  if (digits > 20) return false;
  for (const char* p = x.first; digits > 0; --digits) {
    if (p < x.last && *p == '.') ++p;
    const auto digit = static_cast<std::uint64_t>(p < x.last ? *p++ - '0' : 0);
    if (magnitude > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return false;
    magnitude = magnitude * 10 + digit;
  }
  return true;
}

template <class T>
bool read_integer(const Literal& x, T& value) {
  using C = compute_t<T>;
  std::uint64_t magnitude = 0;
  if (x.kind == Kind::word_true) magnitude = 1;
  if (x.kind == Kind::number && !truncated(x, magnitude)) return false;
  if (x.kind == Kind::infinity || x.kind == Kind::nan) return false;
  const std::uint64_t wrapped = x.negative ? std::uint64_t{0} - magnitude : magnitude;
  const bool sign = std::is_signed<C>::value && static_cast<std::int64_t>(wrapped) < 0;
  const auto narrow = static_cast<C>(wrapped);
  value = static_cast<T>(narrow);
  // It fits when it comes back as what it was.
  const auto back = static_cast<C>(value);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(back)) == wrapped &&
         (magnitude == 0 || sign == x.negative);
}

}  // namespace decimal_detail

// The value of a text: plain or scientific, INF, NaN, True and False in any case,
// blanks around it. A fraction is dropped for integers. False when it is none or does not fit.
template <class T>
bool read_number(const Text& text, T& value) {
  using C = compute_t<T>;
  using decimal_detail::Kind;
  const decimal_detail::Literal x = decimal_detail::read_literal(text);
  if (x.kind == Kind::bad) return false;
  if constexpr (std::is_same<C, bool>::value) {
    value = x.kind != Kind::word_false && (x.kind != Kind::number || x.first != x.last);
    return true;
  } else if constexpr (std::is_floating_point<C>::value) {
    C magnitude = 0;
    if (x.kind == Kind::number) magnitude = decimal_detail::nearest<T, C>(x);
    if (x.kind == Kind::nan) magnitude = std::numeric_limits<C>::quiet_NaN();
    if (x.kind == Kind::infinity) magnitude = std::numeric_limits<C>::infinity();
    if (x.kind == Kind::word_true) magnitude = 1;
    value = static_cast<T>(x.negative ? -magnitude : magnitude);
    return true;
  } else {
    return decimal_detail::read_integer(x, value);
  }
}

}  // namespace onnxc
