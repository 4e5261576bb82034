// lstm.hpp - one direction of a long short-term memory over a sequence.
#pragma once

#include "templates/recurrent/recurrent.hpp"
#include "templates/recurrent/turns.hpp"
#include "templates/recurrent/unit_blocks.hpp"

namespace onnxc {

// What a run reads and leaves: the lengths of the sequences and the first states of both kinds; all
// states and the last ones. Each may be null.
template <class T>
struct LstmStates {
  const std::int32_t* lengths;
  const T *h0, *c0;
  T *y, *y_h, *y_c;
};
template <class T>
LstmStates(const std::int32_t*, const T*, const T*, T*, T*, T*) -> LstmStates<T>;

// Scratch: h: [2, batch, hidden], c: [batch, hidden], products: [batch, 4 * block].
template <class A>
struct LstmScratch {
  A *h, *c, *products;
};
template <class A>
LstmScratch(A*, A*, A*) -> LstmScratch<A>;

// A state of one unit, or of a vector of them.
template <class V>
struct LstmState {
  V h, c;
};

// The new state of units from the sums of the gates i, o, f, c. peep(sum, gate, state): the sum
// with what a peephole adds.
template <class S, class V, class Peep>
[[gnu::always_inline]] inline LstmState<V> lstm_cell(const S& s, const V (&sums)[4], V old,
                                                     const Peep& peep) {
  const V in = activate_f(s, clip_to(peep(sums[0], 0, old), s.clip));
  const V forget = s.input_forget ? constant<V>(1.0f) - in
                                  : activate_f(s, clip_to(peep(sums[2], 2, old), s.clip));
  const V now = forget * old + in * activate_g(s, clip_to(sums[3], s.clip));
  const V out = activate_f(s, clip_to(peep(sums[1], 1, now), s.clip));
  return {out * activate_h(s, now), now};
}

// Where the second state comes from and goes to: it stays where it is in a run of one step.
template <class A>
struct LstmCells {
  const A* old;
  A* now;
};
template <class S, class T, class A>
LstmCells<A> first_cells(const S& s, const LstmStates<T>& states, A* scratch) {
  if constexpr (std::is_same_v<T, A>) {
    const Index own = s.direction * s.h_direction;
    if (is_one_step(s, states.lengths) && states.c0 != nullptr)
      return {states.c0 + own, states.y_c != nullptr ? states.y_c + own : scratch};
  }
  load_state(s, states.c0, scratch);
  return {scratch, scratch};
}

// input: products of all steps with the input weights, gates i, o, f, c by blocks of units; r:
// packed by blocks for NR columns, or with NR = 0 plain [directions, 4 * hidden, hidden] and one
// block; peephole: [directions, 3 * hidden] of i, o, f, or null. s: as for
// run_steps, clip, input_forget, f_kind, f_alpha, f_beta, the same of g and h.
template <int MR, int NR, class S, class T>
Status lstm(S s, const compute_t<T>* input, const T* r, const T* peephole, LstmStates<T> states,
            LstmScratch<compute_t<T>> scratch) {
  using A = compute_t<T>;
  const Index n = s.hidden, block = s.block;
  const T* rd = NR > 0 ? r : r + s.direction * 4 * n * n;
  const T* peephole_d = peephole != nullptr ? peephole + s.direction * 3 * n : nullptr;
  const LstmCells<A> cells = first_cells(s, states, scratch.c);
  const auto step = [&](Index i, const A* old_h, A* now_h) {
    A* const products = scratch.products;
    const auto product = [&](Index p) {
      recurrent_product<MR, NR>(s, 4 * block, old_h, rd + p * 4 * block * n, products);
    };
    const auto cell = [&](Index b, Index p, Index row) {
      const A* x = input + (row * n + p * block) * 4;
      const A* q = products + b * 4 * block;
      const T* peepholes = peephole != nullptr ? peephole_d + p * block : nullptr;
      const Index unit = b * n + p * block;
      for_state_lanes<A>(block, [&](auto tag, Index j) {
        using V = decltype(tag);
        V sums[4];
        for (Index gate = 0; gate < 4; ++gate)
          sums[gate] = get<V>(x + gate * block + j) + get<V>(q + gate * block + j);
        const auto peep = [&](V sum, Index gate, V state) {
          return peepholes != nullptr ? sum + get<V>(peepholes + gate * n + j) * state : sum;
        };
        const LstmState<V> now = lstm_cell(s, sums, get<V>(cells.old + unit + j), peep);
        put(cells.now + unit + j, now.c);
        put(now_h + unit + j, now.h);
      });
    };
    for_blocks(s, states.lengths, i, product, cell);
  };
  const Status status =
      run_steps(s, states.lengths, states.h0, scratch.h, states.y, states.y_h, step);
  if (cells.now == scratch.c) save_state(s, scratch.c, states.y_c);
  return status;
}

// As lstm, of one sequence. Where s.inputs is not 0, input is x and multiplied here, and start the
// bias of the gates, or null; otherwise start is null and input the products and biases. w: the
// weights of input and state, by blocks of LANES units (unit_blocks.hpp), as start and products.
// turns: zeros where the call is divided (turns.hpp), otherwise null. Divisible.
template <int LANES, class S>
[[gnu::always_inline]] inline Status lstm_of_one(S s, const float* input, const float* start,
                                                 const float* w, const float* peephole,
                                                 LstmStates<float> states,
                                                 LstmScratch<float> scratch, std::int32_t* turns) {
  constexpr Index n = static_extent(&S::hidden), inputs = static_extent(&S::inputs);
  constexpr Index row = inputs > 0 ? inputs : 4 * padded_units(n, LANES);
  const Index own = s.direction * s.h_direction;
  const float* c = states.c0 != nullptr ? states.c0 + own : nullptr;
  float* const last_c = states.y_c != nullptr ? states.y_c + own : nullptr;
  const float* peepholes = peephole != nullptr ? peephole + s.direction * 3 * n : nullptr;
  Turns team(chunk_of(s), turns);
  const auto step = [&](const UnitStep& at) ONNXC_INLINE_LAMBDA {
    const float* const x = input + at.t * s.x_step * row;
    float* const now_c = at.is_last && last_c != nullptr ? last_c : scratch.c;
    team.run(at.i, count_blocks(n, LANES), [&](Span blocks) ONNXC_INLINE_LAMBDA {
      for_units<LANES, n>(blocks, at.i % 2 != 0, [&](auto units) ONNXC_INLINE_LAMBDA {
        using V = typename decltype(units)::V;
        V sums[4];
        start_sums<inputs, n>(units, x, start, w, sums);
        add_state<inputs, n>(units, at.old, w, sums);
        const auto peep = [&](V sum, Index gate, V state) {
          return peepholes != nullptr ? sum + units.get(peepholes + gate * n) * state : sum;
        };
        const LstmState<V> now = lstm_cell(s, sums, state_of(units, c), peep);
        units.put(now_c, now.c);
        at.put(units, now.h);
      });
    });
    c = now_c;
  };
  if (states.lengths != nullptr && states.lengths[0] == 0) keep_state(n, c, last_c);
  return run_sequence(s, states.lengths, states.h0, scratch.h, states.y, states.y_h, step);
}

}  // namespace onnxc
