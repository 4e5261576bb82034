// LSTM: long short-term memory over a sequence, in one or both directions.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/recurrent/recurrent.hpp"
#include "compiler/ops/recurrent/recurrent_gradient.hpp"

namespace onnxc::ops::lstm {
namespace {

const CellKind kKind{4, {"Sigmoid", "Tanh", "Tanh"}};

void infer(Infer& n) { infer_recurrent(n, kKind, n.elem(0)); }

LstmShape<Dim> shape_of(const Lower& n, const Recurrent& r, int direction) {
  return {recurrent_sizes(n, r, direction), activation<ActivationF<Dim>>(r, direction, 0),
          activation<ActivationG<Dim>>(r, direction, 1),
          activation<ActivationH<Dim>>(r, direction, 2), n.attr_int("input_forget") != 0};
}

void add_states(const Lower& n, Call& call) {
  const ElemType elem = n.elem(0);
  call.in(7, elem).begin_struct("LstmStates").in(4).in(5, elem).in(6, elem);
  call.out(0, elem).out(1, elem).out(2, elem).end_struct();
}

Call lower_one_sequence(Lower& n, const Recurrent& r, int direction) {
  const Dim gates = Dim(4) * r.hidden;
  const BufferId products = sequence_products(n, r, gates, direction);
  const auto [w, start] = pack_sequence(n, r, 0, 4, gates, direction, "weights");
  const BufferId turns = sequence_turns(n, r);
  Call call = n.call("lstm_of_one", LstmOfOneShape<Dim>{shape_of(n, r, direction),
                                                        products < 0 ? r.inputs : Dim(0)});
  call.constant("hidden").constant("inputs");
  call.template_arg(std::to_string(r.lanes));
  products < 0 ? call.in(0) : call.read(products);
  start < 0 ? call.null(ElemType::float32) : call.read(start);
  add_states(n, call.read(w));
  call.begin_struct("LstmScratch");
  call.write(n.scratch(ElemType::float32, Dim(2) * r.hidden, "h"));
  call.write(n.scratch(ElemType::float32, r.hidden, "c")).null(ElemType::float32, true);
  add_turns(call.end_struct(), turns);
  return call;
}

Call lower_direction(Lower& n, const Recurrent& r, int direction) {
  if (r.lanes > 0) return lower_one_sequence(n, r, direction);
  const ElemType sum = compute_elem(n.elem(0));
  const Dim state = r.batch * r.hidden, gates = Dim(4) * r.hidden;
  const bool by_steps = goes_by_steps(n, r);
  const BufferId input = by_steps ? -1 : lower_input(n, r, gates, direction);
  const bool packed = multiplies_packed(n, r);
  const Tile tile = packed ? recurrent_tile(n, r, 4) : Tile{1, 0};
  const BufferId weights = packed ? pack_recurrent(n, r, 0, 4, direction, tile, "r") : n.in(2);
  const LstmShape<Dim> shape = shape_of(n, r, direction);
  Call call = by_steps ? n.call("lstm_by_steps",
                                LstmByStepsShape<Dim>{shape, r.inputs, steps_together(n, r)})
                       : n.call("lstm", shape);
  if (by_steps)
    add_step_input(n, call, r, gates, direction);
  else
    call.read(input);
  add_tile(call, tile);
  add_states(n, call.read(weights));
  call.begin_struct("LstmScratch").write(n.scratch(sum, Dim(2) * state, "h"));
  call.write(n.scratch(sum, state, "c"));
  call.write(n.scratch(sum, r.batch * Dim(4) * r.block, "products")).end_struct();
  if (by_steps) call.write(n.scratch(sum, state, "h_now")).write(n.scratch(sum, state, "c_now"));
  return call;
}

void lower(Lower& n) { lower_directions(n, kKind, lower_direction); }

// Gates i, o, f, c; peepholes of i, o, f.
std::vector<Term> next_states(const RecurrentStep& s, bool input_forget) {
  const Term all = s.input + matmul(s.states[0], s.r);
  const auto gate = [&](std::int64_t i, Term cell) {
    const Term sum = s.gates(all, i, 1);
    return s.activated(0, s.peepholes.value ? sum + s.gates(s.peepholes, i, 1) * cell : sum);
  };
  const Term old = s.states[1], in = gate(0, old);
  const Term forget = input_forget ? 1.0 - in : gate(2, old);
  const Term cell = forget * old + in * s.activated(1, s.gates(all, 3, 1));
  return {gate(1, cell) * s.unclipped(2, cell), cell};
}

void gradient(Gradient& n) {
  const bool input_forget = n.attr_int("input_forget") != 0;
  gradient_of_recurrent(
      n, {.kind = kKind, .states = 2, .step = [input_forget](const RecurrentStep& s) {
            return next_states(s, input_forget);
          }});
}

constexpr Op rows[] = {{
    .name = "LSTM",
    .versions = "1 7 14 22",
    .inputs = "X:T W:T R:T B:T? sequence_lens:int32? initial_h:T? initial_c:T? P:T?",
    .outputs = "Y:T? Y_h:T? Y_c:T?",
    .types = "T: floats",
    .attributes = "activation_alpha:floats activation_beta:floats activations:strings clip:float "
                  "direction:string=forward hidden_size:int input_forget:int=0 layout:int=0@14- "
                  "output_sequence:int=0@1-6",
    .infer = infer,
    .axes = axes_recurrent,
    .lower = lower,
    .macs = recurrent_macs,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::lstm
