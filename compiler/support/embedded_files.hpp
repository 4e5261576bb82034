// The kernel and runtime headers, embedded in the compiler by compiler/emit/embed.cmake.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace onnxc {

struct EmbeddedFile {
  std::string_view path;  // "templates/elementwise/map.hpp"
  std::string_view text;
};
extern const EmbeddedFile kEmbeddedFiles[];
extern const std::size_t kEmbeddedFileCount;

// The text of the file with this path. Throws std::logic_error if it is none of them.
inline std::string_view embedded_text(std::string_view path) {
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i)
    if (kEmbeddedFiles[i].path == path) return kEmbeddedFiles[i].text;
  throw std::logic_error("no embedded file " + std::string(path));
}

}  // namespace onnxc
