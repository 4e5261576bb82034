// GRU: gated recurrent unit over a sequence, in one or both directions.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/recurrent/recurrent.hpp"
#include "compiler/ops/recurrent/recurrent_gradient.hpp"

namespace onnxc::ops::gru {
namespace {

const CellKind kKind{3, {"Sigmoid", "Tanh"}};

void infer(Infer& n) { infer_recurrent(n, kKind, n.elem(0)); }

bool resets_after(const NodeView& n) { return n.attr_int("linear_before_reset") != 0; }

GruShape<Dim> shape_of(const Lower& n, const Recurrent& r, int direction) {
  return {recurrent_sizes(n, r, direction), activation<ActivationF<Dim>>(r, direction, 0),
          activation<ActivationG<Dim>>(r, direction, 1), resets_after(n)};
}

Call lower_one_sequence(Lower& n, const Recurrent& r, int direction) {
  constexpr ElemType elem = ElemType::float32;
  const bool after = resets_after(n);
  const Dim biased = Dim(after ? 2 : 3) * r.hidden;
  const BufferId products = sequence_products(n, r, biased, direction);
  const SequenceWeights all = pack_sequence(n, r, 0, after ? 3 : 2, biased, direction, "weights");
  SequenceWeights candidate = {-1};
  if (!after) candidate = pack_sequence(n, r, 2, 1, biased, direction, "hidden_weights");
  const BufferId turns = sequence_turns(n, r);
  Call call = n.call("gru_of_one", GruOfOneShape<Dim>{shape_of(n, r, direction),
                                                      products < 0 ? r.inputs : Dim(0)});
  const auto read = [&](BufferId b) { b < 0 ? call.null(elem) : call.read(b); };
  call.constant("hidden").constant("inputs");
  call.template_arg(std::to_string(r.lanes)).begin_struct("GruOperands");
  products < 0 ? call.in(0) : call.read(products);
  for (const BufferId b : {all.start, candidate.start, all.w, candidate.w}) read(b);
  call.end_struct().in(3, elem).begin_struct("GruStates").in(4).in(5, elem).out(0, elem);
  call.out(1, elem).end_struct().begin_struct("GruScratch");
  call.write(n.scratch(elem, Dim(2) * r.hidden, "h"));
  for (const char* name : {"update", "reset"})
    after ? call.null(elem, true) : call.write(n.scratch(elem, r.hidden, name));
  add_turns(call.null(elem, true).end_struct(), turns);
  return call;
}

Call lower_direction(Lower& n, const Recurrent& r, int direction) {
  if (r.lanes > 0) return lower_one_sequence(n, r, direction);
  const ElemType elem = n.elem(0), sum = compute_elem(elem);
  const Dim state = r.batch * r.hidden, gates = Dim(3) * r.hidden;
  const bool after = resets_after(n), packed = multiplies_packed(n, r);
  const bool by_steps = goes_by_steps(n, r);
  const Dim biased = after ? Dim(2) * r.hidden : gates;
  const BufferId input = by_steps ? -1 : lower_input(n, r, biased, direction);
  const int together = after ? 3 : 2;
  const Tile tile = packed ? recurrent_tile(n, r, together) : Tile{1, 0};
  BufferId weights = -1, hidden_weights = -1;
  if (!packed) {
    weights = hidden_weights = n.in(2);
  } else {
    weights = pack_recurrent(n, r, 0, together, direction, tile, "r");
    hidden_weights = after ? -1 : pack_recurrent(n, r, 2, 1, direction, tile, "r_hidden");
  }
  const GruShape<Dim> shape = shape_of(n, r, direction);
  Call call =
      by_steps ? n.call("gru_by_steps", GruByStepsShape<Dim>{shape, r.inputs, steps_together(n, r)})
               : n.call("gru", shape);
  if (by_steps)
    add_step_input(n, call, r, biased, direction);
  else
    call.read(input);
  add_tile(call, tile);
  call.read(weights);
  hidden_weights < 0 ? call.null(elem) : call.read(hidden_weights);
  call.in(3, elem).begin_struct("GruStates").in(4).in(5, elem).out(0, elem).out(1, elem);
  call.end_struct();
  // Scratch for the products of a block's gates, and without reset_after for those of h of all
  // units.
  Dim columns = Dim(together) * r.block;
  if (!after && r.hidden.is_const() && r.hidden.value() > columns.value()) columns = r.hidden;
  call.begin_struct("GruScratch").write(n.scratch(sum, Dim(2) * state, "h"));
  call.write(n.scratch(sum, state, "update")).write(n.scratch(sum, state, "reset"));
  call.write(n.scratch(sum, r.batch * columns, "products")).end_struct();
  if (by_steps) call.write(n.scratch(sum, state, "h_now"));
  return call;
}

void lower(Lower& n) { lower_directions(n, kKind, lower_direction); }

// Gates z, r, h. The candidate of the new state sees the state through the gate r.
std::vector<Term> next_state(const RecurrentStep& s, bool reset_after) {
  const Term h = s.states[0];
  const Term both = s.gates(s.input, 0, 2) + matmul(h, s.gates(s.r, 0, 2));
  const Term z = s.activated(0, s.gates(both, 0, 1)), r = s.activated(0, s.gates(both, 1, 1));
  const Term weights = s.gates(s.r, 2, 1);
  Term recurrent = matmul(reset_after ? h : r * h, weights);
  if (s.late_bias.value) recurrent = recurrent + s.late_bias;
  if (reset_after) recurrent = r * recurrent;
  const Term candidate = s.activated(1, s.gates(s.input, 2, 1) + recurrent);
  return {(1.0 - z) * candidate + z * h};
}

void gradient(Gradient& n) {
  const bool after = resets_after(n);
  gradient_of_recurrent(
      n, {.kind = kKind, .late_gate = after, .step = [after](const RecurrentStep& s) {
            return next_state(s, after);
          }});
}

constexpr Op rows[] = {{
    .name = "GRU",
    .versions = "1 3 7 14 22",
    .inputs = "X:T W:T R:T B:T? sequence_lens:int32? initial_h:T?",
    .outputs = "Y:T? Y_h:T?",
    .types = "T: floats",
    .attributes = "activation_alpha:floats activation_beta:floats activations:strings clip:float "
                  "direction:string=forward hidden_size:int layout:int=0@14- "
                  "linear_before_reset:int=0@3- output_sequence:int=0@1-6",
    .infer = infer,
    .axes = axes_recurrent,
    .lower = lower,
    .macs = recurrent_macs,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gru
