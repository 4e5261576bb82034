// Opens, checks and maps files of external data.
#include "compiler/onnx/read/external_data.hpp"

#include <fmt/format.h>

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

ExternalData::ExternalData(const std::string& model_path)
    : folder_(platform::folder_part(model_path)), files_of_folder_(folder_) {}

FileDescriptor ExternalData::open(const std::string& location) const {
  const std::string name = "location " + quoted(location);
  if (location.empty() || location.find('\0') != std::string::npos ||
      !platform::is_relative(location))
    fail(name, "is no relative path");
  const std::string file = location.substr(location.rfind('/') + 1);
  if (file.empty() || file == "." || file == "..") fail(name, "names no file");
  FileDescriptor fd = files_of_folder_.open(location);
  if (!fd.valid() && (errno == ELOOP || errno == EXDEV))
    fail(name, "leads through a symbolic link or out of the model's folder");
  if (!fd.valid()) fail(name, fmt::format("cannot be opened: {}", std::strerror(errno)));
  return fd;
}

void ExternalData::verify_checksum(const FileDescriptor& file, std::uint64_t size,
                                   const Entry& entry) {
  auto it = sha1_.find(entry.location);
  if (it == sha1_.end()) {
    const auto whole = MappedFile::of(file, 0, static_cast<std::size_t>(size));
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
  const auto facts = platform::facts_of(fd);
  if (!facts) fail(name, std::strerror(errno));
  if (facts->kind != platform::FileKind::regular) fail(name, "is no regular file");
  if (facts->links > 1)
    warnings.push_back(fmt::format("external_data {} has {} hard links", name, facts->links));
  const std::uint64_t size = facts->size;
  if (entry.length && *entry.length != want)
    fail("length", fmt::format("{} bytes, but the tensor needs {}", *entry.length, want));
  if (entry.offset > size)
    fail("offset", fmt::format("{} is past the end of the file ({} bytes)", entry.offset, size));
  if (want > size - entry.offset)
    fail(name,
         fmt::format("needs {} bytes at offset {}, the file has {}", want, entry.offset, size));
  if (!entry.checksum.empty()) verify_checksum(fd, size, entry);
  files_.insert(folder_ + entry.location);
  if (want < kSmall) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(want));
    if (!platform::read_at(fd, entry.offset, bytes)) fail(name, "cannot be read");
    return Blob::owned(std::move(bytes));
  }
  const std::shared_ptr<const MappedFile> mapped(
      MappedFile::of(fd, entry.offset, static_cast<std::size_t>(want)));
  if (!mapped) fail(name, fmt::format("cannot be mapped: {}", std::strerror(errno)));
  return Blob::view(mapped->bytes(), mapped);
}

}  // namespace onnxc::reader
