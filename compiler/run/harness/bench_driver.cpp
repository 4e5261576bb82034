// bench_driver.cpp - bench_driver INPUTS [INPUTS_OF_INIT]: prints the number of runs, the peak
// memory and the milliseconds that the fastest run takes, and at most 25, 50, 75, 90 and 99 of 100.
#ifdef _WIN32
#define NOMINMAX
#define PSAPI_VERSION 2  // the function is in a library that every program has
#include <windows.h>

#include <psapi.h>
#else
#include <sys/resource.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "memory.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kSampleSeconds = 200e-6;  // shorter runs are timed in groups
constexpr double kTotalSeconds = 1.2, kWarmUpSeconds = 0.2;
constexpr std::size_t kMinSamples = 5;

std::int64_t peak_bytes() {
#ifdef _WIN32
  PROCESS_MEMORY_COUNTERS counters{};
  GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
  return static_cast<std::int64_t>(counters.PeakWorkingSetSize);
#else
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * std::int64_t{1024};
#endif
}

struct Bench {
  harness::Buffers& buffers;

  // Seconds of `count` runs.
  double time(long count) const {
    const auto start = Clock::now();
    for (long i = 0; i < count; ++i) {
      if (const int status = buffers.run_again(); status != 0) harness::fail_with_status(status);
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  // Warms up caches and clocks; returns how many runs make one sample.
  long calibrate() const {
    long count = 1;
    double spent = 0, last = 0;
    for (;;) {
      last = time(count);
      spent += last;
      if (last >= kSampleSeconds && spent >= kWarmUpSeconds) return count;
      if (last < kSampleSeconds) count *= 2;
      if (count == 1 && spent >= kTotalSeconds) return 1;
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  harness::Buffers buffers(*onnxc_units[0]);
  harness::prepare(buffers, argc, argv);
  const Bench bench{buffers};

  const long group = bench.calibrate();
  std::vector<double> samples;
  double spent = 0;
  while (spent < kTotalSeconds || samples.size() < kMinSamples) {
    const double seconds = bench.time(group);
    spent += seconds;
    samples.push_back(seconds * 1e3 / static_cast<double>(group));
  }
  std::sort(samples.begin(), samples.end());
  std::printf("%zu %lld %.9g", samples.size() * static_cast<std::size_t>(group),
              static_cast<long long>(peak_bytes()), samples.front());
  for (const double share : {0.25, 0.5, 0.75, 0.9, 0.99})
    std::printf(" %.9g",
                samples[static_cast<std::size_t>(share * static_cast<double>(samples.size()))]);
  std::printf("\n");
  return 0;
}
