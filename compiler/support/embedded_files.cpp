// Finding an embedded file.
#include "compiler/support/embedded_files.hpp"

#include <stdexcept>
#include <string>

namespace onnxc {

std::string_view embedded_text(std::string_view path) {
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i)
    if (kEmbeddedFiles[i].path == path) return kEmbeddedFiles[i].text;
  throw std::logic_error("no embedded file " + std::string(path));
}

}  // namespace onnxc
