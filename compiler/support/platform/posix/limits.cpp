// The memory limit is the kernel's on writable private memory: mapped model files do not count.
#include "compiler/support/platform/limits.hpp"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "compiler/support/diagnostics.hpp"

namespace onnxc::platform {
namespace {

rlimit memory_before;

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

bool limit_memory(std::int64_t bytes) {
  if (getrlimit(RLIMIT_DATA, &memory_before) != 0) return false;
  rlimit lower = memory_before;
  lower.rlim_cur = memory_now() + static_cast<rlim_t>(bytes);
  return lower.rlim_cur < memory_before.rlim_cur && setrlimit(RLIMIT_DATA, &lower) == 0;
}

void lift_memory_limit() { setrlimit(RLIMIT_DATA, &memory_before); }

bool limit_time(int seconds) {
  if (std::signal(SIGPROF, end_in_time) == SIG_ERR) return false;
  set_timer(seconds);
  return true;
}

void lift_time_limit() {
  set_timer(0);
  std::signal(SIGPROF, SIG_DFL);
}

void watch_mapped_files() { std::signal(SIGBUS, end_of_file); }

}  // namespace onnxc::platform
