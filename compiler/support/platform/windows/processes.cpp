// Programs in a job object, which ends them with their children.
#include "compiler/support/platform/processes.hpp"

#include <windows.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

// One word of a command line, as the start-up code of C programs divides it.
void append_word(std::string& line, const std::string& word) {
  if (!line.empty()) line += ' ';
  if (!word.empty() && word.find_first_of(" \t\"") == word.npos) {
    line += word;
    return;
  }
  line += '"';
  std::size_t slashes = 0;
  for (const char c : word) {
    // Before a quotation mark backslashes count twice.
    if (c == '"') line.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    line += c;
  }
  line.append(slashes, '\\');
  line += '"';
}

class Handle {
 public:
  Handle() = default;
  explicit Handle(HANDLE h) : handle_(h) {}
  Handle(const Handle&) = delete;
  ~Handle() { close(); }
  void close() {
    if (handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
    handle_ = nullptr;
  }
  HANDLE get() const { return handle_; }
  HANDLE* out() { return &handle_; }

 private:
  HANDLE handle_ = nullptr;
};

HANDLE killing_job() {
  const HANDLE job = CreateJobObjectA(nullptr, nullptr);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

// Until all who write have closed the pipe.
void read_all(HANDLE pipe, std::string& output) {
  char buffer[8192];
  DWORD n = 0;
  while (ReadFile(pipe, buffer, sizeof buffer, &n, nullptr) != 0 && n > 0) {
    const std::size_t room = platform::kBytesOfOutput - output.size();
    output.append(buffer, std::min<std::size_t>(room, n));
  }
}

// A program that ends by an exception has its code, 0xC..., in the place of a signal.
void set_exit(ProcessResult& result, DWORD code) {
  if (code >= 0xC0000000u)
    result.signal = static_cast<int>(code);
  else
    result.exit_code = static_cast<int>(code);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, double timeout) {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  Handle read_end, write_end;
  if (CreatePipe(read_end.out(), write_end.out(), &inherited, 0) == 0)
    throw FatalError(exit_code::io, "cannot make a pipe");
  SetHandleInformation(read_end.get(), HANDLE_FLAG_INHERIT, 0);
  const Handle null(CreateFileA("NUL", GENERIC_READ, 0, &inherited, OPEN_EXISTING, 0, nullptr));
  STARTUPINFOA start{};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = null.get();
  start.hStdOutput = start.hStdError = write_end.get();
  std::string line;
  for (const std::string& word : command) append_word(line, word);

  ProcessResult result;
  const auto begin = std::chrono::steady_clock::now();
  Handle job(killing_job());
  PROCESS_INFORMATION made{};
  if (CreateProcessA(nullptr, line.data(), nullptr, nullptr, TRUE, CREATE_SUSPENDED, nullptr,
                     nullptr, &start, &made) == 0) {
    result.exit_code = 127;
    result.output = fmt::format("cannot run {}: error {}\n", command[0], GetLastError());
    return result;
  }
  const Handle process(made.hProcess), thread(made.hThread);
  AssignProcessToJobObject(job.get(), process.get());
  ResumeThread(thread.get());
  write_end.close();
  std::exception_ptr failure;
  std::thread reader([&] {
    try {
      read_all(read_end.get(), result.output);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  const double limit = std::min(std::ceil(timeout * 1000), 4e9);
  result.timed_out = WaitForSingleObject(process.get(), static_cast<DWORD>(limit)) == WAIT_TIMEOUT;
  if (result.timed_out) TerminateJobObject(job.get(), 1);
  DWORD code = 1;
  WaitForSingleObject(process.get(), INFINITE);
  GetExitCodeProcess(process.get(), &code);
  job.close();  // children that still hold the pipe end here
  reader.join();
  if (failure) std::rethrow_exception(failure);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  set_exit(result, result.timed_out ? 1 : code);
  return result;
}

}  // namespace onnxc

namespace onnxc::platform {

int process_number() { return static_cast<int>(GetCurrentProcessId()); }

std::string signal_text(int signal) {
  switch (static_cast<DWORD>(signal)) {
    case EXCEPTION_ACCESS_VIOLATION:
      return "access violation";
    case EXCEPTION_STACK_OVERFLOW:
      return "stack overflow";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
      return "division by zero";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
      return "illegal instruction";
    default:
      return fmt::format("exception {:#x}", static_cast<DWORD>(signal));
  }
}

bool is_alarm(int) { return false; }

std::string system_name() {
  const char* machine = std::getenv("PROCESSOR_ARCHITECTURE");
  return fmt::format("Windows {}", machine != nullptr ? machine : "");
}

Alarm::Alarm(unsigned) {}
Alarm::~Alarm() = default;

}  // namespace onnxc::platform
