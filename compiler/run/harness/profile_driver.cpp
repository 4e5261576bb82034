// profile_driver.cpp - profile_driver INPUTS [INPUTS_OF_INIT]: for each step that ran, its number,
// the seconds it took in the median run and how often it ran in one.
#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "memory.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kTotalSeconds = 1.2;
constexpr std::size_t kMinRuns = 5;

struct StepTime {
  double seconds = 0;  // in this run
  long calls = 0;
};

std::map<int, StepTime> this_run;
Clock::time_point last;

}  // namespace

extern "C" void onnxc_profile(int step) {
  const auto now = Clock::now();
  StepTime& t = this_run[step];
  t.seconds += std::chrono::duration<double>(now - last).count();
  ++t.calls;
  last = Clock::now();  // without the time for the bookkeeping
}

int main(int argc, char** argv) {
  harness::Buffers buffers(*onnxc_units[0]);
  harness::prepare(buffers, argc, argv);
  std::map<int, std::vector<double>> seconds;
  std::map<int, long> calls;
  const auto start = Clock::now();
  for (std::size_t runs = 0;
       runs < kMinRuns ||
       std::chrono::duration<double>(Clock::now() - start).count() < kTotalSeconds;
       ++runs) {
    this_run.clear();
    last = Clock::now();
    if (const int status = buffers.run_again(); status != 0) harness::fail_with_status(status);
    for (const auto& [step, t] : this_run) {
      seconds[step].push_back(t.seconds);
      calls[step] = t.calls;
    }
  }
  for (auto& [step, times] : seconds) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    std::printf("%d %.9g %ld\n", step, *middle, calls[step]);
  }
  return 0;
}
