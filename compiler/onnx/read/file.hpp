// Read-only memory mapping of a whole file or a part of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace onnxc::reader {

// Closes a file descriptor at the end of the scope.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

class MappedFile {
 public:
  // Maps `length` bytes at `offset`; the caller has checked that they are inside the file. Null,
  // with errno set, on failure.
  static std::shared_ptr<const MappedFile> map(int fd, std::uint64_t offset, std::size_t length);
  // A whole regular file named by the user, or for "-" standard input. Throws FatalError(io).
  static std::shared_ptr<const MappedFile> open(const std::string& path);

  std::span<const std::byte> bytes() const { return bytes_; }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

 private:
  MappedFile() = default;
  void* base_ = nullptr;
  std::size_t mapped_ = 0;
  std::span<const std::byte> bytes_;
};

}  // namespace onnxc::reader
