// Inputs, memory and comparison of results for the programs with threads.
#pragma once

#include <cstring>
#include <vector>

constexpr std::size_t kIn = 2 * 3 * 64 * 64, kOut = 2 * 256;

inline std::vector<float> picture() {
  std::vector<float> x(kIn);
  for (std::size_t i = 0; i < kIn; ++i) x[i] = static_cast<float>(i * 7919 % 1000) * 1e-3f;
  return x;
}

// Memory of a model, aligned.
struct Memory {
  std::vector<unsigned char> bytes;
  explicit Memory(std::size_t n) : bytes(n + 64, 0xff) {}
  void* start() {
    return bytes.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 64) % 64;
  }
};

inline bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), kOut * sizeof(float)) == 0;
}
