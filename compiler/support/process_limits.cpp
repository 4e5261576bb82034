// The memory limit is the kernel's on writable private memory: mapped model files do not count.
#include "compiler/support/limits.hpp"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

int depth = 0;  // of objects that exist
rlimit memory_before;
std::int64_t memory_limit = 0;  // for the message; stays when the limit is gone

// Writable memory that the process has: sanitizers reserve terabytes before main().
rlim_t memory_now() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file) return 0;
  unsigned long long data = 0;
  const int found = std::fscanf(file, "%*u %*u %*u %*u %*u %llu", &data);
  std::fclose(file);
  return found == 1 ? static_cast<rlim_t>(data) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) : 0;
}

// For handlers of signals, which may neither allocate nor use stdio.
template <std::size_t N>
[[noreturn]] void end(const char (&text)[N], int code) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, N - 1);
  _exit(code);
}

void end_in_time(int) { end("onnxc: out of time; --max-time allows more\n", exit_code::budget); }

void end_of_file(int) { end("onnxc: a file became shorter while it was read\n", exit_code::io); }

void set_timer(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

ProcessLimits::ProcessLimits(const Limits& limits) {
  if (depth++ > 0) return;  // the outermost counts
  if (limits.memory > 0 && getrlimit(RLIMIT_DATA, &memory_before) == 0) {
    rlimit lower = memory_before;
    lower.rlim_cur = memory_now() + static_cast<rlim_t>(limits.memory);
    memory_ = lower.rlim_cur < memory_before.rlim_cur && setrlimit(RLIMIT_DATA, &lower) == 0;
    if (memory_) memory_limit = limits.memory;
  }
  if (limits.seconds > 0) {
    time_ = std::signal(SIGPROF, end_in_time) != SIG_ERR;
    if (time_) set_timer(limits.seconds);
  }
}

ProcessLimits::~ProcessLimits() {
  if (--depth > 0) return;
  if (memory_) setrlimit(RLIMIT_DATA, &memory_before);
  if (!time_) return;
  set_timer(0);
  std::signal(SIGPROF, SIG_DFL);
}

void watch_mapped_files() { std::signal(SIGBUS, end_of_file); }

int report_out_of_memory() noexcept {
  char text[80] = "onnxc: out of memory\n";
  if (memory_limit > 0)
    std::snprintf(text, sizeof text, "onnxc: out of memory; --max-memory is %lld bytes\n",
                  static_cast<long long>(memory_limit));
  std::fputs(text, stderr);
  return exit_code::budget;
}

}  // namespace onnxc
