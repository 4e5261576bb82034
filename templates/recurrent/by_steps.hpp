// by_steps.hpp - recurrent units that multiply the input of a few steps at a time.
//
// The products of all steps with the input weights take several times the memory of what the unit
// reads and writes. Multiplied for as many steps as fill a register tile, they take little, but the
// weights are read again for each tile. The sums are the same.
#pragma once

#include "runtime_min/extent_arithmetic.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/recurrent/gru.hpp"
#include "templates/recurrent/lstm.hpp"

namespace onnxc {

// x: all steps; w: weights packed by blocks of units; bias: of them, or null; product: scratch,
// [together, batch, gates * hidden].
struct StepInput {
  const float *x, *w, *bias;
  float* product;
};

// The shape of a unit that takes one step, from states that it then renews: [batch, hidden].
template <class S>
struct OneStep : S {
  static constexpr Index steps = 1, x_batch = 1, h_direction = 0;
  Index h_batch;
  explicit OneStep(const S& s) : S(s), h_batch(s.hidden) {}
};

// Calls run(time, products of its inputs) for every step. s: also inputs; together: steps whose
// inputs are multiplied at once, a divisor of steps, and 1 unless their rows follow each other.
template <int MR, int NR, Index kGates, class S, class Run>
void each_step(const S& s, const StepInput& input, Run run) {
  constexpr Index batch = fixed_extent(&S::batch), hidden = fixed_extent(&S::hidden),
                  together = fixed_extent(&S::together);
  constexpr Index rows = batch < 0 || together < 0 ? -1 : batch * together;
  const Index columns = kGates * s.hidden;
  const Index ldx = s.together > 1 ? s.inputs : s.x_batch * s.inputs;
  const StateProduct<rows> shape = {s.batch * s.together, s.inputs, columns, ldx, columns};
  for (Index i = 0; i < s.steps; i += s.together) {
    const Index first = s.reverse ? s.steps - s.together - i : i;
    gemm_blocked<MR, NR, rows, (hidden < 0 ? -1 : kGates * hidden)>(
        shape, input.x + first * s.x_step * s.inputs, input.w, input.bias, input.product, 0, 0,
        columns, NoEpilogue{});
    for (Index j = 0; j < s.together; ++j) {
      const Index at = s.reverse ? s.together - 1 - j : j;
      run(first + at, input.product + at * s.batch * columns);
    }
  }
}

// As lstm, of float32 and without lengths. MI, NI: tile of the products with the input weights. s:
// also as for each_step. h, c: scratch for the states, [batch, hidden].
template <int MI, int NI, int MR, int NR, class S>
Status lstm_by_steps(S s, StepInput input, const float* r, const float* peephole,
                     LstmStates<float> states, LstmScratch<float> scratch, float* h, float* c) {
  const OneStep<S> one(s);
  load_state(s, states.h0, h);
  load_state(s, states.c0, c);
  each_step<MI, NI, 4>(s, input, [&](Index time, const float* product) {
    float* const y = states.y != nullptr ? states.y + time * s.y_step : nullptr;
    const LstmStates<float> now = {nullptr, h, c, y, h, c};
    static_cast<void>(lstm<MR, NR>(one, product, r, peephole, now, scratch));
  });
  save_state(s, h, states.y_h);
  save_state(s, c, states.y_c);
  return Status::ok;
}

// As gru, likewise.
template <int MI, int NI, int MR, int NR, class S>
Status gru_by_steps(S s, StepInput input, const float* r_gates, const float* r_hidden,
                    const float* bias, GruStates<float> states, GruScratch<float> scratch,
                    float* h) {
  const OneStep<S> one(s);
  load_state(s, states.h0, h);
  each_step<MI, NI, 3>(s, input, [&](Index time, const float* product) {
    float* const y = states.y != nullptr ? states.y + time * s.y_step : nullptr;
    const GruStates<float> now = {nullptr, h, y, h};
    static_cast<void>(gru<MR, NR>(one, product, r_gates, r_hidden, bias, now, scratch));
  });
  save_state(s, h, states.y_h);
  return Status::ok;
}

}  // namespace onnxc
