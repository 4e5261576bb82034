// rnn.hpp - one direction of a simple recurrent network over a sequence.
#pragma once

#include "templates/recurrent/recurrent.hpp"
#include "templates/recurrent/turns.hpp"
#include "templates/recurrent/unit_blocks.hpp"

namespace onnxc {

// input: products of all steps with the input weights; r: packed for NR columns, or with NR = 0
// plain [directions, hidden, hidden] and one block; scratch h: [2, batch, hidden], products:
// [batch, block]. lengths, h0, y, y_h may be null. s: as for run_steps, clip, f_kind, f_alpha,
// f_beta.
template <int MR, int NR, class S, class T>
Status rnn(S s, const compute_t<T>* input, const T* r, const std::int32_t* lengths, const T* h0,
           T* y, T* y_h, compute_t<T>* h, compute_t<T>* products) {
  using A = compute_t<T>;
  const Index n = s.hidden, block = s.block;
  const T* rd = NR > 0 ? r : r + s.direction * n * n;
  const auto step = [&](Index i, const A* old_h, A* now_h) {
    const auto product = [&](Index p) {
      recurrent_product<MR, NR>(s, block, old_h, rd + p * block * n, products);
    };
    const auto cell = [&](Index b, Index p, Index row) {
      const A* x = input + row * n + p * block;
      const A* q = products + b * block;
      A* hb = now_h + b * n + p * block;
      for_state_lanes<A>(block, [&](auto tag, Index j) {
        using V = decltype(tag);
        put(hb + j, activate_f(s, clip_to(get<V>(x + j) + get<V>(q + j), s.clip)));
      });
    };
    for_blocks(s, lengths, i, product, cell);
  };
  return run_steps(s, lengths, h0, h, y, y_h, step);
}

// As rnn, of one sequence. Where s.inputs is not 0, input is x and multiplied here, and start the
// bias, or null; otherwise start is null and input the products and biases. w: the weights of input
// and state, by blocks of LANES units (unit_blocks.hpp), as start and products. turns: zeros where
// the call is divided (turns.hpp), otherwise null. Divisible.
template <int LANES, class S>
[[gnu::always_inline]] inline Status rnn_of_one(S s, const float* input, const float* start,
                                                const float* w, const std::int32_t* lengths,
                                                const float* h0, float* y, float* y_h, float* h,
                                                std::int32_t* turns) {
  constexpr Index n = static_extent(&S::hidden), inputs = static_extent(&S::inputs);
  constexpr Index row = inputs > 0 ? inputs : padded_units(n, LANES);
  Turns team(chunk_of(s), turns);
  return run_sequence(s, lengths, h0, h, y, y_h, [&](const UnitStep& at) {
    const float* const x = input + at.t * s.x_step * row;
    team.run(at.i, count_blocks(n, LANES), [&](Span blocks) ONNXC_INLINE_LAMBDA {
      for_units<LANES, n>(blocks, at.i % 2 != 0, [&](auto units) ONNXC_INLINE_LAMBDA {
        typename decltype(units)::V sums[1];
        start_sums<inputs, n>(units, x, start, w, sums);
        add_state<inputs, n>(units, at.old, w, sums);
        at.put(units, activate_f(s, clip_to(sums[0], s.clip)));
      });
    });
  });
}

}  // namespace onnxc
