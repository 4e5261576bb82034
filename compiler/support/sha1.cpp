#include "compiler/support/sha1.hpp"

#include <bit>

#include "compiler/support/sha_blocks.hpp"

namespace onnxc {
namespace {

using Sha1State = std::array<std::uint32_t, 5>;

void sha1_block(Sha1State& state, const std::byte* data) {
  std::array<std::uint32_t, 80> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = sha::load_be(data + 4 * i);
  for (std::size_t i = 16; i < 80; ++i)
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t f = b ^ c ^ d, k = i < 40 ? 0x6ed9eba1u : 0xca62c1d6u;
    if (i < 20)
      f = (b & c) | (~b & d), k = 0x5a827999u;
    else if (i >= 40 && i < 60)
      f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdcu;
    const std::uint32_t next = std::rotl(a, 5) + f + e + k + w[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

}  // namespace

std::string sha1(std::span<const std::byte> bytes) {
  Sha1State state = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
  sha::for_each_block(bytes, [&](const std::byte* data, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sha1_block(state, data + 64 * i);
  });
  return sha::hex(state);
}

}  // namespace onnxc
