// forms.cpp - loops over the functions; built once a target into a library of its own, so that
// inline functions of one target never stand in for those of another.
#include "tests/accuracy/forms.hpp"

#include "templates/fn/activation.hpp"
#include "templates/fn/arithmetic.hpp"
#include "templates/fn/exponential.hpp"
#include "templates/fn/gated_activation.hpp"
#include "templates/fn/hyperbolic.hpp"
#include "templates/fn/rounding.hpp"
#include "templates/fn/trigonometric.hpp"

using namespace onnxc;

namespace {

template <class T, class F>
[[gnu::always_inline]] inline void each(const T* x, T* y, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) y[i] = f(x[i]);
}

template <class F>
[[gnu::always_inline]] inline void each_vector(const float* x, float* y, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; i += kLanes) store(y + i, f(load(x + i)));
}

#define F(name, form, reference, bound, wide_bound)                                             \
  {#name,                                                                                       \
   [](const float* a, float* y, std::size_t n) { each(a, y, n, [](auto x) { return form; }); }, \
   [](const float* a, float* y, std::size_t n) {                                                \
     each_vector(a, y, n, [](auto x) { return form; });                                         \
   },                                                                                           \
   [](const double* a, double* y, std::size_t n) { each(a, y, n, [](auto x) { return form; }); }},
const Function kFunctions[] = {
#include "tests/accuracy/functions.inc"
};
#undef F

void pow_scalar(const float* x, const float* y, float* z, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) z[i] = fn::pow(x[i], y[i]);
}

void pow_vector(const float* x, const float* y, float* z, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kLanes) store(z + i, fn::pow(load(x + i), load(y + i)));
}

}  // namespace

extern "C" Forms ONNXC_FORMS() {
  return {ONNXC_TARGET, kLanes,     static_cast<int>(sizeof kFunctions / sizeof kFunctions[0]),
          kFunctions,   pow_scalar, pow_vector};
}
