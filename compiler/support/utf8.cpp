// Decoding of UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#include "compiler/support/utf8.hpp"

namespace onnxc {

std::size_t utf8_length(std::string_view s) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char c = at(0);
  if (c < 0x80) return 1;
  const std::size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (c < 0xc2 || c > 0xf4 || s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (c == 0xe0 && at(1) < 0xa0) || (c == 0xf0 && at(1) < 0x90);
  const bool surrogate = c == 0xed && at(1) >= 0xa0;
  const bool beyond = c == 0xf4 && at(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : n;
}

std::uint32_t code_point(std::string_view sequence) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  const std::size_t n = sequence.size();
  if (n == 1) return at(0);
  std::uint32_t code = at(0) & (0x7fu >> n);
  for (std::size_t i = 1; i < n; ++i) code = code << 6 | (at(i) & 0x3fu);
  return code;
}

}  // namespace onnxc
