// Long lines of generated code and of its comments, as lines of at most 100 columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

// One statement, declaration or comment; its own leading blanks count as indentation. A comment
// behind code that does not fit moves above it. Breaks stand at blanks, never in a literal; a
// directive and a name without a blank stay as they are.
std::vector<std::string> wrap_line(std::string_view line, std::size_t width);

}  // namespace onnxc
