// Opens and maps files.
#include "compiler/onnx/read/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "compiler/support/diagnostics.hpp"

namespace onnxc::reader {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

MappedFile::~MappedFile() {
  if (base_) ::munmap(base_, mapped_);
}

std::shared_ptr<const MappedFile> MappedFile::map(int fd, std::uint64_t offset,
                                                  std::size_t length) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  if (length == 0) return file;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto lead = static_cast<std::size_t>(offset % page);
  void* base =
      ::mmap(nullptr, length + lead, PROT_READ, MAP_PRIVATE, fd, static_cast<off_t>(offset - lead));
  if (base == MAP_FAILED) return nullptr;
  file->base_ = base;
  file->mapped_ = length + lead;
  file->bytes_ = {static_cast<const std::byte*>(base) + lead, length};
  return file;
}

namespace {

// What standard input holds, in memory: it can be read only once, and a model is read several
// times. Invalid, with errno set, on failure.
FileDescriptor copy_of_input() {
  FileDescriptor copy(::memfd_create("model", MFD_CLOEXEC));
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n == 0) return copy;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 || ::write(copy.get(), buffer.data(), static_cast<std::size_t>(n)) != n)
      return FileDescriptor();
  }
}

// A file to map, or standard input.
FileDescriptor open_to_read(const std::string& path) {
  if (path != "-") return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  static const FileDescriptor input = copy_of_input();
  return FileDescriptor(::fcntl(input.get(), F_DUPFD_CLOEXEC, 0));
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    throw FatalError(exit_code::io, fmt::format("cannot read {}: {}", path, why));
  };
  if (path == "-" && ::isatty(STDIN_FILENO) != 0) fail("standard input is a terminal");
  const FileDescriptor fd = open_to_read(path);
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("it is a folder");
  if (!S_ISREG(status.st_mode)) fail("it is no regular file");
  auto file = map(fd.get(), 0, static_cast<std::size_t>(status.st_size));
  if (!file) fail(std::strerror(errno));
  return file;
}

}  // namespace onnxc::reader
