// Makes texts smaller for the program that holds them; compiler/support/packed_text.hpp reads them.
#pragma once

#include <string>
#include <string_view>

namespace onnxc {

// The size, then by turns a count of bytes with these bytes, and the length and distance of earlier
// text that is repeated. Numbers are in base 128. `store`: one run of bytes, for what is compressed
// as a whole later.
std::string pack(std::string_view text, bool store);

}  // namespace onnxc
