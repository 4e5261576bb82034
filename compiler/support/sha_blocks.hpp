// What SHA-1 and SHA-256 share: 64-byte blocks, padding, hexadecimal digests (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace onnxc::sha {

inline std::uint32_t load_be(const std::byte* p) {
  std::uint32_t v = 0;
  for (int i = 0; i < 4; ++i) v = (v << 8) | std::to_integer<std::uint32_t>(p[i]);
  return v;
}

// Calls `blocks(data, count)` over the message and then over its padding.
template <class Blocks>
void for_each_block(std::span<const std::byte> message, Blocks blocks) {
  const std::size_t whole = message.size() / 64;
  blocks(message.data(), whole);
  const std::size_t rest = message.size() - whole * 64;
  std::array<std::byte, 128> tail{};
  if (rest > 0) std::memcpy(tail.data(), message.data() + whole * 64, rest);
  tail[rest] = std::byte{0x80};
  const std::size_t tail_blocks = rest < 56 ? 1 : 2;
  const std::uint64_t bits = static_cast<std::uint64_t>(message.size()) * 8;
  for (std::size_t i = 0; i < 8; ++i)
    tail[tail_blocks * 64 - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
  blocks(tail.data(), tail_blocks);
}

template <std::size_t N>
std::string hex(const std::array<std::uint32_t, N>& state) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(word >> shift) & 15];
  return text;
}

}  // namespace onnxc::sha
