// Reading UTF-8 that may be malformed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace onnxc {

// Length of the UTF-8 sequence at the start of `text`, which must not be empty; 0 if malformed.
std::size_t utf8_length(std::string_view text);
// The code point of a well-formed sequence of that length.
std::uint32_t code_point(std::string_view sequence);

}  // namespace onnxc
