// The folder of a run.
#include "compiler/run/process.hpp"

#include <filesystem>
#include <new>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/platform/files.hpp"

namespace onnxc {

TemporaryFolder::TemporaryFolder() {
  if (!platform::make_temporary_folder(path_))
    throw FatalError(exit_code::io, fmt::format("cannot make a folder {}", path_));
}

TemporaryFolder::~TemporaryFolder() {
  try {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  } catch (const std::bad_alloc&) {  // then it stays
  }
}

}  // namespace onnxc
