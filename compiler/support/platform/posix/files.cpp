// Files by descriptors and mappings, as Linux has them.
#include "compiler/support/platform/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace onnxc::platform {
namespace {

constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

std::vector<std::string> split_path(const std::string& location) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t slash; (slash = location.find('/', start)) != std::string::npos;
       start = slash + 1)
    parts.push_back(location.substr(start, slash - start));
  parts.push_back(location.substr(start));
  return parts;
}

// For Linux versions without openat2: opens every component without following links; ".." goes back
// to a folder that is already open.
FileDescriptor open_stepwise(int folder, const std::vector<std::string>& parts) {
  constexpr int kStep = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  std::vector<FileDescriptor> at;
  at.emplace_back(::openat(folder, ".", kStep));
  for (std::size_t i = 0; i + 1 < parts.size() && at.back().valid(); ++i) {
    if (parts[i] == ".") continue;
    if (parts[i] != "..")
      at.emplace_back(::openat(at.back().get(), parts[i].c_str(), kStep));
    else if (at.size() > 1)
      at.pop_back();
    else
      return errno = EXDEV, FileDescriptor();
  }
  if (!at.back().valid()) return FileDescriptor();
  return FileDescriptor(::openat(at.back().get(), parts.back().c_str(), kOpenFlags | O_NOFOLLOW));
}

// 0, or the reason why not.
int write_all(int fd, std::string_view content) {
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t n = ::write(fd, content.data() + at, content.size() - at);
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace

FileDescriptor open_to_read(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

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

FileDescriptor duplicate(const FileDescriptor& file) {
  return FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
}

Mapping::~Mapping() {
  if (base_) ::munmap(base_, mapped_);
}

std::unique_ptr<const Mapping> Mapping::of(const FileDescriptor& file, std::uint64_t offset,
                                           std::size_t length) {
  std::unique_ptr<Mapping> mapping(new Mapping);
  if (length == 0) return mapping;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto lead = static_cast<std::size_t>(offset % page);
  void* base = ::mmap(nullptr, length + lead, PROT_READ, MAP_PRIVATE, file.get(),
                      static_cast<off_t>(offset - lead));
  if (base == MAP_FAILED) return nullptr;
  mapping->base_ = base;
  mapping->mapped_ = length + lead;
  mapping->bytes_ = {static_cast<const std::byte*>(base) + lead, length};
  return mapping;
}

Folder::Folder(const std::string& path)
    : path_(path),
      fd_(::open(path.empty() ? "." : path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

FileDescriptor Folder::open(const std::string& location) const {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(kOpenFlags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, fd_.get(), location.c_str(), &how, sizeof how);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    return open_stepwise(fd_.get(), split_path(location));
  return FileDescriptor(static_cast<int>(fd));
}

int write_new(const std::string& path, std::string_view content, bool& made) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  made = true;
  int reason = write_all(fd, content);
  if (reason == 0 && ::fsync(fd) != 0 && errno != EINVAL) reason = errno;  // EINVAL: no disk
  if (::close(fd) != 0 && reason == 0) reason = errno;
  return reason;
}

bool link(const std::string& file, const std::string& name) {
  return ::link(file.c_str(), name.c_str()) == 0;
}

void sync_folder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

bool make_temporary_folder(std::string& path) {
  const char* base = std::getenv("TMPDIR");
  path = fmt::format("{}/onnxc-XXXXXX", base != nullptr && *base != 0 ? base : "/tmp");
  return ::mkdtemp(path.data()) != nullptr;
}

std::string identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "";
  return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

FileLock::FileLock(const std::string& path) : file_(::open(path.c_str(), O_CREAT | O_RDWR, 0600)) {
  ::flock(file_, LOCK_EX);
}

FileLock::~FileLock() { ::close(file_); }

}  // namespace onnxc::platform
