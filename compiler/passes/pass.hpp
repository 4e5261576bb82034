// Passes: each rewrites the graph in place and states in its first comment what it needs and gives.
// A new pass is a file passes/<folder>/<stem>.cpp that defines passes::<stem>, and a row in
// pipeline.cpp; the build declares it.
#pragma once

#include <span>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

struct PassContext {
  const CompileOptions& options;
  const Target& target;
  Diagnostics& diagnostics;
};

namespace passes {

using ops::is_a;

// Passes that are also called outside the pipeline.
void bind_dims(Graph& graph, PassContext& context);
void infer_shapes(Graph& graph, PassContext& context);
void check_tensor_sizes(Graph& graph, PassContext& context);

}  // namespace passes

struct Pass {
  const char* name;
  void (*run)(Graph&, PassContext&);
  bool typed;             // every value must have a type afterwards; clean_up runs then
  bool nested;            // also run on every subgraph
  bool optional = false;  // only makes code better; --plain leaves it out
};
std::span<const Pass> pipeline();

// Runs one pass, and clean_up after it.
void run_pass(Graph& graph, const Pass& pass, PassContext& context);

// Runs the whole pipeline, stopping after a pass that reported errors.
void run_pipeline(Graph& graph, PassContext& context);

}  // namespace onnxc
