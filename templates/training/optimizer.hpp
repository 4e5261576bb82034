// optimizer.hpp - one update of a tensor by Adagrad (Duchi et al. 2011), Adam (Kingma and Ba 2015)
// or momentum.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime_min/math.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// rate, step: [1], the learning rate and the number of updates before; x, gradient and the states:
// [count]; outputs may be the inputs.
// s: count, decay, epsilon, norm.
template <class S, class R, class T>
void adagrad(S s, const R* rate, const std::int64_t* step, const T* x, const T* gradient,
             const T* squares, T* x_new, T* squares_new) {
  const T r = static_cast<T>(*rate) / (T{1} + static_cast<T>(*step) * static_cast<T>(s.decay));
  for (Index i = 0; i < s.count; ++i) {
    const T g = static_cast<T>(s.norm) * x[i] + gradient[i];
    const T h = squares[i] + g * g;
    x_new[i] = x[i] - r * g / (std::sqrt(h) + static_cast<T>(s.epsilon));
    squares_new[i] = h;
  }
}

// 1 - base^t for the number t of a step. In float the difference would lose half of its digits
// where the power is near 1, as it is in the first steps.
template <class T>
inline T one_minus_power(T base, float log, T t) {
  if constexpr (std::is_same_v<T, float>)
    if (base > 0.0f) return -math::expm1(t * log);
  return T{1} - std::pow(base, t);
}

// The same with the states mean and squares, averages of the gradient and of its square.
// s: count, alpha, beta, epsilon, norm, norm_post; log_alpha, log_beta: logarithms of the positive.
template <class S, class R, class T>
void adam(S s, const R* rate, const std::int64_t* step, const T* x, const T* gradient,
          const T* mean, const T* squares, T* x_new, T* mean_new, T* squares_new) {
  const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), one{1},
          t = static_cast<T>(*step);
  T r = static_cast<T>(*rate);
  if (*step > 0)
    r = r * std::sqrt(one_minus_power(beta, s.log_beta, t)) /
        one_minus_power(alpha, s.log_alpha, t);
  for (Index i = 0; i < s.count; ++i) {
    const T g = static_cast<T>(s.norm) * x[i] + gradient[i];
    const T v = alpha * mean[i] + (one - alpha) * g;
    const T h = beta * squares[i] + (one - beta) * g * g;
    const T moved = x[i] - r * v / (std::sqrt(h) + static_cast<T>(s.epsilon));
    x_new[i] = (one - static_cast<T>(s.norm_post)) * moved;
    mean_new[i] = v;
    squares_new[i] = h;
  }
}

// The same with the state velocity.  s: count, alpha, beta, norm, nesterov.
template <class S, class R, class T>
void momentum(S s, const R* rate, const std::int64_t* step, const T* x, const T* gradient,
              const T* velocity, T* x_new, T* velocity_new) {
  const T alpha = static_cast<T>(s.alpha), r = static_cast<T>(*rate);
  const T beta = *step > 0 ? static_cast<T>(s.beta) : T{1};
  for (Index i = 0; i < s.count; ++i) {
    const T g = static_cast<T>(s.norm) * x[i] + gradient[i];
    const T v = alpha * velocity[i] + beta * g;
    x_new[i] = x[i] - r * (s.nesterov ? g + alpha * v : v);
    velocity_new[i] = v;
  }
}

}  // namespace onnxc
