// Bytes written as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace onnxc {

// Appends the bytes of base64 (RFC 4648, section 4). Blanks and line ends are ignored. Returns the
// first character that does not belong there.
std::optional<char> decode_base64(std::string_view text, std::string& bytes);

}  // namespace onnxc
