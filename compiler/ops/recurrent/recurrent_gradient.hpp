// The gradient of LSTM, GRU and RNN: their definition as a Scan over the steps, which has a
// gradient of its own.
#pragma once

#include <functional>

#include "compiler/ops/gradient.hpp"
#include "compiler/ops/recurrent/recurrent.hpp"

namespace onnxc::ops {

// What one step is computed from, inside the Scan.
struct RecurrentStep {
  Term input;                // [batch, gates * hidden]: products with W, and the biases
  std::vector<Term> states;  // [batch, hidden]: h, and c of an LSTM
  Term r;                    // recurrent weights, transposed: [hidden, gates * hidden]
  Term late_bias;            // [hidden], or none: see Recurrence::late_gate
  Term peepholes;            // [3 * hidden], or none
  std::vector<ActivationChoice> activations;
  double clip = 0;

  // The columns of gates [first, first + count).
  Term gates(Term of, std::int64_t first, std::int64_t count) const;
  // Activation i of the clipped operand.
  Term activated(std::size_t i, Term x) const;
  Term clipped(Term x) const;
  Term unclipped(std::size_t i, Term x) const;  // without what `clip` asks for
};

struct Recurrence {
  CellKind kind;
  std::size_t states = 1;
  bool late_gate = false;  // the recurrent bias of the last gate is added by the step
  std::function<std::vector<Term>(const RecurrentStep&)> step;  // the new states
};

void gradient_of_recurrent(Gradient& n, const Recurrence& recurrence);

}  // namespace onnxc::ops
