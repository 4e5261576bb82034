// Shows control characters as escapes, so that a terminal does not execute them.
#include "compiler/support/terminal.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

#include "compiler/support/platform/terminal.hpp"
#include "compiler/support/utf8.hpp"

namespace onnxc::terminal {
namespace {

bool is_harmless(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;       // C0, delete, C1
  if (code == 0x61c || code == 0x200e || code == 0x200f) return false;  // directional marks
  if (code >= 0x2028 && code <= 0x202e) return false;  // line, paragraph, embedding, override
  return code < 0x2066 || code > 0x2069;               // isolates
}

}  // namespace

std::string text(std::string_view raw) {
  std::string s;
  while (!raw.empty()) {
    const std::size_t n = utf8_length(raw);
    const std::string_view character = raw.substr(0, n == 0 ? 1 : n);
    if (n > 0 && is_harmless(code_point(character)))
      s += character;
    else
      for (const char c : character) s += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    raw.remove_prefix(character.size());
  }
  return s;
}

std::string counted(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

void set_tone(std::FILE* out, Tone tone) {
  static const bool wanted = [] {
    const char *const no = std::getenv("NO_COLOR"), *const term = std::getenv("TERM");
    return (!no || !*no) && (!term || std::string_view(term) != "dumb");
  }();
  if (!wanted || !platform::is_terminal(out)) return;
  static constexpr const char* kSequences[] = {"\033[m", "\033[1;31m", "\033[1;35m", "\033[1;36m"};
  std::fputs(kSequences[static_cast<int>(tone)], out);
}

void print_document(std::FILE* out, const std::string& document) {
  std::fwrite(document.data(), 1, document.size(), out);
}

// Prints the line again every second, from a thread of its own: what it tells about may be one
// call, of the compiler or of a pass.
class StatusLine::Clock {
 public:
  explicit Clock(const std::string& raw) : thread_([this, line = text(raw)] { run(line); }) {}
  ~Clock() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

 private:
  // Without memory of its own: this thread could not report that there is none.
  void run(const std::string& line) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    for (int s = 1;
         !changed_.wait_until(lock, start + std::chrono::seconds(s), [this] { return ended_; });
         ++s) {
      std::array<char, 24> time;
      std::snprintf(time.data(), time.size(), ", %d s", s);
      std::fputs("\r\033[K", stderr);
      std::fputs(line.c_str(), stderr);
      std::fputs(time.data(), stderr);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;  // the last member: it uses the others
};

StatusLine::StatusLine() : terminal_(platform::is_terminal(stderr)) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::show(const std::string& text) const {
  clear();
  if (!terminal_) return;
  print(stderr, "{}", text);
  shown_ = true;
}

void StatusLine::show_with_time(const std::string& text) const {
  show(text);
  if (!terminal_) return;
  try {
    clock_ = std::make_unique<Clock>(text);
  } catch (const std::system_error&) {  // no thread: then without the time
  }
}

void StatusLine::clear() const {
  clock_.reset();
  if (shown_) print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace onnxc::terminal
