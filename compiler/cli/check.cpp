// Compiles a model without writing anything, and prints its problems.
#include "compiler/cli/commands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/cli/diagnostics_json.hpp"
#include "compiler/compile.hpp"
#include "compiler/import/import.hpp"
#include "compiler/import/tolerated.hpp"
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

Model load_checked(const CompileOptions& options, Diagnostics& diagnostics) {
  Model model =
      import_model(options.model, diagnostics, options.overridden_initializers, options.train);
  if (diagnostics.has_errors()) remove_dependents_of_bad_nodes(model.graph);
  const Target target;
  PassContext context{options, target, diagnostics};
  passes::bind_dims(model.graph, context);
  passes::infer_shapes(model.graph, context);
  passes::check_tensor_sizes(model.graph, context);
  for (const auto& entry : model.entries) {
    if (diagnostics.has_errors()) remove_dependents_of_bad_nodes(entry->graph);
    passes::infer_shapes(entry->graph, context);
  }
  return model;
}

namespace {

// All problems. Those that keep a model from being read come with those of the part that was read.
Diagnostics problems_of(const CompileOptions& options) {
  Diagnostics found;
  compile(options, found);
  if (found.has_errors()) {
    Diagnostics read;
    load_checked(options, read);
    if (read.error_count() > found.error_count()) found = std::move(read);
  }
  report_tolerated(options.model, found);
  return found;
}

void print_text(const Diagnostics& diagnostics, const std::string& model) {
  diagnostics.print(model, stderr);
  const std::size_t errors = diagnostics.error_count();
  if (errors == 0)
    terminal::print(stderr, "{}: ok\n", model);
  else
    terminal::print(stderr, "{}: {} error{}\n", model, errors, errors == 1 ? "" : "s");
}

}  // namespace

int run_check(const CheckOptions& options) {
  const std::string& model = options.compile.model;
  const Diagnostics diagnostics = problems_of(options.compile);
  if (options.format == CheckFormat::text) print_text(diagnostics, model);
  if (options.format == CheckFormat::json)
    terminal::print_document(stdout, diagnostics_as_json(diagnostics, model));
  if (options.format == CheckFormat::sarif)
    terminal::print_document(stdout, diagnostics_as_sarif(diagnostics, model));
  return diagnostics.has_errors() ? exit_code::bad_model : exit_code::ok;
}

int print_rules() {
  terminal::print_document(stdout, rules_as_markdown());
  return exit_code::ok;
}

}  // namespace onnxc
