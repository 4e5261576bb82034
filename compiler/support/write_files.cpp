// Writes every file under a temporary name next to its target, then renames all of them.
#include "compiler/support/write_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

bool same_on_disk(const GeneratedFile& f) {
  std::error_code error;
  if (!fs::is_regular_file(f.path, error)) return false;
  if (fs::file_size(f.path, error) != f.content.size() || error) return false;
  std::ifstream in(f.path, std::ios::binary);
  std::string block(1 << 16, '\0');
  for (std::size_t at = 0; at < f.content.size();) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto got = static_cast<std::size_t>(in.gcount());
    if (got == 0 || f.content.compare(at, got, block, 0, got) != 0) return false;
    at += got;
  }
  return true;
}

[[noreturn]] void io_error(const std::string& path, const char* what, int reason) {
  throw FatalError(exit_code::io, fmt::format("{}: {}: {}", path, what, std::strerror(reason)));
}

// The folder of a path, for mkdir and fsync.
fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

// One file on its way to its place. Until `done` the destructor puts back what was there before.
class PendingFile {
 public:
  explicit PendingFile(const std::string& path)
      : path_(path), temporary_(unused_name("tmp")), old_(unused_name("old")) {}
  PendingFile(const PendingFile&) = delete;
  ~PendingFile() {
    if (kept_old_)
      restore();
    else if (placed_)
      unlink(path_.c_str());
    if (staged_) unlink(temporary_.c_str());
  }

  // Writes the content under the temporary name, down to the disk.
  void stage(const std::string& content) {
    const int fd = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) io_error(path_, "cannot write", errno);
    staged_ = true;
    int reason = write_all(fd, content);
    if (reason == 0 && fsync(fd) != 0 && errno != EINVAL) reason = errno;  // EINVAL: no disk
    if (close(fd) != 0 && reason == 0) reason = errno;
    if (reason != 0) io_error(path_, "cannot write", reason);
  }

  // Keeps the old file under another name. `absent`: until the new one takes its place there is
  // none. File systems without hard links keep no old file otherwise.
  void keep_old(bool absent) {
    std::error_code ignored;
    if (fs::is_directory(path_, ignored)) return;  // place() says so
    const int result =
        absent ? std::rename(path_.c_str(), old_.c_str()) : link(path_.c_str(), old_.c_str());
    kept_old_ = result == 0;
    if (absent && !kept_old_ && errno != ENOENT) io_error(path_, "cannot rename", errno);
  }

  void place() {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
      io_error(path_, "cannot rename", errno);
    staged_ = false;
    placed_ = true;
  }

  void done() {
    if (kept_old_) unlink(old_.c_str());
    kept_old_ = placed_ = false;
  }

 private:
  // A rename between two names of one file does nothing, and may be what fails.
  void restore() {
    if (std::rename(old_.c_str(), path_.c_str()) != 0) {
      unlink(path_.c_str());
      [[maybe_unused]] const int result = link(old_.c_str(), path_.c_str());
    }
    unlink(old_.c_str());
  }
  // A killed run may have left files, and another one may have the same number elsewhere.
  std::string unused_name(const char* kind) const {
    for (int i = 0;; ++i) {
      std::string name = fmt::format("{}.{}{}.{}", path_, kind, getpid(), i);
      if (access(name.c_str(), F_OK) != 0) return name;
    }
  }

  // 0, or the reason why not.
  static int write_all(int fd, const std::string& content) {
    for (std::size_t at = 0; at < content.size();) {
      const ssize_t n = write(fd, content.data() + at, content.size() - at);
      if (n < 0 && errno != EINTR) return errno;
      if (n > 0) at += static_cast<std::size_t>(n);
    }
    return 0;
  }

  std::string path_, temporary_, old_;
  bool staged_ = false, kept_old_ = false, placed_ = false;
};

// Makes the renames last. Some file systems cannot; then they last as long as these do.
void sync_folder(const std::string& path) {
  const int fd = open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

void write_files(const std::vector<GeneratedFile>& files) {
  std::vector<std::unique_ptr<PendingFile>> pending;
  for (const GeneratedFile& f : files) {
    if (!f.path.ends_with(".cpp") && same_on_disk(f)) continue;
    std::error_code ignored;  // errors appear on opening
    fs::create_directories(folder_of(f.path), ignored);
    pending.push_back(std::make_unique<PendingFile>(f.path));
    pending.back()->stage(f.content);
  }
  // The .cpp comes first in `files`. Build tools take it as the sign of completion: it is removed
  // first and written last, so that whoever finds it finds the other files of the same run, also
  // after a run that was killed.
  for (auto& p : pending) p->keep_old(pending.size() > 1 && p == pending.front());
  for (std::size_t i = pending.size(); i-- > 0;) pending[i]->place();
  for (auto& p : pending) p->done();
  if (!files.empty()) sync_folder(files.front().path);
}

bool in_same_folder(const std::string& a, const std::string& b) {
  const auto folder = [](const std::string& file) {
    return fs::weakly_canonical(fs::absolute(file)).parent_path();
  };
  return folder(a) == folder(b);
}

}  // namespace onnxc
