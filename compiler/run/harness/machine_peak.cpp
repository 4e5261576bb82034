// The peak throughput of one core. machine_peak BYTES prints three numbers, in billions per second:
// the multiply-accumulates of independent float vectors, those of bytes (int8 kernels), both in
// registers, and the bytes when BYTES are read again and again, from whatever cache holds them.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr std::size_t kBytes = 64;
#elif defined(__AVX__)
constexpr std::size_t kBytes = 32;
#else
constexpr std::size_t kBytes = 16;
#endif
typedef float vfloat __attribute__((vector_size(kBytes)));
typedef std::int32_t vint __attribute__((vector_size(kBytes)));
constexpr std::size_t kLanes = kBytes / sizeof(float);
constexpr long kRounds = 2'000'000;

template <class F>
double best_seconds(F work) {
  double best = 1e9;
  for (int i = 0; i < 9; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

// The compiler must take a value for used and changed, and leave it in its register.
template <class V>
void pass_through(V& v) {
#if defined(__x86_64__) || defined(__i386__)
  asm volatile("" : "+x"(v));
#elif defined(__aarch64__)
  asm volatile("" : "+w"(v));
#else
  asm volatile("" : "+m"(v));
#endif
}

vfloat load(const float* from) {
  vfloat v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// Twelve chains cover the latency of two units. Each is a variable: an array would lie in memory.
template <class V, class Step>
double giga_steps(Step step) {
  V s0 = {}, s1 = {}, s2 = {}, s3 = {}, s4 = {}, s5 = {};
  V s6 = {}, s7 = {}, s8 = {}, s9 = {}, s10 = {}, s11 = {};
  const double seconds = best_seconds([&] {
    V a0 = s0, a1 = s1, a2 = s2, a3 = s3, a4 = s4, a5 = s5;
    V a6 = s6, a7 = s7, a8 = s8, a9 = s9, a10 = s10, a11 = s11;
    for (long r = 0; r < kRounds; ++r) {
      step(a0), step(a1), step(a2), step(a3), step(a4), step(a5);
      step(a6), step(a7), step(a8), step(a9), step(a10), step(a11);
    }
    s0 = a0, s1 = a1, s2 = a2, s3 = a3, s4 = a4, s5 = a5;
    s6 = a6, s7 = a7, s8 = a8, s9 = a9, s10 = a10, s11 = a11;
  });
  return static_cast<double>(kRounds) * 12 / seconds * 1e-9;
}

double giga_macs() {
  vfloat a = vfloat{} + 1.0000001f, b = vfloat{} + 1e-9f;
  pass_through(a);
  pass_through(b);
  return giga_steps<vfloat>([&](vfloat& s) {
           s = s * a + b;
           pass_through(s);
         }) *
         kLanes;
}

// Products of bytes in one step: four in each lane, where the machine has such an instruction.
#if defined(__SSSE3__) || defined(__ARM_FEATURE_DOTPROD)
constexpr std::size_t kByteProducts = kBytes;
#elif defined(__SSE2__)
constexpr std::size_t kByteProducts = kBytes / 2;
#else
constexpr std::size_t kByteProducts = kLanes;
#endif

// Adds that many products to the sums, as the machine does it best.
void add_products(vint& sum, const vint& a, const vint& b) {
#if defined(__AVX512VNNI__) && defined(__AVX512F__)
  sum = (vint)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
  const __m512i pairs = _mm512_maddubs_epi16((__m512i)a, (__m512i)b);
  sum += (vint)_mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
#elif defined(__AVXVNNI__)
  sum = (vint)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)a, (__m256i)b);
#elif defined(__AVX2__)
  const __m256i pairs = _mm256_maddubs_epi16((__m256i)a, (__m256i)b);
  sum += (vint)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
#elif defined(__SSSE3__) && !defined(__AVX__)
  const __m128i pairs = _mm_maddubs_epi16((__m128i)a, (__m128i)b);
  sum += (vint)_mm_madd_epi16(pairs, _mm_set1_epi16(1));
#elif defined(__SSE2__) && !defined(__AVX__)
  sum += (vint)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined(__ARM_FEATURE_DOTPROD)
  sum = (vint)vdotq_s32((int32x4_t)sum, (int8x16_t)a, (int8x16_t)b);
#else
  sum += a * b;
#endif
}

double giga_int8_macs() {
  vint a = vint{} + 0x01020304, b = vint{} + 0x01010101;
  pass_through(a);
  pass_through(b);
  return giga_steps<vint>([&](vint& s) {
           pass_through(a);  // the products of constants would be computed once
           add_products(s, a, b);
           pass_through(s);
         }) *
         kByteProducts;
}

double giga_bytes(std::size_t bytes) {
  constexpr std::size_t chains = 4, step = chains * kLanes, total = std::size_t{1} << 28;
  const std::vector<float> memory((bytes / sizeof(float) / step + 1) * step, 1.0f);
  const std::size_t size = memory.size() * sizeof(float),
                    rounds = std::max(total / size, std::size_t{1});
  vfloat s0 = {}, s1 = {}, s2 = {}, s3 = {};
  const double seconds = best_seconds([&] {
    for (std::size_t r = 0; r < rounds; ++r)
      for (std::size_t i = 0; i < memory.size(); i += step) {
        s0 += load(&memory[i]);
        s1 += load(&memory[i + kLanes]);
        s2 += load(&memory[i + 2 * kLanes]);
        s3 += load(&memory[i + 3 * kLanes]);
        pass_through(s0);
      }
  });
  for (vfloat* s : {&s1, &s2, &s3}) pass_through(*s);
  return static_cast<double>(rounds * size) / seconds * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  std::printf("%.1f %.1f %.1f\n", giga_macs(), giga_int8_macs(), giga_bytes(bytes));
}
