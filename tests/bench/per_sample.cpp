// Times a net, for per_sample.py: generated code and the backends of RTNeural in turn.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include MODEL_HEADER

void start_EIGEN(const float* weights);
void start_XSIMD(const float* weights);
void start_STL(const float* weights);
void run_EIGEN(const float* x, int count, float* y);
void run_XSIMD(const float* x, int count, float* y);
void run_STL(const float* x, int count, float* y);

#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
#define TEXT(a) #a
#define TEXT_OF(a) TEXT(a)

namespace {

constexpr int kStateFloats = 512, kSamples = 32768;

alignas(64) float states[2][STATES + 1][kStateFloats];
alignas(64) unsigned char arena[ARENA_BYTES + 64];

void run_generated(const float* x, int count, float* y) {
  float(*from)[kStateFloats] = states[0], (*to)[kStateFloats] = states[1];
  for (int i = 0; i < count; ++i) {
    NAMED(NET, _inputs) in = {};
    NAMED(NET, _outputs) out = {};
    in.x = x + i;
    out.y = y + i;
    SET_STATES(from, to)
    NAMED(NET, _run)(&in, &out, arena);
    std::swap(from, to);
  }
}

struct Program {
  const char* name;
  void (*run)(const float* x, int count, float* y);
  double best = 1e30;
  std::vector<float> y;
};

}  // namespace

int main(int, char** arguments) {
  std::vector<float> weights(1 << 20);
  std::FILE* file = std::fopen(arguments[1], "rb");
  if (file == nullptr || std::fread(weights.data(), 4, weights.size(), file) == 0) return 1;
  std::fclose(file);
  std::mt19937 random(1);
  std::vector<float> x(kSamples + INPUTS);
  for (float& v : x) v = std::uniform_real_distribution<float>(-1, 1)(random);
  start_EIGEN(weights.data());
  start_XSIMD(weights.data());
  start_STL(weights.data());
  Program programs[] = {
      {"Eigen", run_EIGEN}, {"xsimd", run_XSIMD}, {"STL", run_STL}, {"onnxc", run_generated}};
  for (Program& p : programs) {
    p.y.resize(kSamples);
    p.run(x.data(), kSamples, p.y.data());
  }
  double worst = 0;
  for (int i = 0; i < kSamples; ++i)
    for (const Program& p : programs)
      worst = std::max(worst, std::fabs(double(p.y[i]) - double(programs[3].y[i])));
  const int rounds = std::atoi(arguments[2]);
  for (int round = 0; round < rounds; ++round)
    for (Program& p : programs) {
      const auto start = std::chrono::steady_clock::now();
      p.run(x.data(), kSamples, p.y.data());
      const std::chrono::duration<double, std::nano> time =
          std::chrono::steady_clock::now() - start;
      p.best = std::min(p.best, time.count() / kSamples);
    }
  std::printf("| %s |", TEXT_OF(NET));
  for (const Program& p : programs) std::printf(" %.1f |", p.best);
  const double peer = std::min({programs[0].best, programs[1].best, programs[2].best});
  std::printf(" %.2f |\n", peer / programs[3].best);
  if (worst > 1e-5) std::fprintf(stderr, "outputs differ by %g\n", worst);
  return worst > 1e-5;
}
