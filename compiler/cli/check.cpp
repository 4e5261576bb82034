#include "compiler/cli/check.hpp"

#include <fmt/format.h>

#include "compiler/import/import.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc {

Model load_checked(const std::string& path, Diagnostics& diagnostics) {
  Model model = import_model(path, diagnostics);
  const CompileOptions options;
  const Target target;
  PassContext context{options, target, diagnostics};
  passes::bind_dims(model.graph, context);
  passes::infer_shapes(model.graph, context);
  passes::limit_sizes(model.graph, context);
  return model;
}

int run_check(const CheckOptions& options) {
  Diagnostics diagnostics;
  const Model model = load_checked(options.model, diagnostics);
  diagnostics.print(options.model, stderr);
  const std::size_t errors = diagnostics.error_count();
  if (errors == 0)
    fmt::print(stderr, "{}: ok, {} nodes\n", options.model, model.graph.nodes.size());
  else
    fmt::print(stderr, "{}: {} error{}\n", options.model, errors, errors == 1 ? "" : "s");
  return errors == 0 ? exit_code::ok : exit_code::bad_model;
}

}  // namespace onnxc
