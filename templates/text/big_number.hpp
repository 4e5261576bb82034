// big_number.hpp - exact natural numbers of bounded size, for conversions between binary and
// decimal.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

// Little-endian limbs. The largest number that the conversions of decimal.hpp make has 800 digits
// shifted by some hundred bits, over a power of ten of the same size.
class BigNumber {
 public:
  static constexpr int kLimbs = 136;

  explicit BigNumber(std::uint64_t value = 0) {
    while (value != 0) {
      limbs_[size_++] = static_cast<std::uint32_t>(value);
      value >>= 32;
    }
  }

  // *this * factor + addend
  void multiply_add(std::uint32_t factor, std::uint32_t addend) {
    std::uint64_t carry = addend;
    for (int i = 0; i < size_; ++i) {
      carry += std::uint64_t{limbs_[i]} * factor;
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
    trim();
  }
  void multiply_power_of_ten(int exponent) {
    for (; exponent >= 9; exponent -= 9) multiply_add(1000000000u, 0);
    for (; exponent > 0; --exponent) multiply_add(10, 0);
  }
  void shift_left(int bits) {
    const int whole = bits / 32, part = bits % 32;
    if (size_ == 0) return;
    for (int i = size_; i-- > 0;) limbs_[i + whole] = limbs_[i];
    for (int i = 0; i < whole; ++i) limbs_[i] = 0;
    size_ += whole;
    if (part != 0) multiply_add(std::uint32_t{1} << part, 0);
  }
  void add(const BigNumber& other) {
    std::uint64_t carry = 0;
    const int size = size_ > other.size_ ? size_ : other.size_;
    for (int i = 0; i < size; ++i) {
      carry += std::uint64_t{limb(i)} + other.limb(i);
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    size_ = size;
    if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
  }
  // other <= *this
  void subtract(const BigNumber& other) {
    std::uint64_t borrow = 0;
    for (int i = 0; i < size_; ++i) {
      const std::uint64_t difference = std::uint64_t{limbs_[i]} - other.limb(i) - borrow;
      limbs_[i] = static_cast<std::uint32_t>(difference);
      borrow = difference >> 63;
    }
    trim();
  }
  // -1, 0 or 1
  static int compare(const BigNumber& a, const BigNumber& b) {
    if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
    for (int i = a.size_; i-- > 0;)
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
    return 0;
  }
  int bit_length() const {
    int bits = 32 * size_;
    if (size_ > 0)
      for (std::uint32_t top = limbs_[size_ - 1]; (top >> 31) == 0; top <<= 1) --bits;
    return bits;
  }

 private:
  std::uint32_t limb(int i) const { return i < size_ ? limbs_[i] : 0; }
  void trim() {
    while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
  }

  std::uint32_t limbs_[kLimbs] = {};
  int size_ = 0;
};

}  // namespace onnxc
