// recurrent.hpp - what the recurrent kernels share: activations, products with the state, and the
// walk over steps.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/math.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/fn/activation.hpp"
#include "templates/fn/exponential.hpp"
#include "templates/matmul/gemm.hpp"

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

// The activations, numbered as by the compiler.
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
        return select(less_than(x, zero), zero, x);
      case kTanh:
        return tanh_of(x);
      case kSigmoid:
        return sigmoid_of(x);
      case kAffine:
        return a * x + b;
      case kLeakyRelu:
        return select(less_than(x, zero), a * x, x);
      case kThresholdedRelu:
        return select(greater_than(x, a), x, zero);
      case kScaledTanh:
        return a * tanh_of(b * x);
      case kHardSigmoid: {
        const V y = a * x + b;
        return select(less_than(y, zero), zero, select(greater_than(y, one), one, y));
      }
      case kElu:
        return select(less_than(x, zero), a * fn::expm1(x), x);
      case kSoftsign:
        return fn::softsign(x);
      default:
        return fn::softplus(x);
    }
  }
};

// Those of a shape, as constants where its members are.
template <class V, class S>
[[gnu::always_inline]] inline V activate_f(const S& s, V x) {
  return Activation{s.f_kind, s.f_alpha, s.f_beta}(x);
}
template <class V, class S>
[[gnu::always_inline]] inline V activate_g(const S& s, V x) {
  return Activation{s.g_kind, s.g_alpha, s.g_beta}(x);
}
template <class V, class S>
[[gnu::always_inline]] inline V activate_h(const S& s, V x) {
  return Activation{s.h_kind, s.h_alpha, s.h_beta}(x);
}

// Bounds the input of an activation; limit 0 means none.
template <class V>
[[gnu::always_inline]] inline V clip_to(V x, float limit) {
  if (!(limit > 0.0f)) return x;
  const V most = constant<V>(limit);
  return select(greater_than(x, most), most, select(less_than(x, -most), -most, x));
}

// Calls f(V{}, i) for vectors of floats and then for single elements.
template <class A, class F>
[[gnu::always_inline]] inline void for_state_lanes(Index count, F f) {
  if constexpr (std::is_same_v<A, float>) {
    for_all_lanes(count, [&](Index i, auto lane) { f(lane, i); });
  } else {
    for (Index i = 0; i < count; ++i) f(A{}, i);
  }
}

template <class V, class T>
[[gnu::always_inline]] inline V get(const T* p) {
  if constexpr (sizeof(V) > sizeof(double) && std::is_same_v<T, float>) {
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

// Extents of a product with the state; Batch = -1: known at run time.
template <Index Batch>
struct StateProduct {
  static constexpr Index m = Batch;
  Index batch, k, n, ldx, ldy;
};
template <>
struct StateProduct<-1> {
  Index m, k, n, ldx, ldy;
};

// y[batch, n] = x[batch, hidden] * w: packed for NR columns, or with NR = 0 plain [n, hidden].  s:
// batch, hidden.
template <int MR, int NR, class S, class A, class W>
void recurrent_product(const S& s, Index n, const A* x, const W* w, A* y) {
  if constexpr (NR > 0) {
    gemm<MR, NR>(StateProduct<fixed_extent(&S::batch)>{s.batch, s.hidden, n, s.hidden, n}, x, w,
                 nullptr, y);
  } else {
    for (Index i = 0; i < s.batch; ++i) {
      for (Index j = 0; j < n; ++j) {
        A sum{};
        for (Index p = 0; p < s.hidden; ++p)
          sum += x[i * s.hidden + p] * static_cast<A>(w[j * s.hidden + p]);
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

// The state of one sequence, between tensors and the type of the arithmetic. Where they are the
// same, the copy is made of vectors: a vector waits long for what single elements have stored.
template <class From, class To>
[[gnu::always_inline]] inline void copy_state(Index hidden, const From* from, To* to) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(to, from, static_cast<std::size_t>(hidden) * sizeof(To));
  } else {
    for (Index j = 0; j < hidden; ++j) to[j] = static_cast<To>(from[j]);
  }
}

// Strides of the tensors, in elements.  s: steps, batch, hidden, block, direction, reverse,
// x_step, x_batch (rows of the input products), y_step, y_batch, y_direction, h_batch, h_direction.
template <class S, class T, class A>
void load_state(const S& s, const T* from, A* state) {
  for (Index b = 0; b < s.batch; ++b) {
    A* const row = state + b * s.hidden;
    if (from != nullptr) {
      copy_state(s.hidden, from + b * s.h_batch + s.direction * s.h_direction, row);
    } else {
      for (Index j = 0; j < s.hidden; ++j) row[j] = A{};
    }
  }
}

template <class S, class T, class A>
void save_state(const S& s, const A* state, T* to) {
  if (to == nullptr) return;
  for (Index b = 0; b < s.batch; ++b)
    copy_state(s.hidden, state + b * s.hidden, to + b * s.h_batch + s.direction * s.h_direction);
}

// The time that sequence b comes to in step i, or -1 past its end.
template <class S>
Index time_of(const S& s, const std::int32_t* lengths, Index i, Index b) {
  const Index length = lengths != nullptr ? static_cast<Index>(lengths[b]) : s.steps;
  if (i >= length) return -1;
  return s.reverse ? length - 1 - i : i;
}

// The gates of step i, by blocks of s.block units, so that the units of one block are computed
// while the weights of the next are on their way: product(p) for block p, then cell(b, p, row of
// the input products) for every sequence that lasts so long. Columns are ordered as
// [block][gate][unit of the block] in products and packed weights.
template <class S, class Product, class Cell>
[[gnu::always_inline]] inline void for_blocks(const S& s, const std::int32_t* lengths, Index i,
                                              Product product, Cell cell) {
  const Index blocks = s.hidden / s.block;
  for (Index j = 0; j < blocks; ++j) {
    // Back and forth: the weights read last are still in the nearest cache.
    const Index p = i % 2 == 0 ? j : blocks - 1 - j;
    product(p);
    for (Index b = 0; b < s.batch; ++b) {
      const Index t = time_of(s, lengths, i, b);
      if (t >= 0) cell(b, p, t * s.x_step + b * s.x_batch);
    }
  }
}

// After step i: keeps the states of sequences that have ended, and copies the others to y, where
// steps past the end are zero. y may be null.
template <class S, class T, class A>
void end_step(const S& s, const std::int32_t* lengths, Index i, const A* old, A* now, T* y) {
  for (Index b = 0; b < s.batch; ++b) {
    const Index t = time_of(s, lengths, i, b), row = b * s.hidden;
    if (t < 0) copy_state(s.hidden, old + row, now + row);
    if (y == nullptr) continue;
    T* const out = y + (t < 0 ? i : t) * s.y_step + b * s.y_batch + s.direction * s.y_direction;
    if (t < 0) {
      for (Index j = 0; j < s.hidden; ++j) out[j] = static_cast<T>(0.0f);
    } else {
      copy_state(s.hidden, now + row, out);
    }
  }
}

// Whether a run takes one step, of sequences whose states follow each other without gaps: then
// they stay where they are.
template <class S>
bool is_one_step(const S& s, const std::int32_t* lengths) {
  return s.steps == 1 && lengths == nullptr && (s.batch == 1 || s.h_batch == s.hidden);
}

// Runs step(i, state before, state after) for all steps.  h0: as for load_state; h: two states
// [batch, hidden]; y, y_h: every state and the last one, or null.
template <class S, class T, class A, class Step>
[[gnu::always_inline]] inline Status run_steps(const S& s, const std::int32_t* lengths, const T* h0,
                                               A* h, T* y, T* y_h, Step step) {
  for (Index b = 0; lengths != nullptr && b < s.batch; ++b)
    if (lengths[b] < 0 || lengths[b] > s.steps) return Status::bad_value;
  const A* old = nullptr;
  A* now = nullptr;
  if constexpr (std::is_same_v<T, A>) {
    if (is_one_step(s, lengths) && h0 != nullptr && h0 != y_h) {
      old = h0 + s.direction * s.h_direction;
      now = y_h != nullptr ? y_h + s.direction * s.h_direction : h;
    }
  }
  const bool in_place = old != nullptr;
  if (!in_place) {
    load_state(s, h0, h);
    old = h, now = h + s.batch * s.hidden;
  }
  for (Index i = 0; i < s.steps; ++i) {
    step(i, old, now);
    end_step(s, lengths, i, old, now, y);
    old = now;
    now = i % 2 == 0 ? h : h + s.batch * s.hidden;
  }
  if (!in_place) save_state(s, old, y_h);
  return Status::ok;
}

}  // namespace onnxc
