// Arithmetic on sizes that come from a model: overflow is an error, never a wrap.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

namespace onnxc {

struct OverflowError : std::runtime_error {
  OverflowError() : std::runtime_error("size overflows 64 bits") {}
};

inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) throw OverflowError();
  return r;
}
inline std::int64_t checked_sub(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_sub_overflow(a, b, &r)) throw OverflowError();
  return r;
}
inline std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) throw OverflowError();
  return r;
}

// Number of elements of a fixed shape. A zero dimension wins over an overflow elsewhere.
inline std::int64_t checked_product(std::span<const std::int64_t> dims) {
  for (std::int64_t d : dims)
    if (d == 0) return 0;
  std::int64_t r = 1;
  for (std::int64_t d : dims) r = checked_mul(r, d);
  return r;
}

// Division that rounds towards minus infinity; b must not be 0.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == -1) return checked_sub(0, a);
  const std::int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}
inline std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  return b == -1 ? 0 : checked_sub(a, checked_mul(floor_div(a, b), b));
}

}  // namespace onnxc
