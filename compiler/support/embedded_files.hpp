// Files of the source tree that compiler/embed/ puts into the compiler as they are.
#pragma once

#include <span>
#include <string_view>

#include "compiler/support/packed_text.hpp"

namespace onnxc {

struct EmbeddedFile {
  std::string_view path;  // "compiler/run/harness/main.cpp"
  PackedText text;
};
extern const std::span<const EmbeddedFile> kEmbeddedFiles;

// The text of the file with this path. Throws std::logic_error if it is none of them.
std::string_view embedded_text(std::string_view path);

}  // namespace onnxc
