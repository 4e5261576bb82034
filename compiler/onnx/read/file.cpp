// Opens and maps files.
#include "compiler/onnx/read/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/platform/terminal.hpp"

namespace onnxc::reader {
namespace {

// A file to map, or standard input: it can be read only once, and a model is read several times.
FileDescriptor open_named(const std::string& path) {
  if (path != "-") return platform::open_to_read(path);
  static const FileDescriptor input = platform::copy_of_input();
  return platform::duplicate(input);
}

}  // namespace

std::shared_ptr<const MappedFile> map_file(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    throw FatalError(exit_code::io, fmt::format("cannot read {}: {}", path, why));
  };
  if (path == "-" && platform::is_terminal(stdin)) fail("standard input is a terminal");
  const FileDescriptor fd = open_named(path);
  const auto facts = fd.valid() ? platform::facts_of(fd) : std::nullopt;
  if (!facts) fail(std::strerror(errno));
  if (facts->kind == platform::FileKind::folder) fail("it is a folder");
  if (facts->kind != platform::FileKind::regular) fail("it is no regular file");
  std::shared_ptr<const MappedFile> file =
      MappedFile::of(fd, 0, static_cast<std::size_t>(facts->size));
  if (!file) fail(std::strerror(errno));
  return file;
}

}  // namespace onnxc::reader
