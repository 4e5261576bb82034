// Files by the C library of Windows, whose text is UTF-8: windows.manifest asks for it.
#include "compiler/support/platform/files.hpp"

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <windows.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "compiler/support/platform/processes.hpp"

namespace onnxc::platform {
namespace {

constexpr unsigned kBlock = 1 << 20;  // the library's sizes have 31 bits

int error_of(DWORD code) {
  switch (code) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      return EACCES;
    case ERROR_DISK_FULL:
      return ENOSPC;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
      return EEXIST;
    default:
      return EIO;
  }
}

// Open to be read: also a folder, which the C library refuses.
int open_handle(const std::string& path) {
  const HANDLE h = CreateFileA(path.c_str(), GENERIC_READ,
                               FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                               OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (h == INVALID_HANDLE_VALUE) return errno = error_of(GetLastError()), -1;
  return _open_osfhandle(reinterpret_cast<std::intptr_t>(h), O_RDONLY | O_BINARY);
}

HANDLE handle_of(int fd) { return reinterpret_cast<HANDLE>(_get_osfhandle(fd)); }

// Names that are devices in every folder, with and without an extension.
bool is_device(std::string part) {
  part.resize(std::min(part.find_first_of(".:"), part.size()));
  while (part.ends_with(' ')) part.pop_back();
  for (char& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const char* name : {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"})
    if (part == name) return true;
  return part.size() == 4 && (part.starts_with("COM") || part.starts_with("LPT")) &&
         part[3] >= '0' && part[3] <= '9';
}

constexpr int kNames = 1000;  // that are tried

std::string temporary_name(int number) {
  char base[MAX_PATH + 1] = "";
  GetTempPathA(MAX_PATH, base);
  return std::string(base) + "onnxc-" + std::to_string(process_number()) + "-" +
         std::to_string(number);
}

int write_all(int fd, std::string_view content) {
  for (std::size_t at = 0; at < content.size();) {
    const auto size = static_cast<unsigned>(std::min<std::size_t>(kBlock, content.size() - at));
    const int n = _write(fd, content.data() + at, size);
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    at += static_cast<std::size_t>(n);
  }
  return 0;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) _close(fd_);
}

FileDescriptor open_to_read(const std::string& path) { return FileDescriptor(open_handle(path)); }

// The system removes the file with its last descriptor.
FileDescriptor copy_of_input() {
  FileDescriptor copy;
  for (int i = 0; i < kNames && !copy.valid(); ++i)
    copy = FileDescriptor(_open(temporary_name(i).c_str(),
                                O_RDWR | O_CREAT | O_EXCL | O_BINARY | O_TEMPORARY,
                                S_IREAD | S_IWRITE));
  std::vector<char> buffer(kBlock);
  for (;;) {
    const int n = _read(0, buffer.data(), kBlock);
    if (n == 0) return copy;
    if (n < 0 || _write(copy.get(), buffer.data(), static_cast<unsigned>(n)) != n)
      return FileDescriptor();
  }
}

FileDescriptor duplicate(const FileDescriptor& file) { return FileDescriptor(_dup(file.get())); }

std::optional<FileFacts> facts_of(const FileDescriptor& file) {
  const HANDLE h = handle_of(file.get());
  FileFacts facts;
  if (GetFileType(h) != FILE_TYPE_DISK) return facts;
  BY_HANDLE_FILE_INFORMATION about{};
  if (GetFileInformationByHandle(h, &about) == 0) {
    errno = error_of(GetLastError());
    return std::nullopt;
  }
  const bool folder = (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  facts.kind = folder ? FileKind::folder : FileKind::regular;
  facts.size = std::uint64_t{about.nFileSizeHigh} << 32 | about.nFileSizeLow;
  facts.links = about.nNumberOfLinks;
  return facts;
}

bool read_at(const FileDescriptor& file, std::uint64_t offset, std::span<std::byte> out) {
  for (std::size_t done = 0; done < out.size();) {
    const std::uint64_t from = offset + done;
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(from);
    place.OffsetHigh = static_cast<DWORD>(from >> 32);
    DWORD n = 0;
    const auto size = static_cast<DWORD>(std::min<std::size_t>(kBlock, out.size() - done));
    if (ReadFile(handle_of(file.get()), out.data() + done, size, &n, &place) == 0 || n == 0)
      return errno = EIO, false;
    done += n;
  }
  return true;
}

Mapping::~Mapping() {
  if (base_) UnmapViewOfFile(base_);
}

std::unique_ptr<const Mapping> Mapping::of(const FileDescriptor& file, std::uint64_t offset,
                                           std::size_t length) {
  std::unique_ptr<Mapping> mapping(new Mapping);
  if (length == 0) return mapping;
  SYSTEM_INFO system{};
  GetSystemInfo(&system);
  const auto lead = static_cast<std::size_t>(offset % system.dwAllocationGranularity);
  const std::uint64_t begin = offset - lead;
  const HANDLE object =
      CreateFileMappingA(handle_of(file.get()), nullptr, PAGE_READONLY, 0, 0, nullptr);
  void* base = object == nullptr
                   ? nullptr
                   : MapViewOfFile(object, FILE_MAP_READ, static_cast<DWORD>(begin >> 32),
                                   static_cast<DWORD>(begin), length + lead);
  const DWORD reason = GetLastError();
  if (object != nullptr) CloseHandle(object);  // the view keeps it
  if (base == nullptr) return errno = error_of(reason), nullptr;
  mapping->base_ = base;
  mapping->mapped_ = length + lead;
  mapping->bytes_ = {static_cast<const std::byte*>(base) + lead, length};
  return mapping;
}

std::string folder_part(const std::string& path) {
  return path.substr(0, path.find_last_of("/\\:") + 1);
}

// A model's locations have '/' only: '\' and drives would lead elsewhere here than on other
// systems.
bool is_relative(std::string_view location) {
  if (location.starts_with('/') || location.find_first_of("\\:") != location.npos) return false;
  for (std::size_t at = 0, end = 0; end != location.npos; at = end + 1) {
    end = location.find('/', at);
    if (is_device(std::string(location.substr(at, end == location.npos ? end : end - at))))
      return false;
  }
  return true;
}

int write_new(const std::string& path, std::string_view content, bool& made) {
  const int fd = _open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_BINARY, S_IREAD | S_IWRITE);
  if (fd < 0) return errno;
  made = true;
  int reason = write_all(fd, content);
  if (reason == 0 && _commit(fd) != 0) reason = errno;
  if (_close(fd) != 0 && reason == 0) reason = errno;
  return reason;
}

bool exists(const std::string& path) { return _access(path.c_str(), 0) == 0; }

bool rename_over(const std::string& from, const std::string& to) {
  constexpr DWORD kHow = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  if (MoveFileExA(from.c_str(), to.c_str(), kHow) != 0) return true;
  return errno = error_of(GetLastError()), false;
}

bool link(const std::string& file, const std::string& name) {
  return CreateHardLinkA(name.c_str(), file.c_str(), nullptr) != 0;
}

void remove(const std::string& path) { DeleteFileA(path.c_str()); }

void sync_folder(const std::string&) {}

bool make_temporary_folder(std::string& path) {
  for (int i = 0; i < kNames; ++i) {
    path = temporary_name(i);
    if (CreateDirectoryA(path.c_str(), nullptr) != 0) return true;
    if (GetLastError() != ERROR_ALREADY_EXISTS) break;
  }
  return false;
}

FileLock::FileLock(const std::string& path)
    : file_(_open(path.c_str(), O_CREAT | O_RDWR | O_BINARY, S_IREAD | S_IWRITE)) {
  OVERLAPPED all{};
  LockFileEx(handle_of(file_), LOCKFILE_EXCLUSIVE_LOCK, 0, MAXDWORD, MAXDWORD, &all);
}

FileLock::~FileLock() { _close(file_); }

}  // namespace onnxc::platform
