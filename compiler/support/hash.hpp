// Hashes, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onnxc {

// FNV-1a with 64 bits.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0);
  }
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
      step(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> shift));
  }
  std::uint64_t value() const { return value_; }

 private:
  void step(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211u; }
  std::uint64_t value_ = 14695981039346656037u;
};

// SHA-1 and SHA-256 (FIPS 180-4): checksums of ONNX external data, and the identity of a model.
// The digest as 40 or 64 lower-case hexadecimal digits.
std::string sha1(std::span<const std::byte> bytes);
std::string sha256(std::span<const std::byte> bytes);

}  // namespace onnxc
