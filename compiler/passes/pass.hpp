// Passes: each rewrites the graph in place and states in its first comment what it needs and gives.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

// How an input or output of the model is quantised: real = (integer - zero_point) * scale.
struct PortScale {
  std::string port;
  bool input = false;
  float scale = 1;
  std::int64_t zero_point = 0;
};

// What the columns of an output mean, numbers or texts: the tensor that a ZipMap would read.
struct PortLabels {
  std::string port;
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
};

// What passes infer about inputs and outputs.
struct PortFacts {
  std::vector<PortScale> scales;
  std::vector<PortLabels> labels;
};

struct PassContext {
  const CompileOptions& options;
  const Target& target;
  Diagnostics& diagnostics;
  PortFacts* ports = nullptr;  // gets those of the graph; null: not wanted
};

namespace passes {

using ops::is_a;

// A pass that also calls itself for bodies.
void infer_shapes(Graph& graph, PassContext& context);

// Readers of an Identity, of a Dropout in inference, or of a Cast to the type of its input read its
// input instead. Then nodes are removed whose results have no readers, or are constants. Bodies
// included. Needs types. Graph outputs keep their own values, and an Identity where one needs it.
void clean_up(Graph& graph);

}  // namespace passes

struct Pass {
  enum Trait : unsigned {
    checks = 1,    // also runs after errors, to find more of them
    typed = 2,     // every value must have a type afterwards; clean_up runs then
    nested = 4,    // also runs on every subgraph
    optional = 8,  // only makes code better; --plain leaves it out
  };

  // What holds of the graph between passes. A row of the pipeline says what its pass needs, what
  // it gives, and what holds no longer after it.
  enum Fact : unsigned {
    bound_dims = 1,      // --dim and the shapes of data are in the types of inputs
    types = 2,           // as far as they can be inferred
    model_nodes = 4,     // the nodes as the model has them, none merged or removed
    forward = 8,         // no Gradient nodes
    no_bodies = 16,      // no node has a fused element-wise body
    int8_products = 32,  // products of quantised operands are integer kernels
    shuffles = 64,       // channel shuffles are one node
    layouts = 128,       // values have their layouts in memory
  };

  const char* name;
  void (*run)(Graph&, PassContext&);
  unsigned traits;
  unsigned needs = 0, gives = 0, ends = 0;

  constexpr bool is(Trait t) const { return (traits & t) != 0; }
};
std::span<const Pass> pipeline();

// Runs one pass, and clean_up after it.
void run_pass(Graph& graph, const Pass& pass, PassContext& context);

// Runs the passes that look for errors, on what could be read of a model.
void run_checks(Graph& graph, PassContext& context);

// The pipeline in two parts; after errors only the passes that look for more of them. The first
// part binds sizes and infers types; it leaves the nodes as the model has them.
void run_inference(Graph& graph, PassContext& context);
void run_rewrites(Graph& graph, PassContext& context);
// Between the two, if at all: Gradient nodes become ordinary ones, and the others stay as they are.
void run_differentiation(Graph& graph, PassContext& context);
// Both.
void run_pipeline(Graph& graph, PassContext& context);

}  // namespace onnxc
