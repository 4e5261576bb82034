// Finding an embedded file.
#include "compiler/support/embedded_files.hpp"

#include <stdexcept>
#include <string>

namespace onnxc {

std::string_view embedded_text(std::string_view path) {
  for (const EmbeddedFile& file : kEmbeddedFiles)
    if (file.path == path) return file.text;
  throw std::logic_error("no embedded file " + std::string(path));
}

}  // namespace onnxc
