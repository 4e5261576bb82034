// Limits by a job object, which this process enters and cannot leave.
#include "compiler/support/platform/limits.hpp"

#include <windows.h>

#include <psapi.h>

#include <atomic>
#include <cstdio>

#include "compiler/support/diagnostics.hpp"

namespace onnxc::platform {
namespace {

HANDLE job = nullptr;

bool set_memory(SIZE_T bytes) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  if (bytes > 0) limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY;
  // Programs started meanwhile have no limits.
  limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
  limits.ProcessMemoryLimit = bytes;
  return SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) !=
         0;
}

bool enter_job() {
  if (job == nullptr) {
    job = CreateJobObjectA(nullptr, nullptr);
    if (job != nullptr) AssignProcessToJobObject(job, GetCurrentProcess());
  }
  return job != nullptr;
}

std::int64_t processor_time() {  // units of 100 ns
  FILETIME made, ended, kernel, user;
  GetProcessTimes(GetCurrentProcess(), &made, &ended, &kernel, &user);
  const auto units = [](const FILETIME& t) {
    return static_cast<std::int64_t>(std::uint64_t{t.dwHighDateTime} << 32 | t.dwLowDateTime);
  };
  return units(kernel) + units(user);
}

std::atomic<std::int64_t> deadline{0};  // 0: none

DWORD WINAPI watch(void*) {
  for (;; Sleep(200)) {
    const std::int64_t end = deadline.load();
    if (end == 0 || processor_time() < end) continue;
    std::fputs("onnxc: out of time; --max-time allows more\n", stderr);
    std::fflush(stderr);
    TerminateProcess(GetCurrentProcess(), exit_code::budget);
  }
}

}  // namespace

bool limit_memory(std::int64_t bytes) {
  PROCESS_MEMORY_COUNTERS now{};
  if (!enter_job() || GetProcessMemoryInfo(GetCurrentProcess(), &now, sizeof now) == 0)
    return false;
  return set_memory(now.PagefileUsage + static_cast<SIZE_T>(bytes));
}

void lift_memory_limit() { set_memory(0); }

bool limit_time(int seconds) {
  static const HANDLE watcher = CreateThread(nullptr, 0, watch, nullptr, 0, nullptr);
  deadline = processor_time() + std::int64_t{seconds} * 10'000'000;
  return watcher != nullptr;
}

void lift_time_limit() { deadline = 0; }

// The system keeps others from shortening a mapped file.
void watch_mapped_files() {}

}  // namespace onnxc::platform
