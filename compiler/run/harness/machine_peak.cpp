// The peak throughput of one core. machine_peak BYTES prints the multiply-accumulates per second of
// independent float vectors in registers, and the bytes per second when BYTES are read again and
// again, from whatever cache holds them; both in billions.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

#if defined(__AVX512F__)
constexpr std::size_t kBytes = 64;
#elif defined(__AVX__)
constexpr std::size_t kBytes = 32;
#else
constexpr std::size_t kBytes = 16;
#endif
typedef float vfloat __attribute__((vector_size(kBytes)));
constexpr std::size_t kLanes = kBytes / sizeof(float);

template <class F>
double best_seconds(F work) {
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

// The compiler must take every chain for used.
void keep(vfloat* sums) { asm volatile("" : : "r"(sums) : "memory"); }

vfloat load(const float* from) {
  vfloat v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

double giga_macs() {
  constexpr int chains = 12;  // covers the latency of two units
  constexpr long rounds = 4'000'000;
  vfloat sums[chains] = {};
  const vfloat a = vfloat{} + 1.0000001f, b = vfloat{} + 1e-9f;
  const double seconds = best_seconds([&] {
    vfloat own[chains];
    std::copy(sums, sums + chains, own);
    for (long r = 0; r < rounds; ++r)
      for (vfloat& s : own) s = s * a + b;
    std::copy(own, own + chains, sums);
    keep(sums);
  });
  return static_cast<double>(rounds) * chains * kLanes / seconds * 1e-9;
}

double giga_bytes(std::size_t bytes) {
  constexpr std::size_t chains = 4, step = chains * kLanes, total = std::size_t{1} << 28;
  const std::vector<float> memory((bytes / sizeof(float) / step + 1) * step, 1.0f);
  const std::size_t size = memory.size() * sizeof(float),
                    rounds = std::max(total / size, std::size_t{1});
  const double seconds = best_seconds([&] {
    vfloat sums[chains] = {};
    for (std::size_t r = 0; r < rounds; ++r) {
      for (std::size_t i = 0; i < memory.size(); i += step)
        for (std::size_t k = 0; k < chains; ++k) sums[k] += load(&memory[i + k * kLanes]);
      keep(sums);
    }
  });
  return static_cast<double>(rounds * size) / seconds * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  std::printf("%.1f %.1f\n", giga_macs(), giga_bytes(bytes));
}
