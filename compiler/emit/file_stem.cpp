// Checks whether generated code can include a file name.
#include "compiler/emit/file_stem.hpp"

#include <algorithm>

namespace onnxc {

std::optional<FileStem> FileStem::from(std::string_view name) {
  const bool fits = std::all_of(name.begin(), name.end(), [](char c) {
    return c >= ' ' && c <= '~' && std::string_view("\"\\*?/").find(c) == std::string_view::npos;
  });
  return fits && !name.empty() ? std::optional(FileStem(name)) : std::nullopt;
}

}  // namespace onnxc
