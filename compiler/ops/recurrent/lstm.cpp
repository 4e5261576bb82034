// LSTM: long short-term memory over a sequence, in one or both directions.
#include "compiler/ops/macs.hpp"
#include "compiler/ops/recurrent/recurrent.hpp"

namespace onnxc::ops::lstm {
namespace {

const CellKind kKind{4, {"Sigmoid", "Tanh", "Tanh"}};

void infer(Infer& n) { infer_recurrent(n, kKind); }

void lower_direction(Lower& n, const Recurrent& r, int direction) {
  const ElemType elem = n.elem(0), sum = compute_elem(elem);
  const Dim state = r.batch * r.hidden, gates = Dim(4) * r.hidden;
  const BufferId input = lower_input(n, r, gates, direction);
  const bool packed = has_packed_weights(n);
  const Tile tile = packed ? recurrent_tile(n, r, 4) : Tile{1, 0};
  Call call = n.call("lstm", LstmShape<Dim>{recurrent_sizes(n, r, direction),
                                            activation<ActivationF<Dim>>(r, direction, 0),
                                            activation<ActivationG<Dim>>(r, direction, 1),
                                            activation<ActivationH<Dim>>(r, direction, 2),
                                            n.attr_int("input_forget") != 0});
  add_tile(call, tile);
  call.read(input);
  if (packed) {
    call.read(pack_recurrent(n, r, 0, 4, direction, tile, "r"));
  } else {
    call.in(2);
  }
  call.in(7, elem).begin_struct("LstmStates").in(4).in(5, elem).in(6, elem);
  call.out(0, elem).out(1, elem).out(2, elem).end_struct();
  call.begin_struct("LstmScratch").write(n.scratch(sum, Dim(2) * state, "h"));
  call.write(n.scratch(sum, state, "c"));
  call.write(n.scratch(sum, r.batch * Dim(4) * r.block, "products")).end_struct();
  call.macs(r.steps * r.batch * gates * r.hidden);
}

void lower(Lower& n) {
  const Recurrent r = read_recurrent(n, kKind);
  for (int d = 0; d < r.directions; ++d) lower_direction(n, r, d);
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
    .lower = lower,
    .macs = recurrent_macs,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::lstm
