// What the compiler asks of a file system beyond the standard library. Where a call fails, errno
// has the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace onnxc::platform {

// Closes a file descriptor at the end of the scope.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

enum class FileKind { regular, folder, other };
struct FileFacts {
  FileKind kind = FileKind::other;
  std::uint64_t size = 0, links = 1;
};

FileDescriptor open_to_read(const std::string& path);
// What standard input holds, as a file without a name.
FileDescriptor copy_of_input();
FileDescriptor duplicate(const FileDescriptor& file);
std::optional<FileFacts> facts_of(const FileDescriptor& file);
// Whether all of `out` could be read.
bool read_at(const FileDescriptor& file, std::uint64_t offset, std::span<std::byte> out);

// Bytes of a file: mapped where the system can, else a copy.
class Mapping {
 public:
  // The caller has checked that the bytes are inside the file. Null on failure.
  static std::unique_ptr<const Mapping> of(const FileDescriptor& file, std::uint64_t offset,
                                           std::size_t length);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  Mapping() = default;
  void* base_ = nullptr;
  std::size_t mapped_ = 0;
  std::span<const std::byte> bytes_;
};

// The folder of a model, with the files that the model names.
class Folder {
 public:
  explicit Folder(const std::string& path);  // "": the current one
  // A relative path with '/' that stays below the folder and meets no link; else errno is ELOOP or
  // EXDEV.
  FileDescriptor open(const std::string& location) const;

 private:
  std::string path_;
  FileDescriptor fd_;
};

// The text up to the last separator and with it; "" for a bare name.
std::string folder_part(const std::string& path);
// Whether the system could take the name in a model for something else than a relative path.
bool is_relative(std::string_view location);

// Writes a file that does not exist, down to the disk. 0, or the reason. `made`: it exists now.
int write_new(const std::string& path, std::string_view content, bool& made);
bool exists(const std::string& path);
bool rename_over(const std::string& from, const std::string& to);
// A second name for a file; some file systems have none.
bool link(const std::string& file, const std::string& name);
void remove(const std::string& path);
// Makes renames last. Some file systems cannot; then they last as long as these do.
void sync_folder(const std::string& path);
// A new folder of this process where the system keeps temporary files. `path` is the name, or the
// one that failed.
bool make_temporary_folder(std::string& path);
// Equal for two names of one file; "" where there is none.
std::string identity_of(const std::string& path);

// One process at a time holds it.
class FileLock {
 public:
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

}  // namespace onnxc::platform
