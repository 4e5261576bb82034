// Reads base64.
#include "compiler/support/base64.hpp"

#include <cstdint>

namespace onnxc {

std::optional<char> decode_base64(std::string_view text, std::string& bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '=') continue;
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return c;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xff));
  }
  return std::nullopt;
}

}  // namespace onnxc
