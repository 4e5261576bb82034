// forms.cpp - loops over the functions; built once a target into a library of its own, so that
// inline functions of one target never stand in for those of another.
#include "tests/accuracy/forms.hpp"

#include "templates/fn/acos.hpp"
#include "templates/fn/acosh.hpp"
#include "templates/fn/asin.hpp"
#include "templates/fn/asinh.hpp"
#include "templates/fn/atan.hpp"
#include "templates/fn/atanh.hpp"
#include "templates/fn/ceil.hpp"
#include "templates/fn/celu.hpp"
#include "templates/fn/cos.hpp"
#include "templates/fn/cosh.hpp"
#include "templates/fn/elu.hpp"
#include "templates/fn/erf.hpp"
#include "templates/fn/exp.hpp"
#include "templates/fn/floor.hpp"
#include "templates/fn/gelu.hpp"
#include "templates/fn/hard_sigmoid.hpp"
#include "templates/fn/hard_swish.hpp"
#include "templates/fn/leaky_relu.hpp"
#include "templates/fn/log.hpp"
#include "templates/fn/mish.hpp"
#include "templates/fn/pow.hpp"
#include "templates/fn/reciprocal.hpp"
#include "templates/fn/round.hpp"
#include "templates/fn/selu.hpp"
#include "templates/fn/sigmoid.hpp"
#include "templates/fn/sin.hpp"
#include "templates/fn/sinh.hpp"
#include "templates/fn/softplus.hpp"
#include "templates/fn/softsign.hpp"
#include "templates/fn/sqrt.hpp"
#include "templates/fn/swish.hpp"
#include "templates/fn/tan.hpp"
#include "templates/fn/tanh.hpp"

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
