// Writes every file under a temporary name beside its target, then renames all of them.
#include "compiler/support/write_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

bool same_on_disk(const GeneratedFile& f) {
  std::error_code error;
  if (!fs::is_regular_file(f.path, error)) return false;
  if (fs::file_size(f.path, error) != f.content.size() || error) return false;
  std::ifstream in(f.path, std::ios::binary);
  std::string block(1 << 16, '\0');
  for (std::size_t at = 0; at < f.content.size();) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto got = static_cast<std::size_t>(in.gcount());
    if (got == 0 || f.content.compare(at, got, block, 0, got) != 0) return false;
    at += got;
  }
  return true;
}

[[noreturn]] void io_error(const std::string& path, const char* what) {
  throw FatalError(exit_code::io, fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

struct PendingFile {
  std::string temporary, path;
};

PendingFile stage(const GeneratedFile& f) {
  std::error_code ignored;  // errors appear on opening
  fs::create_directories(fs::path(f.path).parent_path(), ignored);
  PendingFile pending{fmt::format("{}.tmp{}", f.path, getpid()), f.path};
  std::FILE* out = std::fopen(pending.temporary.c_str(), "wb");
  if (!out) io_error(f.path, "cannot write");
  const bool written = std::fwrite(f.content.data(), 1, f.content.size(), out) == f.content.size();
  const bool closed = std::fclose(out) == 0;
  if (!written || !closed) {
    unlink(pending.temporary.c_str());
    io_error(f.path, "cannot write");
  }
  return pending;
}

}  // namespace

void write_files(const std::vector<GeneratedFile>& files) {
  std::vector<PendingFile> pending;
  const auto drop_all = [&] {
    for (const PendingFile& p : pending) unlink(p.temporary.c_str());
  };
  try {
    for (const GeneratedFile& f : files)
      if (f.path.ends_with(".cpp") || !same_on_disk(f)) pending.push_back(stage(f));
  } catch (...) {
    drop_all();
    throw;
  }
  // The .cpp comes first in `files`. Build tools take it as the sign of completion: rename it last,
  // so that an interrupted run is repeated.
  for (std::size_t i = pending.size(); i-- > 0;)
    if (std::rename(pending[i].temporary.c_str(), pending[i].path.c_str()) != 0) {
      const int reason = errno;
      drop_all();
      errno = reason;
      io_error(pending[i].path, "cannot rename");
    }
}

}  // namespace onnxc
