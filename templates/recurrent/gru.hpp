// gru.hpp - one direction of a gated recurrent unit over a sequence.
#pragma once

#include "templates/recurrent/recurrent.hpp"
#include "templates/recurrent/turns.hpp"
#include "templates/recurrent/unit_blocks.hpp"

namespace onnxc {

// What a run reads and leaves: the lengths of the sequences and the first state; all states and the
// last one. Each may be null.
template <class T>
struct GruStates {
  const std::int32_t* lengths;
  const T* h0;
  T *y, *y_h;
};
template <class T>
GruStates(const std::int32_t*, const T*, T*, T*) -> GruStates<T>;

// Scratch: h: [2, batch, hidden]; update, reset: [batch, hidden]; products: [batch, 3 * block], or
// without reset_after [batch, 2 * block] or [batch, hidden], whichever is more.
template <class A>
struct GruScratch {
  A *h, *update, *reset, *products;
};
template <class A>
GruScratch(A*, A*, A*, A*) -> GruScratch<A>;

// The operands of one direction, and the arithmetic of its units.
template <class S, class T>
struct GruCell {
  using A = compute_t<T>;
  S s;
  const A* input;
  const T *r_gates, *r_hidden, *late_bias;
  const std::int32_t* lengths;
  A *update, *reset, *products;

  const A* input_of(Index p, Index row) const { return input + (row * s.hidden + p * s.block) * 3; }

  // Gate k of unit j from its input and recurrent products.
  template <class V>
  [[gnu::always_inline]] V gate(const A* x, const A* q, Index k, Index j) const {
    return activate_f(s,
                      clip_to(get<V>(x + k * s.block + j) + get<V>(q + k * s.block + j), s.clip));
  }

  // The new state from the old one, the gate z, and the candidate's products with the input and the
  // state.
  template <class V>
  [[gnu::always_inline]] V renew(V x, V recurrent, V z, V old) const {
    const V candidate = activate_g(s, clip_to(x + recurrent, s.clip));
    return (constant<V>(1.0f) - z) * candidate + z * old;
  }
};

// Step i where the reset gate scales the product with the state (linear_before_reset).
template <int MR, int NR, class S, class T, class A>
[[gnu::always_inline]] inline void gru_step_reset_after(const GruCell<S, T>& c, Index i,
                                                        const A* old_h, A* now_h) {
  const Index n = c.s.hidden, block = c.s.block;
  const auto product = [&](Index p) {
    recurrent_product<MR, NR>(c.s, 3 * block, old_h, c.r_gates + p * 3 * block * n, c.products);
  };
  for_blocks(c.s, c.lengths, i, product, [&](Index b, Index p, Index row) {
    const A* x = c.input_of(p, row);
    const A* q = c.products + b * 3 * block;
    const Index unit = b * n + p * block;
    for_state_lanes<A>(block, [&](auto tag, Index j) {
      using V = decltype(tag);
      V recurrent = get<V>(q + 2 * block + j);
      if (c.late_bias != nullptr) recurrent += get<V>(c.late_bias + p * block + j);
      recurrent *= c.template gate<V>(x, q, 1, j);
      const V z = c.template gate<V>(x, q, 0, j);
      put(now_h + unit + j,
          c.renew(get<V>(x + 2 * block + j), recurrent, z, get<V>(old_h + unit + j)));
    });
  });
}

// Step i where the reset gate scales the state before the product.
template <int MR, int NR, class S, class T, class A>
[[gnu::always_inline]] inline void gru_step_reset_before(const GruCell<S, T>& c, Index i,
                                                         const A* old_h, A* now_h) {
  const Index n = c.s.hidden, block = c.s.block;
  const auto product = [&](Index p) {
    recurrent_product<MR, NR>(c.s, 2 * block, old_h, c.r_gates + p * 2 * block * n, c.products);
  };
  for_blocks(c.s, c.lengths, i, product, [&](Index b, Index p, Index row) {
    const A* x = c.input_of(p, row);
    const A* q = c.products + b * 2 * block;
    const Index unit = b * n + p * block;
    for_state_lanes<A>(block, [&](auto tag, Index j) {
      using V = decltype(tag);
      put(c.update + unit + j, c.template gate<V>(x, q, 0, j));
      put(c.reset + unit + j, c.template gate<V>(x, q, 1, j) * get<V>(old_h + unit + j));
    });
  });
  recurrent_product<MR, NR>(c.s, n, c.reset, c.r_hidden, c.products);
  for_blocks(
      c.s, c.lengths, i, [](Index) {},
      [&](Index b, Index p, Index row) {
        const A* x = c.input_of(p, row);
        const Index unit = b * n + p * block;
        for_state_lanes<A>(block, [&](auto tag, Index j) {
          using V = decltype(tag);
          const V recurrent = get<V>(c.products + unit + j), z = get<V>(c.update + unit + j);
          put(now_h + unit + j,
              c.renew(get<V>(x + 2 * block + j), recurrent, z, get<V>(old_h + unit + j)));
        });
      });
}

// input: products of all steps with the input weights, gates z, r, h by blocks of units; recurrent
// weights packed by blocks for NR columns: with reset_after r_gates of all gates, otherwise r_gates
// of z, r and r_hidden of h. With NR = 0 r_gates and r_hidden are the whole plain [directions, 3 *
// hidden, hidden] and there is one block. bias: [directions, 6 * hidden] or null. s: as for
// run_steps, clip, reset_after (linear_before_reset), f_kind, f_alpha, f_beta, the same of g.
template <int MR, int NR, class S, class T>
Status gru(S s, const compute_t<T>* input, const T* r_gates, const T* r_hidden, const T* bias,
           GruStates<T> states, GruScratch<compute_t<T>> scratch) {
  using A = compute_t<T>;
  const Index n = s.hidden;
  const Index plain = NR > 0 ? 0 : s.direction * 3 * n * n;
  const GruCell<S, T> cell = {
      s,
      input,
      r_gates + plain,
      NR > 0 ? r_hidden : r_hidden + plain + 2 * n * n,
      s.reset_after && bias != nullptr ? bias + s.direction * 6 * n + 5 * n : nullptr,
      states.lengths,
      scratch.update,
      scratch.reset,
      scratch.products};
  // Products with the state of a sequence that has ended are never used, but must not read
  // uninitialized scratch.
  for (Index j = 0; !s.reset_after && j < s.batch * n; ++j) scratch.reset[j] = A{};
  return run_steps(s, states.lengths, states.h0, scratch.h, states.y, states.y_h,
                   [&](Index i, const A* old_h, A* now_h) {
                     s.reset_after ? gru_step_reset_after<MR, NR>(cell, i, old_h, now_h)
                                   : gru_step_reset_before<MR, NR>(cell, i, old_h, now_h);
                   });
}

// What gru_of_one reads: x, or where s.inputs is 0 the products of all steps with the input weights
// and biases; the biases, or null; the weights of input and state for the gates z, r and h or,
// without reset_after, z and r; without it those of h: all by blocks of LANES units
// (unit_blocks.hpp).
struct GruOperands {
  const float *input, *start, *start_hidden, *w, *w_hidden;
};

// The units of some blocks in a step of one sequence, where the reset gate scales the product with
// the state.
template <int LANES, class S>
[[gnu::always_inline]] inline void gru_one_reset_after(const GruCell<S, float>& c,
                                                       const GruOperands& in, const float* x,
                                                       const UnitStep& at, Span blocks) {
  constexpr Index n = static_extent(&S::hidden), inputs = static_extent(&S::inputs);
  for_units<LANES, n>(blocks, at.i % 2 != 0, [&](auto units) ONNXC_INLINE_LAMBDA {
    using V = typename decltype(units)::V;
    V sums[3];
    start_sums<inputs, n>(units, x, in.start, in.w, sums);
    V now[3] = {sums[0], sums[1], state_of(units, c.late_bias)};
    add_state<inputs, n>(units, at.old, in.w, now);
    const V z = activate_f(c.s, clip_to(now[0], c.s.clip));
    const V reset = activate_f(c.s, clip_to(now[1], c.s.clip));
    at.put(units, c.renew(sums[2], reset * now[2], z, state_of(units, at.old)));
  });
}

// Where it scales the state before the product: first the gates of all units, then the state.
template <int LANES, class S>
[[gnu::always_inline]] inline void gru_one_gates(const GruCell<S, float>& c, const GruOperands& in,
                                                 const float* x, const UnitStep& at, Span blocks) {
  constexpr Index n = static_extent(&S::hidden), inputs = static_extent(&S::inputs);
  for_units<LANES, n>(blocks, at.i % 2 != 0, [&](auto units) ONNXC_INLINE_LAMBDA {
    using V = typename decltype(units)::V;
    V sums[2];
    start_gates<inputs, n, 3>(units, x, in.start, in.w, 0, sums);
    add_state<inputs, n>(units, at.old, in.w, sums);
    const V reset = activate_f(c.s, clip_to(sums[1], c.s.clip));
    units.put(c.update, activate_f(c.s, clip_to(sums[0], c.s.clip)));
    units.put(c.reset, reset * state_of(units, at.old));
  });
}
template <int LANES, class S>
[[gnu::always_inline]] inline void gru_one_state(const GruCell<S, float>& c, const GruOperands& in,
                                                 const float* x, const UnitStep& at, Span blocks) {
  constexpr Index n = static_extent(&S::hidden), inputs = static_extent(&S::inputs);
  for_units<LANES, n>(blocks, at.i % 2 == 0, [&](auto units) ONNXC_INLINE_LAMBDA {
    using V = typename decltype(units)::V;
    V sums[1], zero{};
    start_gates<inputs, n, 3>(units, x, in.start_hidden, in.w_hidden, 2, sums);
    add_state<inputs, n>(units, c.reset, in.w_hidden, sums);
    at.put(units, c.renew(sums[0], zero, units.get(c.update), state_of(units, at.old)));
  });
}

// As gru, of one sequence. s: also inputs. turns: zeros where the call is divided (turns.hpp),
// otherwise null. Divisible.
template <int LANES, class S>
[[gnu::always_inline]] inline Status gru_of_one(S s, GruOperands in, const float* bias,
                                                GruStates<float> states, GruScratch<float> scratch,
                                                std::int32_t* turns) {
  constexpr Index n = static_extent(&S::hidden), inputs = static_extent(&S::inputs);
  constexpr Index row = inputs > 0 ? inputs : 3 * padded_units(n, LANES);
  constexpr Index blocks = count_blocks(n, LANES);
  const GruCell<S, float> cell = {
      s,
      nullptr,
      nullptr,
      nullptr,
      s.reset_after && bias != nullptr ? bias + s.direction * 6 * n + 5 * n : nullptr,
      states.lengths,
      scratch.update,
      scratch.reset,
      nullptr};
  Turns team(chunk_of(s), turns);
  const auto step = [&](const UnitStep& at) ONNXC_INLINE_LAMBDA {
    const float* const x = in.input + at.t * s.x_step * row;
    if (s.reset_after) {
      team.run(at.i, blocks, [&](Span own) { gru_one_reset_after<LANES>(cell, in, x, at, own); });
      return;
    }
    team.run(2 * at.i, blocks, [&](Span own) { gru_one_gates<LANES>(cell, in, x, at, own); });
    team.run(2 * at.i + 1, blocks, [&](Span own) { gru_one_state<LANES>(cell, in, x, at, own); });
  };
  return run_sequence(s, states.lengths, states.h0, scratch.h, states.y, states.y_h, step);
}

}  // namespace onnxc
