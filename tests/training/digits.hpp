// digits.hpp - digits of a font of 5 by 7 dots, somewhere in an image of 12 by 12 with noise; the
// same on every machine.
#pragma once

#include <cstdint>

namespace digits {

constexpr int kSide = 12, kPixels = kSide * kSide;

// A row of a digit in five bits, the leftmost highest.
constexpr std::uint8_t kFont[10][7] = {
    {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},  {14, 17, 1, 2, 4, 8, 31},
    {31, 2, 4, 2, 1, 17, 14},     {2, 6, 10, 18, 31, 2, 2}, {31, 16, 30, 1, 1, 17, 14},
    {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},   {14, 17, 17, 14, 17, 17, 14},
    {14, 17, 17, 15, 1, 2, 12},
};

class Source {
 public:
  explicit Source(std::uint32_t seed) : state_(seed) {}

  // Draws one of the digits [first, first + count), writes its image, and returns its class, from 0
  // on.
  int draw(int first, int count, float* image) {
    const int kind = below(count), left = below(kSide - 4), top = below(kSide - 6);
    for (int i = 0; i < kPixels; ++i) image[i] = 0.3f * noise();
    for (int row = 0; row < 7; ++row) {
      for (int column = 0; column < 5; ++column) {
        const bool dot = (kFont[first + kind][row] >> (4 - column) & 1) != 0;
        if (dot) image[(top + row) * kSide + left + column] += 1.0f;
      }
    }
    return kind;
  }

 private:
  std::uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint32_t>(n)); }
  // Nearly normal, of deviation 1.
  float noise() {
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i) sum += static_cast<float>(next()) / 8388608.0f - 1.0f;
    return sum;
  }

  std::uint32_t state_;
};

}  // namespace digits
