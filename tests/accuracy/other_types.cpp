// other_types.cpp - every function of float64 on samples, of float16 and bfloat16 on all inputs.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "runtime_min/half.hpp"
#include "tests/accuracy/measure.hpp"

namespace accuracy {
namespace {

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

}  // namespace

bool measure_wide(const std::vector<Forms>& forms, std::uint64_t samples) {
  bool good = true;
  std::vector<double> x(kChunk), got(kChunk);
  for (int f = 0; f < forms[0].count; ++f) {
    const Reference& reference = references()[f];
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

bool measure_narrow(const Forms& forms) {
  bool good = true;
  for (int f = 0; f < forms.count; ++f) {
    const NarrowResult half = measure_narrow<onnxc::float16>(forms.functions[f], references()[f]);
    const NarrowResult brain = measure_narrow<onnxc::bfloat16>(forms.functions[f], references()[f]);
    std::printf("| %s | %d | %d | %d | %d |\n", references()[f].name, half.off, half.distance,
                brain.off, brain.distance);
    good = good && half.distance <= 1 && brain.distance <= 1;
  }
  return good;
}

}  // namespace accuracy
