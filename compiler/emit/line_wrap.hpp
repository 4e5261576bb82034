// Wraps lines of generated code and of its comments at 100 columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

// Wraps one statement, declaration or comment; its own leading blanks count as indentation. A
// trailing comment that does not fit moves above the code. Breaks are at blanks, never in a
// literal; a directive and a name without a blank are not wrapped.
std::vector<std::string> wrap_line(std::string_view line, std::size_t width);

}  // namespace onnxc
