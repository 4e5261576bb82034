// esp8266_rom.cpp - functions that a compiler for the ESP8266 finds in its ROM: division, and
// arithmetic of floats that are normal numbers or zero.
#include <stdint.h>
#include <string.h>

namespace {

// (-1)^negative * mantissa * 2^exponent.
struct Parts {
  bool negative;
  int exponent;
  uint64_t mantissa;
};

Parts parts_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t biased = bits >> 23 & 0xff;
  return {bits >> 31 != 0, static_cast<int>(biased) - 150,
          biased == 0 ? 0 : (bits & 0x7fffff) | 0x800000};
}

// Rounded to the nearest float, ties to even.
float float_of(Parts p) {
  if (p.mantissa == 0) return p.negative ? -0.0f : 0.0f;
  while (p.mantissa < 0x800000) p.mantissa <<= 1, --p.exponent;
  bool rest = false, half = false;
  while (p.mantissa > 0xffffff) {
    rest = rest || half;
    half = (p.mantissa & 1) != 0;
    p.mantissa >>= 1;
    ++p.exponent;
  }
  if (half && (rest || (p.mantissa & 1) != 0)) ++p.mantissa;
  // A mantissa that became 2^24 adds to the exponent.
  const uint32_t bits = (static_cast<uint32_t>(p.exponent + 149) << 23) +
                        static_cast<uint32_t>(p.mantissa) + (p.negative ? 0x80000000u : 0);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

struct Quotient {
  uint32_t quotient, remainder;
};
Quotient divide(uint32_t a, uint32_t b) {
  Quotient q = {0, 0};
  for (int i = 31; i >= 0; --i) {
    q.remainder = q.remainder << 1 | (a >> i & 1);
    q.quotient <<= 1;
    if (q.remainder >= b) q.remainder -= b, q.quotient |= 1;
  }
  return q;
}

uint32_t magnitude(int32_t x) {
  return x < 0 ? 0u - static_cast<uint32_t>(x) : static_cast<uint32_t>(x);
}

}  // namespace

extern "C" uint32_t __udivsi3(uint32_t a, uint32_t b) { return divide(a, b).quotient; }
extern "C" uint32_t __umodsi3(uint32_t a, uint32_t b) { return divide(a, b).remainder; }
extern "C" int32_t __divsi3(int32_t a, int32_t b) {
  const uint32_t q = divide(magnitude(a), magnitude(b)).quotient;
  return static_cast<int32_t>((a < 0) != (b < 0) ? 0u - q : q);
}

extern "C" float __floatsisf(int32_t x) { return float_of({x < 0, 0, magnitude(x)}); }

extern "C" float __mulsf3(float a, float b) {
  const Parts x = parts_of(a), y = parts_of(b);
  // Half words, as a product of 64 bits may be a call, too.
  const auto high = static_cast<uint32_t>(x.mantissa >> 12),
             low = static_cast<uint32_t>(x.mantissa & 0xfff);
  const uint32_t of_high = high * static_cast<uint32_t>(y.mantissa >> 12),
                 of_low = low * static_cast<uint32_t>(y.mantissa & 0xfff),
                 mixed = high * static_cast<uint32_t>(y.mantissa & 0xfff) +
                         low * static_cast<uint32_t>(y.mantissa >> 12);
  const uint64_t product =
      (static_cast<uint64_t>(of_high) << 24) + (static_cast<uint64_t>(mixed) << 12) + of_low;
  return float_of({x.negative != y.negative, x.exponent + y.exponent, product});
}

extern "C" float __addsf3(float a, float b) {
  Parts x = parts_of(a), y = parts_of(b);
  if (x.mantissa == 0) return b;
  if (y.mantissa == 0) return a;
  if (x.exponent < y.exponent) {
    const Parts larger = y;
    y = x, x = larger;
  }
  // What is shifted out counts as one bit, which is below half of the result's last one.
  const int apart = x.exponent - y.exponent, up = apart < 32 ? apart : 32;
  x.mantissa <<= up, x.exponent -= up;
  if (apart > up) y.mantissa = 1;
  const bool larger = x.mantissa >= y.mantissa;
  if (x.negative == y.negative) return float_of({x.negative, x.exponent, x.mantissa + y.mantissa});
  const uint64_t rest = larger ? x.mantissa - y.mantissa : y.mantissa - x.mantissa;
  return float_of({rest != 0 && (larger ? x.negative : y.negative), x.exponent, rest});
}
extern "C" float __subsf3(float a, float b) { return __addsf3(a, -b); }
