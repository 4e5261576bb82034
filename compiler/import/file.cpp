// Opens and maps files.
#include "compiler/import/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

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

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    throw FatalError(exit_code::io, fmt::format("cannot read {}: {}", path, why));
  };
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("it is a folder");
  if (!S_ISREG(status.st_mode)) fail("it is no regular file");
  auto file = map(fd.get(), 0, static_cast<std::size_t>(status.st_size));
  if (!file) fail(std::strerror(errno));
  return file;
}

}  // namespace onnxc::reader
