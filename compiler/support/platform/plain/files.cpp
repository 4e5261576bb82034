// Files by the calls that every C library for POSIX has, read into memory.
#include "compiler/support/platform/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

namespace onnxc::platform {
namespace fs = std::filesystem;

FileDescriptor open_to_read(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY));
}

// The name goes at once, the file with the last descriptor.
FileDescriptor copy_of_input() {
  std::string name;
  if (!make_temporary_folder(name)) return FileDescriptor();
  const std::string file = name + "/input";
  FileDescriptor copy(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  std::vector<char> buffer(1 << 16);
  ssize_t n = 1;
  while (n > 0) {
    n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n > 0 && ::write(copy.get(), buffer.data(), static_cast<std::size_t>(n)) != n) n = -1;
  }
  std::error_code ignored;
  fs::remove_all(name, ignored);
  return n < 0 ? FileDescriptor() : std::move(copy);
}

FileDescriptor duplicate(const FileDescriptor& file) { return FileDescriptor(::dup(file.get())); }

Mapping::~Mapping() { ::operator delete(base_); }

std::unique_ptr<const Mapping> Mapping::of(const FileDescriptor& file, std::uint64_t offset,
                                           std::size_t length) {
  std::unique_ptr<Mapping> copy(new Mapping);
  if (length == 0) return copy;
  copy->base_ = ::operator new(length);
  const std::span<std::byte> bytes(static_cast<std::byte*>(copy->base_), length);
  if (!read_at(file, offset, bytes)) return nullptr;
  copy->bytes_ = bytes;
  return copy;
}

int write_new(const std::string& path, std::string_view content, bool& made) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (fd < 0) return errno;
  made = true;
  int reason = 0;
  for (std::size_t at = 0; at < content.size() && reason == 0;) {
    const ssize_t n = ::write(fd, content.data() + at, content.size() - at);
    if (n < 0) reason = errno;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  if (::close(fd) != 0 && reason == 0) reason = errno;
  return reason;
}

bool link(const std::string&, const std::string&) { return false; }

void sync_folder(const std::string&) {}

bool make_temporary_folder(std::string& path) {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  for (int i = 0; i < 1000; ++i) {
    path = (base / ("onnxc-" + std::to_string(i))).string();
    if (::mkdir(path.c_str(), 0700) == 0) return true;
    if (errno != EEXIST) break;
  }
  return false;
}

FileLock::FileLock(const std::string&) : file_(-1) {}
FileLock::~FileLock() = default;

}  // namespace onnxc::platform
