// load.cpp - a server: threads with an arena each call one program again and again, and every
// result must have the bits that a single thread computed. Prints `N passed, N failed`. usage: load
// RUNS THREADS [SECONDS], after which it ends even if runs are left. Compiled with the flags that
// model_flags of check.sh prints, and -DINPUT_SIZE and -DOUTPUT_SIZE, of a model with one input and
// one output of float32.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "../cli/model.hpp"

namespace {

constexpr std::size_t kRequests = 16;  // with an input each
constexpr std::align_val_t kAlign{CAPS(_ARENA_ALIGN)};

using Clock = std::chrono::steady_clock;

struct Request {
  std::vector<float> input, output;
};

class Arena {
 public:
  Arena() : start_(::operator new(CAPS(_ARENA_BYTES) + 1, kAlign)) {}
  Arena(const Arena&) = delete;
  ~Arena() { ::operator delete(start_, kAlign); }
  void* start() const { return start_; }

 private:
  void* start_;
};

bool run(const float* input, float* output, void* arena) {
  const NAME(_inputs) in = {input};
  const NAME(_outputs) out = {output};
  return NAME(_run)(&in, &out, arena) == CAPS(_OK);
}

std::vector<Request> requests() {
  std::vector<Request> list(kRequests);
  std::uint32_t state = 1;
  Arena arena;
  for (Request& r : list) {
    r.output.resize(OUTPUT_SIZE);
    for (int i = 0; i < INPUT_SIZE; ++i) {
      state = state * 1664525u + 1013904223u;
      r.input.push_back(static_cast<float>(state >> 8) / 16777216.0f);
    }
    if (!run(r.input.data(), r.output.data(), arena.start())) std::exit(2);
  }
  return list;
}

struct Count {
  std::uint64_t passed = 0, failed = 0;
};

Count serve(const std::vector<Request>& list, std::uint64_t first, std::uint64_t runs,
            Clock::time_point end) {
  const Arena arena;
  std::vector<float> output(OUTPUT_SIZE);
  Count count;
  for (std::uint64_t i = first; i < first + runs && Clock::now() < end; ++i) {
    const Request& r = list[i % kRequests];
    const bool ok = run(r.input.data(), output.data(), arena.start()) &&
                    std::memcmp(output.data(), r.output.data(), 4 * output.size()) == 0;
    ++(ok ? count.passed : count.failed);
  }
  return count;
}

}  // namespace

int main(int argc, char** arguments) {
  const std::uint64_t runs = std::strtoull(arguments[1], nullptr, 10);
  const std::uint64_t threads = std::strtoull(arguments[2], nullptr, 10);
  const std::vector<Request> list = requests();
  const Clock::time_point end = argc > 3
                                    ? Clock::now() + std::chrono::seconds(std::atoi(arguments[3]))
                                    : Clock::time_point::max();
  std::vector<Count> counts(threads);
  std::vector<std::thread> server;
  for (std::uint64_t k = 0; k < threads; ++k)
    server.emplace_back([&, k] { counts[k] = serve(list, k, (runs + k) / threads, end); });
  for (std::thread& t : server) t.join();
  Count sum;
  for (const Count& c : counts) sum = {sum.passed + c.passed, sum.failed + c.failed};
  std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(sum.passed),
              static_cast<unsigned long long>(sum.failed));
  return sum.failed == 0 ? 0 : 1;
}
