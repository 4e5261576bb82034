// A folder of systems that cannot open a path below one in one step: a walk over its parts. Someone
// who changes the folder meanwhile can lead it elsewhere.
#include "compiler/support/platform/files.hpp"

#include <cerrno>
#include <filesystem>

namespace onnxc::platform {
namespace {

namespace fs = std::filesystem;

// The path of a file below a folder, whose parts are no links; else nullopt, and errno is EXDEV or
// ELOOP.
std::optional<std::string> path_beneath(const std::string& folder, const std::string& location) {
  fs::path at = folder.empty() ? fs::path(".") : fs::path(folder);
  int depth = 0;
  for (std::size_t start = 0, end = 0; end != location.npos; start = end + 1) {
    end = location.find('/', start);
    const std::string part = location.substr(start, end == location.npos ? end : end - start);
    if (part.empty() || part == ".") continue;
    depth += part == ".." ? -1 : 1;
    if (depth < 0) return errno = EXDEV, std::nullopt;
    at /= part;
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(at, error))) return errno = ELOOP, std::nullopt;
    // A part that leads on has to be a folder, which ".." after it does not ask.
    if (end != location.npos && !fs::exists(at, error)) return errno = ENOENT, std::nullopt;
    if (end != location.npos && !fs::is_directory(at, error)) return errno = ENOTDIR, std::nullopt;
  }
  return at.string();
}

}  // namespace

Folder::Folder(const std::string& path) : path_(path) {}

FileDescriptor Folder::open(const std::string& location) const {
  const auto path = path_beneath(path_, location);
  return path ? open_to_read(*path) : FileDescriptor();
}

std::string identity_of(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  return error ? "" : whole.string();
}

}  // namespace onnxc::platform
