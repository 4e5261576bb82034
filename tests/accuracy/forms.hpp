// forms.hpp - the measured functions as one target's code has them.
#pragma once

#include <cstddef>

struct Function {
  const char* name;
  void (*scalar)(const float* x, float* y, std::size_t count);
  void (*vector)(const float* x, float* y, std::size_t count);  // count: a multiple of 16
  void (*wide)(const double* x, double* y, std::size_t count);
};

struct Forms {
  const char* target;
  int lanes;
  int count;
  const Function* functions;
  void (*pow)(const float* x, const float* y, float* z, std::size_t count);
  void (*pow_vector)(const float* x, const float* y, float* z, std::size_t count);
};

extern "C" {
[[gnu::visibility("default")]] Forms forms_default();
[[gnu::visibility("default")]] Forms forms_x86_64_v3();
[[gnu::visibility("default")]] Forms forms_native();
}
