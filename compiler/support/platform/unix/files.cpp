// Files by the calls that every C library for POSIX has.
#include "compiler/support/platform/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace onnxc::platform {
namespace {

// Bytes from an offset on, as pread gives them.
ssize_t read_some(int file, void* out, std::size_t size, off_t offset) {
#if defined(__EMSCRIPTEN__)
  // Its pread takes the lower 32 bits of the offset.
  return ::lseek(file, offset, SEEK_SET) == offset ? ::read(file, out, size) : -1;
#else
  return ::pread(file, out, size, offset);
#endif
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<FileFacts> facts_of(const FileDescriptor& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return std::nullopt;
  FileFacts facts;
  facts.kind = S_ISDIR(status.st_mode)   ? FileKind::folder
               : S_ISREG(status.st_mode) ? FileKind::regular
                                         : FileKind::other;
  facts.size = static_cast<std::uint64_t>(status.st_size);
  facts.links = status.st_nlink;
  return facts;
}

bool read_at(const FileDescriptor& file, std::uint64_t offset, std::span<std::byte> out) {
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t n = read_some(file.get(), out.data() + done, out.size() - done,
                                static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::string folder_part(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

bool is_relative(std::string_view location) { return !location.starts_with('/'); }

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

void remove(const std::string& path) { ::unlink(path.c_str()); }

bool rename_over(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace onnxc::platform
