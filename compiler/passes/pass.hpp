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

// A pass that also calls itself for bodies.
void infer_shapes(Graph& graph, PassContext& context);

}  // namespace passes

struct Pass {
  const char* name;
  void (*run)(Graph&, PassContext&);
  bool typed;           // every value must have a type afterwards; clean_up runs then
  bool nested;          // also run on every subgraph
  bool checks = false;  // also runs after errors, to find more of them
};
std::span<const Pass> pipeline();

// Runs one pass, and clean_up after it.
void run_pass(Graph& graph, const Pass& pass, PassContext& context);

// Runs the passes that look for errors, on what could be read of a model.
void run_checks(Graph& graph, PassContext& context);

// Runs the whole pipeline; after errors only the passes that look for more of them.
void run_pipeline(Graph& graph, PassContext& context);

}  // namespace onnxc
