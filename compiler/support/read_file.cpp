// Reads a file through a stream.
#include "compiler/support/read_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || !text)
    throw FatalError(exit_code::io, fmt::format("cannot read {}{}{}", path, errno != 0 ? ": " : "",
                                                errno != 0 ? std::strerror(errno) : ""));
  return std::move(text).str();
}

}  // namespace onnxc
