// Patterns of names, as a shell has them for files.
#pragma once

#include <string_view>

namespace onnxc {

// `*`: any text; `?`: any byte; `[a-z]`, `[!a-z]`: one of a set; `\x`: x itself. The whole text has
// to match.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace onnxc
