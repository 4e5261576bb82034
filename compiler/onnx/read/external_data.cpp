// Opens, checks and maps files of external data.
#include "compiler/onnx/read/external_data.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/hash.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr std::size_t kSmall = 64 << 10;  // below this a copy is cheaper than a mapping

[[noreturn]] void fail(const std::string& key, const std::string& message) {
  throw OpError("external-data", "external_data " + key, message);
}

// Digits only: no sign, blank, exponent or overflow.
std::uint64_t parse_number(const std::string& key, const std::string& text) {
  std::uint64_t v = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, v);
  if (error != std::errc{} || stop != end || text.empty())
    fail(key, quoted(text) + " is no decimal number of 64 bits");
  return v;
}

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

FileDescriptor open_beneath(int folder, const std::string& location,
                            const std::vector<std::string>& parts) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(kOpenFlags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, folder, location.c_str(), &how, sizeof how);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return open_stepwise(folder, parts);
  return FileDescriptor(static_cast<int>(fd));
}

bool read_exactly(int fd, std::uint64_t offset, std::vector<std::byte>& out) {
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t n =
        ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

struct ExternalData::Entry {
  std::string location, checksum;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;

  explicit Entry(const pb::TensorProto& tensor, std::vector<std::string>& warnings) {
    std::set<std::string> seen;
    for (const auto& pair : tensor.external_data()) {
      if (!seen.insert(pair.key()).second) fail(pair.key(), "given twice");
      if (pair.key() == "location")
        location = pair.value();
      else if (pair.key() == "offset")
        offset = parse_number("offset", pair.value());
      else if (pair.key() == "length")
        length = parse_number("length", pair.value());
      else if (pair.key() == "checksum")
        checksum = pair.value();
      else
        warnings.push_back(fmt::format("tensor {}: external_data key {} is not used",
                                       quoted(tensor.name()), quoted(pair.key())));
    }
    if (!seen.count("location")) fail("location", "missing");
  }
};

ExternalData::ExternalData(const std::string& model_path) {
  const std::size_t slash = model_path.rfind('/');
  folder_ = slash == std::string::npos ? "" : model_path.substr(0, slash + 1);
  folder_fd_ = FileDescriptor(
      ::open(folder_.empty() ? "." : folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

FileDescriptor ExternalData::open(const std::string& location) const {
  const std::string name = "location " + quoted(location);
  if (location.empty() || location.find('\0') != std::string::npos || location[0] == '/')
    fail(name, "is no relative path");
  const std::vector<std::string> parts = split_path(location);
  const std::string& file = parts.back();
  if (file.empty() || file == "." || file == "..") fail(name, "names no file");
  FileDescriptor fd = open_beneath(folder_fd_.get(), location, parts);
  if (!fd.valid() && (errno == ELOOP || errno == EXDEV))
    fail(name, "leads through a symbolic link or out of the model's folder");
  if (!fd.valid()) fail(name, fmt::format("cannot be opened: {}", std::strerror(errno)));
  return fd;
}

void ExternalData::verify_checksum(int fd, std::uint64_t size, const Entry& entry) {
  auto it = sha1_.find(entry.location);
  if (it == sha1_.end()) {
    const auto whole = MappedFile::map(fd, 0, static_cast<std::size_t>(size));
    if (!whole) fail("location " + quoted(entry.location), std::strerror(errno));
    it = sha1_.emplace(entry.location, sha1(whole->bytes())).first;
  }
  std::string wanted = entry.checksum;
  for (char& c : wanted)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  if (wanted != it->second)
    fail("checksum",
         fmt::format("{} differs from the file's SHA-1 {}", quoted(wanted), it->second));
}

std::shared_ptr<const Blob> ExternalData::read(const pb::TensorProto& tensor, std::int64_t needed) {
  const Entry entry(tensor, warnings);
  const auto want = static_cast<std::uint64_t>(needed);
  const FileDescriptor fd = open(entry.location);
  const std::string name = "location " + quoted(entry.location);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail(name, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail(name, "is no regular file");
  if (status.st_nlink > 1)
    warnings.push_back(fmt::format("external_data {} has {} hard links", name, status.st_nlink));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (entry.length && *entry.length != want)
    fail("length", fmt::format("{} bytes, but the tensor needs {}", *entry.length, want));
  if (entry.offset > size)
    fail("offset", fmt::format("{} is past the end of the file ({} bytes)", entry.offset, size));
  if (want > size - entry.offset)
    fail(name,
         fmt::format("needs {} bytes at offset {}, the file has {}", want, entry.offset, size));
  if (!entry.checksum.empty()) verify_checksum(fd.get(), size, entry);
  files_.insert(folder_ + entry.location);
  if (want < kSmall) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(want));
    if (!read_exactly(fd.get(), entry.offset, bytes)) fail(name, "cannot be read");
    return Blob::owned(std::move(bytes));
  }
  const auto mapped = MappedFile::map(fd.get(), entry.offset, static_cast<std::size_t>(want));
  if (!mapped) fail(name, fmt::format("cannot be mapped: {}", std::strerror(errno)));
  return Blob::view(mapped->bytes(), mapped);
}

}  // namespace onnxc::reader
