// extent.hpp - arithmetic on dynamic dimensions.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

// What a larger Extent becomes as an Index. With 64 bits no count of bytes overflows then, of
// elements of up to 16 bytes. With 32 bits a tensor of one-byte elements may have as many as an
// Index can count.
constexpr Index kMaxExtent = std::numeric_limits<Index>::max() / (sizeof(Index) > 4 ? 16 : 1);

// A size, or an expression of sizes. Arithmetic saturates instead of overflowing: a size that does
// not fit is too large for any memory, which is detected when memory is allocated.
class Extent {
 public:
  constexpr Extent() = default;
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0>
  constexpr Extent(I value) : value_(static_cast<std::int64_t>(value)) {
    if (value_ < -kMax) value_ = -kMax;  // so that every value can be negated
  }

  constexpr operator Index() const {
    constexpr std::int64_t most = kMaxExtent;
    return value_ > most ? kMaxExtent : value_ < -most ? -kMaxExtent : static_cast<Index>(value_);
  }
  constexpr std::int64_t value() const { return value_; }

  friend constexpr Extent operator+(Extent a, Extent b) {
    if (b.value_ > 0 && a.value_ > kMax - b.value_) return Extent(kMax);
    if (b.value_ < 0 && a.value_ < -kMax - b.value_) return Extent(-kMax);
    return Extent(a.value_ + b.value_);
  }
  friend constexpr Extent operator-(Extent a) { return Extent(-a.value_); }
  friend constexpr Extent operator-(Extent a, Extent b) { return a + -b; }
  friend constexpr Extent operator*(Extent a, Extent b) {
    if (a.value_ == 0 || b.value_ == 0) return Extent(0);
    const bool negative = (a.value_ < 0) != (b.value_ < 0);
    const std::int64_t x = a.value_ < 0 ? -a.value_ : a.value_;
    const std::int64_t y = b.value_ < 0 ? -b.value_ : b.value_;
    const std::int64_t product = x > kMax / y ? kMax : x * y;
    return Extent(negative ? -product : product);
  }
  // Rounded down; 0 for a divisor of 0.
  friend constexpr Extent floor_div(Extent a, Extent b) {
    if (b.value_ == 0) return Extent(0);
    const std::int64_t q = a.value_ / b.value_, r = a.value_ % b.value_;
    return Extent(r != 0 && (r < 0) != (b.value_ < 0) ? q - 1 : q);
  }
  friend constexpr Extent min(Extent a, Extent b) { return a.value_ < b.value_ ? a : b; }
  friend constexpr Extent max(Extent a, Extent b) { return a.value_ > b.value_ ? a : b; }
  // The extent that two broadcast to.
  friend constexpr Extent broadcast(Extent a, Extent b) { return a.value_ == 1 ? b : a; }
  // A stride along an axis that may broadcast.
  friend constexpr Extent broadcast_stride(Extent extent, Extent stride) {
    return extent.value_ == 1 ? Extent(0) : stride;
  }
  friend constexpr bool operator==(Extent a, Extent b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Extent a, Extent b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Extent a, Extent b) { return a.value_ < b.value_; }
  friend constexpr bool operator>(Extent a, Extent b) { return a.value_ > b.value_; }

 private:
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t value_ = 0;
};

// With plain integers on one side; otherwise the conversion to Index would be as good.
#define ONNXC_EXTENT_OPERATOR(op, result)                                   \
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0> \
  constexpr result operator op(Extent a, I b) {                             \
    return a op Extent(b);                                                  \
  }                                                                         \
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0> \
  constexpr result operator op(I a, Extent b) {                             \
    return Extent(a) op b;                                                  \
  }
ONNXC_EXTENT_OPERATOR(+, Extent)
ONNXC_EXTENT_OPERATOR(-, Extent)
ONNXC_EXTENT_OPERATOR(*, Extent)
ONNXC_EXTENT_OPERATOR(==, bool)
ONNXC_EXTENT_OPERATOR(!=, bool)
ONNXC_EXTENT_OPERATOR(<, bool)
ONNXC_EXTENT_OPERATOR(>, bool)
#undef ONNXC_EXTENT_OPERATOR

// Rounded towards zero, as integers divide in ONNX.
constexpr Extent trunc_div(Extent a, Extent b) {
  return a < 0 ? -floor_div(-a, b) : floor_div(a, b);
}

// The index of an axis of that extent, counted from the end if it is negative.
constexpr Extent from_end(Extent index, Extent extent) {
  return index < 0 ? index + extent : index;
}

}  // namespace onnxc
