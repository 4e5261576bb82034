// Writes every file under a temporary name next to its target, then renames all of them.
#include "compiler/support/write_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/platform/files.hpp"
#include "compiler/support/platform/processes.hpp"

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
      platform::remove(path_);
    if (staged_) platform::remove(temporary_);
  }

  // Writes the content under the temporary name, down to the disk.
  void stage(const std::string& content) {
    const int reason = platform::write_new(temporary_, content, staged_);
    if (reason != 0) io_error(path_, "cannot write", reason);
  }

  // Keeps the old file under another name. `absent`: until the new one takes its place there is
  // none. File systems without hard links keep no old file otherwise.
  void keep_old(bool absent) {
    std::error_code ignored;
    if (fs::is_directory(path_, ignored)) return;  // place() says so
    kept_old_ = absent ? platform::rename_over(path_, old_) : platform::link(path_, old_);
    if (absent && !kept_old_ && errno != ENOENT) io_error(path_, "cannot rename", errno);
  }

  void place() {
    if (!platform::rename_over(temporary_, path_)) io_error(path_, "cannot rename", errno);
    staged_ = false;
    placed_ = true;
  }

  void done() {
    if (kept_old_) platform::remove(old_);
    kept_old_ = placed_ = false;
  }

 private:
  // A rename between two names of one file does nothing, and may be what fails.
  void restore() {
    if (!platform::rename_over(old_, path_)) {
      platform::remove(path_);
      platform::link(old_, path_);
    }
    platform::remove(old_);
  }
  // A killed run may have left files, and another one may have the same number elsewhere.
  std::string unused_name(const char* kind) const {
    for (int i = 0;; ++i) {
      std::string name = fmt::format("{}.{}{}.{}", path_, kind, platform::process_number(), i);
      if (!platform::exists(name)) return name;
    }
  }

  std::string path_, temporary_, old_;
  bool staged_ = false, kept_old_ = false, placed_ = false;
};

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
  if (!files.empty()) platform::sync_folder(folder_of(files.front().path).string());
}

bool in_same_folder(const std::string& a, const std::string& b) {
  const auto folder = [](const std::string& file) {
    return fs::weakly_canonical(fs::absolute(file)).parent_path();
  };
  return folder(a) == folder(b);
}

}  // namespace onnxc
