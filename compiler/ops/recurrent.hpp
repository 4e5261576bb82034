// What LSTM, GRU and RNN share: checks, types, the input products, and members of the shape struct.
#pragma once

#include "compiler/ops/infer.hpp"
#include "compiler/ops/packing.hpp"

namespace onnxc::ops {

struct ActivationChoice {
  int kind = 0;  // Activation::Kind of templates/recurrent.hpp
  float alpha = 0, beta = 0;
};

// Counts that tell the recurrent operators apart.
struct CellKind {
  int gates = 1;
  std::vector<const char*> activations;  // defaults of one direction
};

struct Recurrent {
  Dim steps, batch, inputs, hidden;
  int directions = 1;
  bool reversed = false;                      // the first direction
  bool batch_first = false;                   // attribute layout = 1
  std::vector<ActivationChoice> activations;  // of all directions, one after the other
};

// Of a node whose X, W, R have known ranks.
Recurrent read_recurrent(const NodeView& n, const CellKind& kind);
// Outputs Y, Y_h and, when there are three, Y_c.
void infer_recurrent(Infer& n, const CellKind& kind);

// Whether the weights are constant floats, so that gemm can multiply them.
bool has_packed_weights(const NodeView& n);

// A step that fills a scratch buffer with the products of X and one direction's input weights plus
// the biases; the biases of R count in the first `recurrent_bias` columns of the gates.
BufferId lower_input(Lower& n, const Recurrent& r, int gates, const Dim& recurrent_bias,
                     int direction);

// For products of the state with parts of R, whose columns are multiples of `columns`. Few rows wait
// for the weights, not for the multipliers: the wider panel that gemv takes is faster then.
Tile recurrent_tile(const Lower& n, const Recurrent& r, const Dim& columns);

// Rows [first, first + count) times hidden of one direction of R, packed.
BufferId pack_recurrent(Lower& n, const Recurrent& r, std::int64_t first, std::int64_t count,
                        std::int64_t rows, int direction, Tile tile, const std::string& role);

// Members for run_steps, clip, and the activations named by `letters`.
void add_recurrent(Call& call, const Lower& n, const Recurrent& r, int direction,
                   const char* letters);
ElemType compute_elem(ElemType elem);  // of scratch: double or float

}  // namespace onnxc::ops
