// float32.cpp - every function over the bit patterns of float.
#include <algorithm>
#include <atomic>
#include <cfloat>
#include <cstdio>
#include <mutex>
#include <thread>

#include "tests/accuracy/measure.hpp"

namespace accuracy {
namespace {

struct Result {
  Worst scalar, vector;
  std::uint64_t differ = 0;  // inputs where scalar and vector results have other bits
};

const float kSpecial[] = {0.0f,      -0.0f,     FLT_TRUE_MIN, -FLT_TRUE_MIN, FLT_MIN,   -FLT_MIN,
                          1.0f,      -1.0f,     0.5f,         -0.5f,         2.0f,      -2.0f,
                          3.0f,      -3.0f,     FLT_MAX,      -FLT_MAX,      88.72284f, 88.7229f,
                          -87.3366f, -103.972f, -104.0f,      INFINITY,      -INFINITY, NAN};

struct Job {
  const std::vector<Forms>& forms;
  int function;
  Visit visit;
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::vector<Result> results;

  Job(const std::vector<Forms>& f, int which, const Visit& v)
      : forms(f), function(which), visit(v), results(f.size()) {}

  // Most targets and both forms agree on most blocks: results that an earlier form had are not
  // measured again.
  void block(const float* x, std::vector<Result>& mine) {
    static thread_local float got[2 * kMaxTargets][kChunk];
    static thread_local double want[kChunk];
    references()[function].block(x, want, kChunk);
    Worst worst[2 * kMaxTargets];
    for (std::size_t t = 0; t < forms.size(); ++t) {
      const Function& f = forms[t].functions[function];
      f.scalar(x, got[2 * t], kChunk);
      f.vector(x, got[2 * t + 1], kChunk);
      for (std::size_t k = 2 * t; k < 2 * t + 2; ++k) {
        std::size_t same = 0;
        while (same < k && std::memcmp(got[same], got[k], sizeof got[k]) != 0) ++same;
        if (same == k)
          measure(x, got[k], want, kChunk, worst[k]);
        else
          worst[k] = worst[same];
      }
      merge(mine[t].scalar, worst[2 * t]);
      merge(mine[t].vector, worst[2 * t + 1]);
      if (std::memcmp(got[2 * t], got[2 * t + 1], sizeof got[0]) != 0)
        for (std::size_t i = 0; i < kChunk; ++i)
          mine[t].differ += same_bits(got[2 * t][i], got[2 * t + 1][i]) ? 0 : 1;
    }
  }

  void work() {
    std::vector<Result> mine(forms.size());
    std::vector<float> x(kChunk);
    const std::uint64_t total = visit.count();
    for (;;) {
      const std::uint64_t first = next.fetch_add(kChunk);
      if (first >= total) break;
      for (std::size_t i = 0; i < kChunk; ++i)
        x[i] = bit_copy<float>(visit.pattern(std::min(first + i, total - 1)));
      block(x.data(), mine);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    for (std::size_t t = 0; t < forms.size(); ++t) {
      merge(results[t].scalar, mine[t].scalar);
      merge(results[t].vector, mine[t].vector);
      results[t].differ += mine[t].differ;
    }
  }

  void run() {
    std::vector<Result> mine(forms.size());
    std::vector<float> x(kChunk, 1.0f);
    std::copy(std::begin(kSpecial), std::end(kSpecial), x.begin());
    block(x.data(), mine);
    results = mine;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads.emplace_back([this] { work(); });
    for (std::thread& t : threads) t.join();
  }
};

std::string input(const Worst& worst) {
  if (worst.error == 0) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.9g (0x%08x)", static_cast<double>(worst.at),
                bit_copy<std::uint32_t>(worst.at));
  return text;
}

std::string inputs(const Visit& visit) {
  if (visit.stride == 1) return "all";
  return (visit.dense ? "all in 1/64..128, else 1 in " : "1 in ") + std::to_string(visit.stride);
}

void print_row(const char* name, double bound, const Forms& forms, const Visit& visit,
               const Result& r) {
  std::printf("| %s | %.1f | %s | %s | %s | %s | %s | %s | %llu |\n", name, bound, forms.target,
              inputs(visit).c_str(), number(r.scalar.error).c_str(), input(r.scalar).c_str(),
              number(r.vector.error).c_str(), input(r.vector).c_str(),
              static_cast<unsigned long long>(r.differ));
  std::fflush(stdout);
  const std::uint64_t wrong = r.scalar.wrong + r.vector.wrong,
                      zeros = r.scalar.wrong_zero + r.vector.wrong_zero;
  if (wrong != 0 || zeros != 0)
    std::fprintf(
        stderr,
        "%s, %s: %llu NaN or numbers where the other is right, %llu zeros of the other sign\n",
        name, forms.target, static_cast<unsigned long long>(wrong),
        static_cast<unsigned long long>(zeros));
}

}  // namespace

bool measure_unary(const std::vector<Forms>& forms, const Visit& visit,
                   const std::vector<std::string>& names) {
  bool good = true;
  for (int f = 0; f < forms[0].count; ++f) {
    const Reference& reference = references()[f];
    if (!names.empty() && std::find(names.begin(), names.end(), reference.name) == names.end())
      continue;
    Job job(forms, f, visit);
    job.run();
    for (std::size_t t = 0; t < forms.size(); ++t) {
      print_row(reference.name, reference.bound, forms[t], visit, job.results[t]);
      good = good &&
             std::max(job.results[t].scalar.error, job.results[t].vector.error) <= reference.bound;
    }
  }
  return good;
}

}  // namespace accuracy
