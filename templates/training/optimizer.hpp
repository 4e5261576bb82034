// optimizer.hpp - one update of a tensor by Adagrad (Duchi et al. 2011), Adam (Kingma and Ba 2015)
// or momentum.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/exponential.hpp"

namespace onnxc {

// A value at p, of the type of `lane`: an element, or a vector of floats.
template <class V, class T>
[[gnu::always_inline]] inline V element(const T* p) {
  if constexpr (std::is_same_v<V, T>) {
    return *p;
  } else {
    return load<V>(p);
  }
}
template <class V, class T>
[[gnu::always_inline]] inline void set_element(T* p, V v) {
  if constexpr (std::is_same_v<V, T>) {
    *p = v;
  } else {
    store(p, v);
  }
}

// Calls f(i, V{}) for vectors of floats and then for single elements.
template <class T, class F>
[[gnu::always_inline]] inline void for_elements(Index count, F f) {
  if constexpr (std::is_same_v<T, float>) {
    for_lanes(count, f);
  } else {
    for (Index i = 0; i < count; ++i) f(i, T{});
  }
}

// rate, step: [1], the learning rate and the number of updates before; x, gradient and the states:
// [count]; outputs may be the inputs.
// s: count, decay, epsilon, norm.
template <class S, class R, class T>
void adagrad(S s, const R* rate, const std::int64_t* step, const T* x, const T* gradient,
             const T* squares, T* x_new, T* squares_new) {
  const T r = static_cast<T>(*rate) / (T{1} + static_cast<T>(*step) * static_cast<T>(s.decay));
  const T norm = static_cast<T>(s.norm), epsilon = static_cast<T>(s.epsilon);
  for_elements<T>(s.count, [&](Index i, auto lane) {
    using V = decltype(lane);
    const V old = element<V>(x + i), g = norm * old + element<V>(gradient + i);
    const V h = element<V>(squares + i) + g * g;
    set_element(x_new + i, old - r * g / (fn::sqrt(h) + epsilon));
    set_element(squares_new + i, h);
  });
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
// It starts from x times *kept. s: count, alpha, beta, epsilon, norm, norm_post; log_alpha,
// log_beta: logarithms of the positive.
template <class S, class R, class T>
void adam_decayed(S s, const R* rate, const std::int64_t* step, const T* x, const T* gradient,
                  const T* mean, const T* squares, const T* kept, T* x_new, T* mean_new,
                  T* squares_new) {
  const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), one{1},
          t = static_cast<T>(*step);
  T r = static_cast<T>(*rate);
  if (*step > 0)
    r = r * std::sqrt(one_minus_power(beta, s.log_beta, t)) /
        one_minus_power(alpha, s.log_alpha, t);
  const T norm = static_cast<T>(s.norm), epsilon = static_cast<T>(s.epsilon);
  const T rest = one - static_cast<T>(s.norm_post), part = *kept;
  for_elements<T>(s.count, [&](Index i, auto lane) {
    using V = decltype(lane);
    const V old = part * element<V>(x + i), g = norm * old + element<V>(gradient + i);
    const V v = alpha * element<V>(mean + i) + (one - alpha) * g;
    const V h = beta * element<V>(squares + i) + (one - beta) * g * g;
    const V moved = old - r * v / (fn::sqrt(h) + epsilon);
    set_element(x_new + i, rest * moved);
    set_element(mean_new + i, v);
    set_element(squares_new + i, h);
  });
}

template <class S, class R, class T>
void adam(S s, const R* rate, const std::int64_t* step, const T* x, const T* gradient,
          const T* mean, const T* squares, T* x_new, T* mean_new, T* squares_new) {
  const T all{1};
  adam_decayed(s, rate, step, x, gradient, mean, squares, &all, x_new, mean_new, squares_new);
}

// The same with the state velocity.  s: count, alpha, beta, norm, nesterov.
template <class S, class R, class T>
void momentum(S s, const R* rate, const std::int64_t* step, const T* x, const T* gradient,
              const T* velocity, T* x_new, T* velocity_new) {
  const T alpha = static_cast<T>(s.alpha), r = static_cast<T>(*rate);
  const T beta = *step > 0 ? static_cast<T>(s.beta) : T{1};
  const T norm = static_cast<T>(s.norm);
  for_elements<T>(s.count, [&](Index i, auto lane) {
    using V = decltype(lane);
    const V old = element<V>(x + i), g = norm * old + element<V>(gradient + i);
    const V v = alpha * element<V>(velocity + i) + beta * g;
    set_element(x_new + i, s.nesterov ? old - r * (g + alpha * v) : old - r * v);
    set_element(velocity_new + i, v);
  });
}

}  // namespace onnxc
