// Starts processes, reads their output and enforces the time limit.
#include "compiler/support/platform/processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kOutputLimit = platform::kBytesOfOutput;

// Runs in the child; never returns.
[[noreturn]] void become(const std::vector<std::string>& command, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const std::string message = fmt::format("cannot run {}: {}\n", command[0], std::strerror(errno));
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, message.data(), message.size());
  _exit(127);
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::min<long long>(std::max<long long>(left, 0), 1'000'000));
}

// Reads until the pipe closes; false after the deadline.
bool drain(int pipe, Clock::time_point deadline, std::string& output) {
  std::array<char, 8192> buffer;
  for (;;) {
    pollfd wait{pipe, POLLIN, 0};
    const int ready = poll(&wait, 1, milliseconds_until(deadline));
    if (ready == 0 && Clock::now() >= deadline) return false;
    if (ready <= 0) continue;
    const ssize_t n = read(pipe, buffer.data(), buffer.size());
    if (n == 0 || (n < 0 && errno != EINTR)) return true;
    const std::size_t remaining = kOutputLimit - std::min(kOutputLimit, output.size());
    if (n > 0) output.append(buffer.data(), std::min(remaining, static_cast<std::size_t>(n)));
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, double timeout) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw FatalError(exit_code::io, "cannot make a pipe");
  const pid_t self = getpid();
  const auto start = Clock::now();
  const pid_t child = fork();
  if (child < 0) throw FatalError(exit_code::io, "cannot start another process");
  if (child == 0) become(command, ends[1], self);
  close(ends[1]);

  ProcessResult result;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout));
  result.timed_out = !drain(ends[0], start + limit, result.output);
  close(ends[0]);
  if (result.timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace onnxc

namespace onnxc::platform {

int process_number() { return getpid(); }

std::string signal_text(int signal) { return strsignal(signal); }

bool is_alarm(int signal) { return signal == SIGALRM; }

std::string system_name() {
  utsname about{};
  if (uname(&about) != 0) return "";
  return fmt::format("{} {} {}", about.sysname, about.release, about.machine);
}

Alarm::Alarm(unsigned seconds) { alarm(seconds); }
Alarm::~Alarm() { alarm(0); }

}  // namespace onnxc::platform
