// SHA-1 and SHA-256, in the notation of FIPS 180-4, section 6.
#include "compiler/support/hash.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace onnxc {
namespace {

using Word = std::uint32_t;
using Block = std::array<Word, 16>;

Block load_block(const std::byte* p) {
  Block w;
  for (std::size_t i = 0; i < 16; ++i, p += 4)
    w[i] = std::to_integer<Word>(p[0]) << 24 | std::to_integer<Word>(p[1]) << 16 |
           std::to_integer<Word>(p[2]) << 8 | std::to_integer<Word>(p[3]);
  return w;
}

// Feeds the message and its padding to `update(state, block)`; returns the state in hexadecimal.
template <std::size_t N, class Update>
std::string digest(std::span<const std::byte> bytes, std::array<Word, N> state, Update update) {
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= 64; bytes = bytes.subspan(64)) update(state, load_block(bytes.data()));
  std::array<std::byte, 128> tail{};
  if (!bytes.empty()) std::memcpy(tail.data(), bytes.data(), bytes.size());
  tail[bytes.size()] = std::byte{0x80};
  const std::size_t end = bytes.size() < 56 ? 64 : 128;
  for (std::size_t i = 0; i < 8; ++i) tail[end - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
  for (std::size_t at = 0; at < end; at += 64) update(state, load_block(tail.data() + at));
  std::string text;
  for (const Word word : state)
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15];
  return text;
}

void sha1_block(std::array<Word, 5>& state, Block w) {
  auto [a, b, c, d, e] = state;
  for (std::size_t t = 0; t < 80; ++t) {
    Word& wt = w[t % 16];
    if (t >= 16) wt = std::rotl(w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^ wt, 1);
    const Word f = t < 20              ? (b & c) ^ (~b & d)
                   : t < 40 || t >= 60 ? b ^ c ^ d
                                       : (b & c) ^ (b & d) ^ (c & d);
    const Word k = std::array{0x5a827999u, 0x6ed9eba1u, 0x8f1bbcdcu, 0xca62c1d6u}[t / 20];
    const Word next = std::rotl(a, 5) + f + e + k + wt;
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<Word, 64> kSha256 = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void sha256_block(std::array<Word, 8>& state, Block w) {
  auto [a, b, c, d, e, f, g, h] = state;
#pragma GCC unroll 16
  for (std::size_t t = 0; t < 64; ++t) {
    Word& wt = w[t % 16];
    if (t >= 16) {
      const Word x = w[(t + 1) % 16], y = w[(t + 14) % 16];
      wt += w[(t + 9) % 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) +
            (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10));
    }
    const Word t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                    ((e & f) ^ (~e & g)) + kSha256[t] + wt;
    const Word t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<Word, 8> mixed = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += mixed[i];
}

}  // namespace

std::string sha1(std::span<const std::byte> bytes) {
  return digest<5>(bytes, {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, sha1_block);
}

std::string sha256(std::span<const std::byte> bytes) {
  return digest<8>(bytes,
                   {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                    0x1f83d9ab, 0x5be0cd19},
                   sha256_block);
}

}  // namespace onnxc
