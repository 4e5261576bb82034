// main.cpp - measures the error of the element-wise functions over float bit patterns.
// usage: accuracy [--stride N] [--dense] [names...]   rows of the table of float32
//        accuracy --check docs/ACCURACY.md        the same and everything else, and the bounds that
//        the page states accuracy --page [--measured FILE]        the page, with rows of float32
//        measured before
// --samples N: inputs of each float64 function. Exit code 1 if a bound of functions.inc is
// exceeded.
#include <algorithm>
#include <atomic>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include "runtime_min/half.hpp"
#include "tests/accuracy/forms.hpp"
#include "tests/accuracy/reference.hpp"

namespace {

constexpr std::size_t kChunk = 8192, kMaxTargets = 3;
constexpr double kLimit = 0x1p128;
constexpr double kWrong = 1e30;  // the error of a NaN for a number, or of a number for NaN

// ---- references

struct Reference {
  const char* name;
  void (*block)(const float* x, double* y, std::size_t count);
  long double (*wide)(long double x);
  double bound;
  double wide_bound;
};

using namespace reference;
#define F(name, form, reference, bound, wide_bound) \
  {#name,                                           \
   [](const float* a, double* y, std::size_t n) {   \
     for (std::size_t i = 0; i < n; ++i) {          \
       const double x = static_cast<double>(a[i]);  \
       y[i] = reference;                            \
     }                                              \
   },                                               \
   [](long double x) -> long double { return reference; }, bound, wide_bound},
const Reference kReferences[] = {
#include "tests/accuracy/functions.inc"
};
#undef F

std::vector<Forms> targets() {
  std::vector<Forms> all{forms_default()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    all.push_back(forms_x86_64_v3());
#endif
  all.push_back(forms_native());
  return all;
}

// ---- error

template <class To, class From>
To bit_copy(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// |got - want| in the unit of the last place that a float of want's exponent has, as the bits of a
// double, which compare like it. Infinity counts as 2^128. No branches: compilers turn loops over
// it into vector code.
[[gnu::always_inline]] inline std::uint64_t error_bits(float got, double want) {
  constexpr std::uint64_t kMagnitude = ~(std::uint64_t{1} << 63), kNan = std::uint64_t{0x7ff} << 52;
  const double g = static_cast<double>(got);
  const bool got_nan = (bit_copy<std::uint64_t>(g) & kMagnitude) > kNan;
  const bool want_nan = (bit_copy<std::uint64_t>(want) & kMagnitude) > kNan;
  const double bounded = std::fabs(g) > kLimit ? std::copysign(kLimit, g) : g;
  const double w = std::fabs(want) > kLimit ? std::copysign(kLimit, want) : want;
  std::uint64_t exponent = (bit_copy<std::uint64_t>(w) & kMagnitude) >> 52;
  exponent = exponent < 1023 - 126 ? 1023 - 126 : exponent > 1023 + 127 ? 1023 + 127 : exponent;
  const double error = std::fabs(bounded - w) * bit_copy<double>((2 * 1023 + 23 - exponent) << 52);
  const std::uint64_t wrong = bit_copy<std::uint64_t>(kWrong);
  return got_nan || want_nan ? (got_nan && want_nan ? 0 : wrong) : bit_copy<std::uint64_t>(error);
}

struct Worst {
  double error = 0;
  float at = 0;
  std::uint64_t wrong = 0;       // NaN for a number, a number for NaN
  std::uint64_t wrong_zero = 0;  // zeros of the other sign
};

void merge(Worst& a, const Worst& b) {
  if (b.error > a.error) a.error = b.error, a.at = b.at;
  a.wrong += b.wrong;
  a.wrong_zero += b.wrong_zero;
}

void measure(const float* x, const float* got, const double* want, std::size_t count,
             Worst& worst) {
  std::uint64_t block = 0, wrong_zero = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t error = error_bits(got[i], want[i]);
    block = error > block ? error : block;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t g = bit_copy<std::uint32_t>(got[i]);
    const std::uint64_t w = bit_copy<std::uint64_t>(want[i]);
    wrong_zero += ((g & 0x7fffffffu) == 0) & ((g >> 31) != (w >> 63)) &
                  ((w << 1) <= (std::uint64_t{0x7ff} << 53));
  }
  worst.wrong_zero = wrong_zero;
  worst.error = bit_copy<double>(block);
  std::size_t i = 0;
  while (block != 0 && error_bits(got[i], want[i]) != block) ++i;
  worst.at = x[i];
  if (worst.error < kWrong) return;
  for (; i < count; ++i)
    worst.wrong += bit_copy<double>(error_bits(got[i], want[i])) >= kWrong ? 1 : 0;
}

// ---- every function over the patterns

struct Result {
  Worst scalar, vector;
  std::uint64_t differ = 0;  // inputs where scalar and vector results have other bits
};

const float kSpecial[] = {0.0f,      -0.0f,     FLT_TRUE_MIN, -FLT_TRUE_MIN, FLT_MIN,   -FLT_MIN,
                          1.0f,      -1.0f,     0.5f,         -0.5f,         2.0f,      -2.0f,
                          3.0f,      -3.0f,     FLT_MAX,      -FLT_MAX,      88.72284f, 88.7229f,
                          -87.3366f, -103.972f, -104.0f,      INFINITY,      -INFINITY, NAN};

bool same_bits(float a, float b) {
  return bit_copy<std::uint32_t>(a) == bit_copy<std::uint32_t>(b) || (a != a && b != b);
}

// Which patterns are visited: every stride-th, and with `dense` also every one from 1/64 to 128,
// where functions bend.
struct Visit {
  std::uint64_t stride = 4099;
  bool dense = false;

  static constexpr std::uint64_t kFirst = 121u << 23, kEnd = 134u << 23;
  std::uint64_t dense_count() const { return dense ? 2 * (kEnd - kFirst) : 0; }
  std::uint64_t count() const {
    return dense_count() + ((std::uint64_t{1} << 32) + stride - 1) / stride;
  }
  std::uint32_t pattern(std::uint64_t i) const {
    if (i >= dense_count()) return static_cast<std::uint32_t>((i - dense_count()) * stride);
    return static_cast<std::uint32_t>(kFirst + i / 2 + (i % 2 << 31));
  }
};

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
    kReferences[function].block(x, want, kChunk);
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

// ---- output

std::string number(double error) {
  if (error >= kWrong) return "wrong";
  char text[32];
  std::snprintf(text, sizeof text, error >= 1000 ? "%.2g" : "%.3f", error);
  return text;
}

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

bool measure_unary(const std::vector<Forms>& forms, const Visit& visit,
                   const std::vector<std::string>& names) {
  bool good = true;
  for (int f = 0; f < forms[0].count; ++f) {
    const Reference& reference = kReferences[f];
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

// ---- pow

// Words with no pattern, the same in every run.
struct Sequence {
  std::uint64_t state = 1;
  std::uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state ^ (state >> 29)) * 0xbf58476d1ce4e5b9u >> 11 << 11 | state >> 53;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

struct Power {
  float x, y, result;
};
const float kInf = INFINITY, kNan = NAN;
// Annex F of the C standard.
const Power kPowers[] = {
    {0, -3, kInf},        {-0.0f, -3, -kInf},  {0, -2, kInf},     {-0.0f, -2.5f, kInf},
    {-0.0f, -kInf, kInf}, {0, -kInf, kInf},    {0, 3, 0},         {-0.0f, 3, -0.0f},
    {-0.0f, 2, 0},        {-0.0f, 2.5f, 0},    {-1, kInf, 1},     {-1, -kInf, 1},
    {1, kNan, 1},         {1, kInf, 1},        {kNan, 0, 1},      {kNan, -0.0f, 1},
    {-kInf, 0, 1},        {-2, 0.5f, kNan},    {-2, -1.5f, kNan}, {0.5f, -kInf, kInf},
    {-0.5f, -kInf, kInf}, {2, -kInf, 0},       {-2, -kInf, 0},    {0.5f, kInf, 0},
    {-0.5f, kInf, 0},     {2, kInf, kInf},     {-2, kInf, kInf},  {-kInf, -3, -0.0f},
    {-kInf, -2, 0},       {-kInf, -0.5f, 0},   {-kInf, 3, -kInf}, {-kInf, 2, kInf},
    {-kInf, 0.5f, kInf},  {kInf, -1, 0},       {kInf, 1, kInf},   {-8, 1 / 3.0f, kNan},
    {kNan, 1, kNan},      {kNan, 2, kNan},     {2, kNan, kNan},   {-2, 3, -8},
    {-0.0f, 1, -0.0f},    {-kInf, kInf, kInf}, {-kInf, -kInf, 0}, {0, kInf, 0},
    {-kInf, kNan, kNan},
};

constexpr double kPowBound = 2.0;

// Half of the pairs anywhere, half where the result is a number.
void pow_inputs(Sequence& words, float* x, float* y) {
  for (std::size_t i = 0; i < kChunk; ++i) {
    x[i] = bit_copy<float>(static_cast<std::uint32_t>(words.next() >> 32));
    y[i] = bit_copy<float>(static_cast<std::uint32_t>(words.next() >> 32));
    if (i % 2 == 0) continue;
    x[i] = static_cast<float>(std::exp2(words.unit() * 40 - 20));
    y[i] = static_cast<float>((words.unit() * 280 - 151) / std::log2(static_cast<double>(x[i])));
    if (i % 8 == 1) x[i] = -x[i], y[i] = std::nearbyint(y[i]);
  }
}

bool measure_pow(const std::vector<Forms>& forms, std::uint64_t samples) {
  bool good = true;
  std::vector<float> x(kChunk, 1.0f), y(kChunk, 1.0f), got(kChunk);
  std::vector<double> want(kChunk);
  for (const Forms& target : forms) {
    Worst worst[2];
    float exponent[2] = {0, 0};
    Sequence words;
    for (std::uint64_t done = 0; done < samples; done += kChunk) {
      pow_inputs(words, x.data(), y.data());
      if (done == 0)
        for (std::size_t i = 0; i < sizeof kPowers / sizeof kPowers[0]; ++i)
          x[i] = kPowers[i].x, y[i] = kPowers[i].y;
      for (std::size_t i = 0; i < kChunk; ++i)
        want[i] = std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]));
      for (int form = 0; form < 2; ++form) {
        (form == 0 ? target.pow : target.pow_vector)(x.data(), y.data(), got.data(), kChunk);
        Worst block;
        measure(x.data(), got.data(), want.data(), kChunk, block);
        if (block.error > worst[form].error)
          for (std::size_t i = 0; i < kChunk; ++i)
            if (bit_copy<double>(error_bits(got[i], want[i])) == block.error) exponent[form] = y[i];
        merge(worst[form], block);
        if (done != 0) continue;
        for (std::size_t i = 0; i < sizeof kPowers / sizeof kPowers[0]; ++i) {
          if (same_bits(got[i], kPowers[i].result)) continue;
          std::fprintf(stderr, "pow(%g, %g) is %g\n", static_cast<double>(x[i]),
                       static_cast<double>(y[i]), static_cast<double>(got[i]));
          good = false;
        }
      }
    }
    good = good && std::max(worst[0].error, worst[1].error) <= kPowBound;
    std::printf("| pow | %.1f | %s | %llu pairs | %s | %.9g, %.9g | %s | %.9g, %.9g |\n", kPowBound,
                target.target, static_cast<unsigned long long>(samples),
                number(worst[0].error).c_str(), static_cast<double>(worst[0].at),
                static_cast<double>(exponent[0]), number(worst[1].error).c_str(),
                static_cast<double>(worst[1].at), static_cast<double>(exponent[1]));
    std::fflush(stdout);
  }
  return good;
}

// ---- float64

double wide_error(double got, long double want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : kWrong;
  const long double limit = std::ldexp(1.0L, 1024);
  const long double g = std::isinf(got) ? std::copysign(limit, static_cast<long double>(got)) : got;
  const long double w = std::fabs(want) > limit ? std::copysign(limit, want) : want;
  int exponent = 0;
  (void)std::frexp(w, &exponent);
  const int unit = std::min(std::max(exponent - 53, -1074), 971);
  return static_cast<double>(std::ldexp(std::fabs(g - w), -unit));
}

// A third of the inputs anywhere, the others where functions bend.
double wide_input(Sequence& words) {
  const std::uint64_t word = words.next();
  if (word % 3 == 0) return bit_copy<double>(words.next());
  const double magnitude = word % 3 == 1 ? std::exp2(words.unit() * 20 - 10) : words.unit() * 50;
  return words.next() & 1 ? magnitude : -magnitude;
}

bool measure_wide(const std::vector<Forms>& forms, std::uint64_t samples) {
  bool good = true;
  std::vector<double> x(kChunk), got(kChunk);
  for (int f = 0; f < forms[0].count; ++f) {
    const Reference& reference = kReferences[f];
    std::vector<double> worst(forms.size()), at(forms.size());
    Sequence words;
    for (std::uint64_t done = 0; done < samples; done += kChunk) {
      for (double& v : x) v = wide_input(words);
      std::vector<long double> want(kChunk);
      for (std::size_t i = 0; i < kChunk; ++i)
        want[i] = reference.wide(static_cast<long double>(x[i]));
      for (std::size_t t = 0; t < forms.size(); ++t) {
        forms[t].functions[f].wide(x.data(), got.data(), kChunk);
        for (std::size_t i = 0; i < kChunk; ++i) {
          const double error = wide_error(got[i], want[i]);
          if (error > worst[t]) worst[t] = error, at[t] = x[i];
        }
      }
    }
    const std::size_t t =
        static_cast<std::size_t>(std::max_element(worst.begin(), worst.end()) - worst.begin());
    good = good && worst[t] <= reference.wide_bound;
    std::printf("| %s | %.1f | %s | %.17g |\n", reference.name, reference.wide_bound,
                number(worst[t]).c_str(), at[t]);
    std::fflush(stdout);
  }
  return good;
}

// ---- float16 and bfloat16

struct NarrowResult {
  int off = 0;       // results that are not the correctly rounded ones
  int distance = 0;  // how many values of the type the worst of them is away
};

// Values of the type in order, as integers.
template <class H>
int place(H h) {
  return (h.bits & 0x8000) != 0 ? -(h.bits & 0x7fff) : h.bits;
}

template <class H>
NarrowResult measure_narrow(const Function& f, const Reference& reference) {
  NarrowResult r;
  std::vector<float> x(65536), got(65536);
  std::vector<double> want(65536);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = H::from_bits(static_cast<std::uint16_t>(i));
  f.vector(x.data(), got.data(), x.size());
  reference.block(x.data(), want.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    const int distance = std::abs(place(H(got[i])) - place(H(want[i])));
    r.off += distance != 0 ? 1 : 0;
    r.distance = std::max(r.distance, distance);
  }
  return r;
}

bool measure_narrow(const Forms& forms) {
  bool good = true;
  for (int f = 0; f < forms.count; ++f) {
    const NarrowResult half = measure_narrow<onnxc::float16>(forms.functions[f], kReferences[f]);
    const NarrowResult brain = measure_narrow<onnxc::bfloat16>(forms.functions[f], kReferences[f]);
    std::printf("| %s | %d | %d | %d | %d |\n", kReferences[f].name, half.off, half.distance,
                brain.off, brain.distance);
    good = good && half.distance <= 1 && brain.distance <= 1;
  }
  return good;
}

// ---- the page

const char kHead[] =
    "# Accuracy of the element-wise functions\n\n"
    "Written by `tests/accuracy/measure.sh`; `ctest -R accuracy` checks a sample against the "
    "bounds below.\n\n"
    "Errors are distances from the exact result in units of its last place (ULP); an overflow "
    "counts as 2^128. The exact\n"
    "results come from the double functions of the C library (float32) and from its long double "
    "ones (float64).\n"
    "\"Scalar\" is the function called with a float, \"vector\" with the registers of the target; "
    "\"differ\" counts the inputs\n"
    "for which these two give other bits, which happens where the compiler contracts a product and "
    "a sum in one of them.\n\n"
    "acos, asin, atan, asinh, atanh, sinh, cosh, sin, cos, tan, pow and acosh above 1.5 are those "
    "of the C library of the\n"
    "machine that runs the code, lane by lane, and large arguments of sin, cos and tan are reduced "
    "by it. The powers\n"
    "two and three are products. All other functions are onnxc's own, in float arithmetic only, and "
    "do not depend on the\n"
    "library.\n\n"
    "An error below 2.5 leaves at most 2 ULP to the correctly rounded result.\n\n"
    "Functions of infinity give their limit: gelu, swish, mish and hard_swish of -inf are -0, "
    "softsign of inf is 1.\n\n";

void print_head() {
  std::printf("%s", kHead);
  std::printf("Measured with GCC %s", __VERSION__);
#if defined(__GLIBC__)
  std::printf(" and glibc %s", gnu_get_libc_version());
#endif
  std::printf(", `-O3`, for x86-64, `-march=x86-64-v3` and `-march=native` (%d lanes).\n\n",
              forms_native().lanes);
}

const char kRowHead[] =
    "| Function | Bound | Target | Inputs | Scalar ULP | Worst input | Vector ULP | Worst input | "
    "Differ |\n"
    "|---|---|---|---|---|---|---|---|---|\n";
const char kPowHead[] =
    "\n| Function | Bound | Target | Inputs | Scalar ULP | Worst input | Vector ULP | Worst input "
    "|\n"
    "|---|---|---|---|---|---|---|---|\n";
const char kWideHead[] =
    "| Function | Bound | Largest ULP of any target | Worst input |\n|---|---|---|---|\n";
const char kNarrowHead[] =
    "| Function | float16: not nearest | by at most | bfloat16: not nearest | by at most "
    "|\n|---|---|---|---|---|\n";

struct Options {
  Visit visit;
  std::uint64_t samples = 100000;
  bool page = false;
  std::string check, measured;
  std::vector<std::string> names;
};

// Rows of an earlier run, in the order of the functions.
void copy_rows(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (const Reference& reference : kReferences)
    for (const std::string& line : lines)
      if (line.rfind("| " + std::string(reference.name) + " |", 0) == 0)
        std::printf("%s\n", line.c_str());
}

bool print_page(const std::vector<Forms>& forms, const Options& options) {
  print_head();
  std::printf("## float32\n\n%s", kRowHead);
  bool good = true;
  if (options.measured.empty())
    good = measure_unary(forms, options.visit, options.names);
  else
    copy_rows(options.measured);
  std::printf("%s", kPowHead);
  good = measure_pow(forms, options.samples * 10) && good;
  std::printf(
      "\n## float64\n\n%llu inputs each. The functions of the C library, and formulas on "
      "them.\n\n%s",
      static_cast<unsigned long long>(options.samples), kWideHead);
  good = measure_wide(forms, options.samples) && good;
  std::printf(
      "\n## float16 and bfloat16\n\nComputed in float32 and rounded to nearest, ties to even: all "
      "65536 inputs of each type. A "
      "result is not the\nnearest value only where the exact one is close to the middle between "
      "two.\n\n%s",
      kNarrowHead);
  return measure_narrow(forms[0]) && good;
}

// Every function has rows with its bounds, and no measured error in the page is above them.
bool check_page(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (const Reference& reference : kReferences) {
    bool good = true, wide = false;
    int rows = 0, wide_rows = 0;
    for (const std::string& line : lines) {
      if (line.rfind("## ", 0) == 0) wide = line == "## float64";
      char name[64] = "", target[64] = "", inputs[64] = "", at[64] = "";
      double bound = 0, scalar = 0, vector = 0;
      if (std::sscanf(line.c_str(), "| %63s |", name) != 1 ||
          std::strcmp(name, reference.name) != 0)
        continue;
      if (wide && std::sscanf(line.c_str(), "| %63s | %lf | %lf", name, &bound, &scalar) == 3) {
        ++wide_rows;
        good = good && bound == reference.wide_bound && scalar <= bound;
      }
      if (std::sscanf(line.c_str(), "| %63s | %lf | %63[^|]| %63[^|]| %lf | %63[^|]| %lf", name,
                      &bound, target, inputs, &scalar, at, &vector) == 7) {
        ++rows;
        good = good && bound == reference.bound && std::max(scalar, vector) <= bound;
      }
    }
    if (good && rows > 0 && wide_rows == 1) continue;
    std::fprintf(stderr, "%s: the rows of %s are not those of functions.inc\n", path.c_str(),
                 reference.name);
    return false;
  }
  return true;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--page" || argument == "--dense") {
      (argument == "--page" ? options.page : options.visit.dense) = true;
      continue;
    }
    if (argument.rfind("--", 0) != 0) {
      options.names.push_back(argument);
      continue;
    }
    ++i;
    if (argument == "--stride")
      options.visit.stride = std::max(1ull, std::strtoull(value.c_str(), nullptr, 10));
    if (argument == "--samples") options.samples = std::strtoull(value.c_str(), nullptr, 10);
    if (argument == "--measured") options.measured = value;
    if (argument == "--check") options.check = value;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::vector<Forms> forms = targets();
  if (options.page) return print_page(forms, options) ? 0 : 1;
  bool good = options.check.empty() || check_page(options.check);
  good = measure_unary(forms, options.visit, options.names) && good;
  if (options.check.empty()) return good ? 0 : 1;
  good = measure_pow(forms, options.samples) && good;
  good = measure_wide(forms, options.samples) && good;
  return measure_narrow(forms[0]) && good ? 0 : 1;
}
