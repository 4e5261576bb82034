// Imports and infers a model, and prints its problems.
#include "compiler/cli/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/import/import.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

bool is_lost(const Value* v) {
  return v && !v->producer && !v->constant && v->type.kind == Type::Kind::unknown;
}

// Nodes after an unreadable one would only repeat its problem.
void remove_dependents_of_bad_nodes(Graph& graph) {
  std::erase_if(graph.nodes, [](const std::unique_ptr<Node>& node) {
    if (std::none_of(node->inputs.begin(), node->inputs.end(), is_lost)) return false;
    for (Value* v : node->outputs)
      if (v) v->producer = nullptr;
    return true;
  });
}

}  // namespace

Model load_checked(const std::string& path, Diagnostics& diagnostics) {
  Model model = import_model(path, diagnostics);
  if (diagnostics.has_errors()) remove_dependents_of_bad_nodes(model.graph);
  const CompileOptions options;
  const Target target;
  PassContext context{options, target, diagnostics};
  passes::bind_dims(model.graph, context);
  passes::infer_shapes(model.graph, context);
  passes::check_tensor_sizes(model.graph, context);
  return model;
}

int run_check(const CheckOptions& options) {
  Diagnostics diagnostics;
  const Model model = load_checked(options.model, diagnostics);
  diagnostics.print(options.model, stderr);
  const std::size_t errors = diagnostics.error_count();
  if (errors == 0)
    terminal::print(stderr, "{}: ok, {} nodes\n", options.model, model.graph.nodes.size());
  else
    terminal::print(stderr, "{}: {} error{}\n", options.model, errors, errors == 1 ? "" : "s");
  return errors == 0 ? exit_code::ok : exit_code::bad_model;
}

}  // namespace onnxc
