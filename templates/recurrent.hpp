// recurrent.hpp - what the recurrent kernels share: activations, products with the state, and the
// walk over steps.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/expm1.hpp"
#include "templates/fn/softplus.hpp"
#include "templates/fn/softsign.hpp"
#include "templates/gemm.hpp"

namespace onnxc {

template <class V>
[[gnu::always_inline]] inline V constant(float x) {
  if constexpr (std::is_same_v<V, double>) {
    return static_cast<double>(x);
  } else {
    return broadcast<V>(x);
  }
}

template <class V>
[[gnu::always_inline]] inline V tanh_of(V x) {
  if constexpr (std::is_same_v<V, double>) {
    return std::tanh(x);
  } else {
    return math::tanh(x);
  }
}

template <class V>
[[gnu::always_inline]] inline V sigmoid_of(V x) {
  if constexpr (std::is_same_v<V, double>) {
    return 1.0 / (1.0 + std::exp(-x));
  } else {
    return math::sigmoid(x);
  }
}

// Numbers of the activations, in the order that the compiler gives them.
struct Activation {
  enum Kind : Index {
    kRelu,
    kTanh,
    kSigmoid,
    kAffine,
    kLeakyRelu,
    kThresholdedRelu,
    kScaledTanh,
    kHardSigmoid,
    kElu,
    kSoftsign,
    kSoftplus
  };
  Index kind;
  float alpha, beta;

  template <class V>
  [[gnu::always_inline]] V operator()(V x) const {
    const V a = constant<V>(alpha), b = constant<V>(beta), zero{}, one = constant<V>(1.0f);
    switch (kind) {
      case kRelu:
        return select(x < zero, zero, x);
      case kTanh:
        return tanh_of(x);
      case kSigmoid:
        return sigmoid_of(x);
      case kAffine:
        return a * x + b;
      case kLeakyRelu:
        return select(x < zero, a * x, x);
      case kThresholdedRelu:
        return select(x > a, x, zero);
      case kScaledTanh:
        return a * tanh_of(b * x);
      case kHardSigmoid: {
        const V y = a * x + b;
        return select(y < zero, zero, select(y > one, one, y));
      }
      case kElu:
        return select(x < zero, a * fn::expm1(x), x);
      case kSoftsign:
        return fn::softsign(x);
      default:
        return fn::softplus(x);
    }
  }
};

// Bounds the input of an activation; limit 0 means none.
template <class V>
[[gnu::always_inline]] inline V clip_to(V x, float limit) {
  if (!(limit > 0.0f)) return x;
  const V most = constant<V>(limit);
  return select(x > most, most, select(x < -most, -most, x));
}

// Calls f(V{}, i) for vectors of floats and then for single elements.
template <class A, class F>
[[gnu::always_inline]] inline void for_state_lanes(Index count, F f) {
  Index i = 0;
  if constexpr (std::is_same_v<A, float> && kLanes > 1)
    for (; i + kLanes <= count; i += kLanes) f(vfloat{}, i);
  for (; i < count; ++i) f(A{}, i);
}

template <class V, class T>
[[gnu::always_inline]] inline V get(const T* p) {
  if constexpr (std::is_same_v<V, vfloat> && std::is_same_v<T, float>) {
    return load<V>(p);
  } else if constexpr (sizeof(V) > sizeof(double)) {
    V v{};
    for (int i = 0; i < lanes<V>; ++i) v[i] = static_cast<float>(p[i]);
    return v;
  } else {
    return static_cast<V>(p[0]);
  }
}

template <class V, class A>
[[gnu::always_inline]] inline void put(A* p, V v) {
  if constexpr (std::is_same_v<A, float>) {
    store(p, v);
  } else {
    *p = v;
  }
}

// y[rows, n] = x[rows, k] * w: packed for NR columns, or with NR = 0 plain [n, k].
template <int MR, int NR, class A, class W>
void recurrent_product(Index rows, Index k, Index n, const A* x, const W* w, A* y) {
  if constexpr (NR > 0) {
    struct Extents {
      Index m, k, n, ldx, ldy;
    };
    gemm<MR, NR>(Extents{rows, k, n, k, n}, x, w, nullptr, y);
  } else {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < n; ++j) {
        A sum{};
        for (Index p = 0; p < k; ++p) sum += x[i * k + p] * static_cast<A>(w[j * k + p]);
        y[i * n + j] = sum;
      }
    }
  }
}

// x times the input weights plus the biases, for every step at once.  x: [rows, inputs], w:
// [directions, columns, inputs], b: [directions, 2 * columns] or null, y: [rows, columns]. The
// biases of the recurrent weights count in the first recurrent_bias columns.  s: rows, inputs,
// columns, recurrent_bias, direction.
template <class S, class T>
void recurrent_input(S s, const T* x, const T* w, const T* b, compute_t<T>* y) {
  using A = compute_t<T>;
  const T* wd = w + s.direction * s.columns * s.inputs;
  const T* bd = b != nullptr ? b + s.direction * 2 * s.columns : nullptr;
  for (Index i = 0; i < s.rows; ++i) {
    for (Index j = 0; j < s.columns; ++j) {
      A sum{};
      if (bd != nullptr) sum = static_cast<A>(bd[j]);
      if (bd != nullptr && j < s.recurrent_bias) sum += static_cast<A>(bd[s.columns + j]);
      for (Index k = 0; k < s.inputs; ++k)
        sum += static_cast<A>(x[i * s.inputs + k]) * static_cast<A>(wd[j * s.inputs + k]);
      y[i * s.columns + j] = sum;
    }
  }
}

// Steps of the tensors, in elements.  s: steps, batch, hidden, direction, reverse, x_step, x_batch
// (rows of the input products), y_step, y_batch, y_direction, h_batch, h_direction.
template <class S, class T, class A>
void load_state(const S& s, const T* from, A* state) {
  for (Index b = 0; b < s.batch; ++b)
    for (Index j = 0; j < s.hidden; ++j)
      state[b * s.hidden + j] =
          from != nullptr ? static_cast<A>(from[b * s.h_batch + s.direction * s.h_direction + j])
                          : A{};
}

template <class S, class T, class A>
void save_state(const S& s, const A* state, T* to) {
  if (to == nullptr) return;
  for (Index b = 0; b < s.batch; ++b)
    for (Index j = 0; j < s.hidden; ++j)
      to[b * s.h_batch + s.direction * s.h_direction + j] = static_cast<T>(state[b * s.hidden + j]);
}

// Runs product() before every step, then cell(b, row of the input products) for every sequence that
// lasts so long; h is copied to y after it. Steps behind the end of a sequence are zero in y.
template <class S, class T, class A, class Product, class Cell>
Status run_steps(const S& s, const std::int32_t* lengths, const A* h, T* y, Product product,
                 Cell cell) {
  for (Index b = 0; lengths != nullptr && b < s.batch; ++b)
    if (lengths[b] < 0 || lengths[b] > s.steps) return Status::bad_value;
  for (Index i = 0; i < s.steps; ++i) {
    product();
    for (Index b = 0; b < s.batch; ++b) {
      const Index length = lengths != nullptr ? lengths[b] : s.steps;
      const bool runs = i < length;
      const Index t = runs && s.reverse ? length - 1 - i : i;
      if (runs) cell(b, t * s.x_step + b * s.x_batch);
      if (y == nullptr) continue;
      T* out = y + t * s.y_step + b * s.y_batch + s.direction * s.y_direction;
      for (Index j = 0; j < s.hidden; ++j)
        out[j] = runs ? static_cast<T>(h[b * s.hidden + j]) : static_cast<T>(0.0f);
    }
  }
  return Status::ok;
}

}  // namespace onnxc
