// code_point.hpp - the characters of UTF-8 strings.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// A character and the bytes it takes. Bytes that are not UTF-8 come one by one as kNoCodePoint +
// byte, which put_code_point writes as that byte again.
struct CodePoint {
  std::int32_t value;
  Index bytes;
};
constexpr std::int32_t kNoCodePoint = 0x110000;

// The character at p < end.
inline CodePoint code_point_at(const char* p, const char* end) {
  const auto byte = [&](Index i) {
    return static_cast<std::int32_t>(static_cast<unsigned char>(p[i]));
  };
  const std::int32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const Index bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const CodePoint broken{kNoCodePoint + lead, 1};
  if (lead < 0xC2 || lead > 0xF4 || end - p < bytes) return broken;
  std::int32_t value = lead & (0x7F >> bytes);
  for (Index i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return broken;
    value = value * 64 + (byte(i) & 0x3F);
  }
  // Longer than needed, a surrogate, or beyond Unicode.
  const std::int32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (value < least || (value >= 0xD800 && value < 0xE000) || value >= kNoCodePoint) return broken;
  return {value, bytes};
}

inline Index code_point_bytes(std::int32_t c) {
  return c < 0x80 || c >= kNoCodePoint ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

// Writes code_point_bytes(c) bytes and returns where they end.
inline char* put_code_point(char* to, std::int32_t c) {
  const Index bytes = code_point_bytes(c);
  if (bytes == 1) {
    *to = static_cast<char>(c >= kNoCodePoint ? c - kNoCodePoint : c);
    return to + 1;
  }
  for (Index i = bytes; i-- > 1; c /= 64) to[i] = static_cast<char>(0x80 + c % 64);
  to[0] = static_cast<char>((0xF00 >> bytes & 0xFF) + c);
  return to + bytes;
}

// Calls f(character, its bytes) for each character.
template <class F>
void each_character(const Text& x, F f) {
  for (const char *p = x.data, *end = p + x.size; p < end;) {
    const CodePoint c = code_point_at(p, end);
    f(c.value, Text{p, c.bytes});
    p += c.bytes;
  }
}

inline std::int64_t count_characters(const Text& x) {
  std::int64_t count = 0;
  each_character(x, [&](std::int32_t, const Text&) { ++count; });
  return count;
}

// White_Space of Unicode.
inline bool is_white_space(std::int32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace onnxc
