// weights.hpp - the header of a file of weights, by which code knows the file that it was generated
// with.
#pragma once

#include <cstdint>
#include <cstring>

namespace onnxc {

// The first 64 bytes.
struct WeightsHeader {
  std::uint64_t magic;      // also determines the byte order
  std::uint64_t layout;     // hash of the program that reads them
  unsigned char model[32];  // SHA-256 of the model's file
  std::uint64_t unused[2];
};
static_assert(sizeof(WeightsHeader) == 64);

constexpr std::uint64_t kWeightsMagic = 0x3173746777787874u;

inline bool is_weights(const void* weights, std::uint64_t layout) {
  WeightsHeader header;
  std::memcpy(&header, weights, sizeof header);
  return header.magic == kWeightsMagic && header.layout == layout;
}

}  // namespace onnxc
