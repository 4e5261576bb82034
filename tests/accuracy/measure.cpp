// measure.cpp - reference functions, and errors of float32 results.
#include "tests/accuracy/measure.hpp"

#include <cstdio>

#include "tests/accuracy/reference.hpp"

namespace accuracy {
namespace {

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
const std::vector<Reference> kReferences = {
#include "tests/accuracy/functions.inc"
};
#undef F

}  // namespace

const std::vector<Reference>& references() { return kReferences; }

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

std::string number(double error) {
  if (error >= kWrong) return "wrong";
  char text[32];
  std::snprintf(text, sizeof text, error >= 1000 ? "%.2g" : "%.3f", error);
  return text;
}

}  // namespace accuracy
