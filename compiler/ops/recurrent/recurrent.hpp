// Shared by LSTM, GRU and RNN: checks, types, the input products, and members of the shape struct.
#pragma once

#include "compiler/kernels/recurrent_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/packing.hpp"

namespace onnxc::ops {

struct ActivationChoice {
  int kind = 0;  // Activation::Kind of templates/recurrent/recurrent.hpp
  float alpha = 0, beta = 0;
};

// The counts in which the recurrent operators differ.
struct CellKind {
  int gates = 1;
  std::vector<const char*> activations;  // defaults of one direction
};

struct Recurrent {
  Dim steps, batch, inputs, hidden;
  int gates = 1;
  // Number of units whose gates the kernel computes together. With packed weights it is a few
  // vectors, and columns have the order [block][gate][unit of the block]; otherwise it is all
  // units.
  Dim block;
  // Lanes of the blocks of units where the kernels of one sequence compute them, otherwise 0.
  int lanes = 0;
  int directions = 1;
  bool reversed = false;                      // the first direction
  bool batch_first = false;                   // attribute layout = 1
  std::vector<ActivationChoice> activations;  // of all directions, in order
};

// Reads a node whose X, W and R have known ranks.
Recurrent read_recurrent(const NodeView& n, const CellKind& kind);
// Outputs Y, Y_h and, when there are three, Y_c, of this type.
void infer_recurrent(Infer& n, const CellKind& kind, ElemType elem);

// Lowers one direction after the other. The call of `lower` multiplies the state by its weights.
void lower_directions(Lower& n, const CellKind& kind,
                      Call (*lower)(Lower& n, const Recurrent& r, int direction));

// Whether the weights are constant floats, so that gemm can multiply them.
bool has_packed_weights(const NodeView& n);

// Whether the kernels multiply packed weights: constants, or float variables of known sizes, which
// every run packs. That takes as much memory again, which targets without vectors rarely have.
bool multiplies_packed(const Lower& n, const Recurrent& r);

// Whether the kernels of one sequence compute it: batch 1, on targets with vectors, where code is
// not short of memory.
bool is_one_sequence(const Lower& n, const Recurrent& r);

// Whether they multiply the input in each step: where there is one step, or next to nothing to
// multiply.
bool multiplies_in_step(const Recurrent& r);

// Gates [first, first + count) of one direction for them: the weights of the state, after those of
// the input if that is multiplied in each step; then the bias, too, otherwise -1.
struct SequenceWeights {
  BufferId w, start = -1;
};
SequenceWeights pack_sequence(Lower& n, const Recurrent& r, int first, int count,
                              const Dim& recurrent_bias, int direction, const std::string& role);

// Their input: the operator's, or the products of all steps with it, -1 for the former.
BufferId sequence_products(Lower& n, const Recurrent& r, const Dim& recurrent_bias, int direction);

// The counters by which threads share the steps, and a step that sets them to zero before; -1 where
// a step reads too few weights for that.
BufferId sequence_turns(Lower& n, const Recurrent& r);
void add_turns(Call& call, BufferId turns);

// Adds a step that fills a scratch buffer with X times one direction's input weights plus the
// biases, by blocks of units. The biases of R are included in the first `recurrent_bias` columns of
// the gates.
BufferId lower_input(Lower& n, const Recurrent& r, const Dim& recurrent_bias, int direction);

// Whether the inputs of a few steps are multiplied before them, by a kernel of by_steps.hpp: where
// memory is small and the products of all steps would take more than a little of it.
bool goes_by_steps(const Lower& n, const Recurrent& r);

// How many steps that are then: as many as fill a register tile, if that divides all.
Dim steps_together(const Lower& n, const Recurrent& r);

// Adds the arguments that such a kernel has in place of the input products: the tile and the
// operands of the product.
void add_step_input(Lower& n, Call& call, const Recurrent& r, const Dim& recurrent_bias,
                    int direction);

// The tile for products of the state with this number of gates of a block.
Tile recurrent_tile(const Lower& n, const Recurrent& r, int gates);

// Gates [first, first + count) of one direction of R, packed by blocks of units; where they are not
// constant, by a step.
BufferId pack_recurrent(Lower& n, const Recurrent& r, int first, int count, int direction,
                        Tile tile, const std::string& role);

RecurrentSizes<Dim> recurrent_sizes(const Lower& n, const Recurrent& r, int direction);
// Activation `i` of one direction as ActivationF and its like.
template <class Activation>
Activation activation(const Recurrent& r, int direction, std::size_t i) {
  const std::size_t each = r.activations.size() / static_cast<std::size_t>(r.directions);
  const ActivationChoice& a = r.activations[static_cast<std::size_t>(direction) * each + i];
  return {a.kind, a.alpha, a.beta};
}
ElemType compute_elem(ElemType elem);  // of scratch: double or float

}  // namespace onnxc::ops
