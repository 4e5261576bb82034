// RNN: simple recurrent network over a sequence, in one or both directions.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/macs.hpp"
#include "compiler/ops/recurrent/recurrent.hpp"
#include "compiler/ops/recurrent/recurrent_gradient.hpp"

namespace onnxc::ops::rnn {
namespace {

const CellKind kKind{1, {"Tanh"}};

void infer(Infer& n) { infer_recurrent(n, kKind, n.elem(0)); }

Call lower_one_sequence(Lower& n, const Recurrent& r, int direction) {
  constexpr ElemType elem = ElemType::float32;
  const BufferId products = sequence_products(n, r, r.hidden, direction);
  const auto [w, start] = pack_sequence(n, r, 0, 1, r.hidden, direction, "weights");
  const RnnShape<Dim> shape = {recurrent_sizes(n, r, direction),
                               activation<ActivationF<Dim>>(r, direction, 0)};
  const BufferId turns = sequence_turns(n, r);
  Call call = n.call("rnn_of_one", RnnOfOneShape<Dim>{shape, products < 0 ? r.inputs : Dim(0)});
  call.constant("hidden").constant("inputs");
  call.template_arg(std::to_string(r.lanes));
  products < 0 ? call.in(0) : call.read(products);
  start < 0 ? call.null(elem) : call.read(start);
  call.read(w).in(4).in(5, elem).out(0, elem).out(1, elem);
  add_turns(call.write(n.scratch(elem, Dim(2) * r.hidden, "h")), turns);
  return call;
}

Call lower_direction(Lower& n, const Recurrent& r, int direction) {
  if (r.lanes > 0) return lower_one_sequence(n, r, direction);
  const ElemType elem = n.elem(0), sum = compute_elem(elem);
  const Dim state = r.batch * r.hidden;
  const BufferId input = lower_input(n, r, r.hidden, direction);
  const bool packed = multiplies_packed(n, r);
  const Tile tile = packed ? recurrent_tile(n, r, 1) : Tile{1, 0};
  const BufferId weights = packed ? pack_recurrent(n, r, 0, 1, direction, tile, "r") : n.in(2);
  Call call = n.call("rnn", RnnShape<Dim>{recurrent_sizes(n, r, direction),
                                          activation<ActivationF<Dim>>(r, direction, 0)});
  add_tile(call, tile);
  call.read(input).read(weights);
  call.in(4).in(5, elem).out(0, elem).out(1, elem);
  call.write(n.scratch(sum, Dim(2) * state, "h"))
      .write(n.scratch(sum, r.batch * r.block, "products"));
  return call;
}

void lower(Lower& n) { lower_directions(n, kKind, lower_direction); }

std::vector<Term> step(const RecurrentStep& s) {
  return {s.activated(0, s.input + matmul(s.states[0], s.r))};
}

void gradient(Gradient& n) { gradient_of_recurrent(n, {.kind = kKind, .step = step}); }

constexpr Op rows[] = {{
    .name = "RNN",
    .versions = "1 7 14 22",
    .inputs = "X:T W:T R:T B:T? sequence_lens:int32? initial_h:T?",
    .outputs = "Y:T? Y_h:T?",
    .types = "T: floats",
    .attributes = "activation_alpha:floats activation_beta:floats activations:strings "
                  "clip:float direction:string=forward hidden_size:int layout:int=0@14- "
                  "output_sequence:int=0@1-6",
    .infer = infer,
    .axes = axes_recurrent,
    .lower = lower,
    .macs = recurrent_macs,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::rnn
