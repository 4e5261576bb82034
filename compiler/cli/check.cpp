// Compiles a model without writing anything, and prints its problems.
#include "compiler/cli/commands.hpp"

#include <fmt/format.h>

#include "compiler/cli/diagnostics_json.hpp"
#include "compiler/compile.hpp"
#include "compiler/import/import.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {

Model load_checked(const CompileOptions& options, Diagnostics& diagnostics) {
  Model model = import_model(options.model, diagnostics, {.limits = options.limits});
  const Target target;
  PassContext context{options, target, diagnostics};
  run_checks(model.graph, context);
  return model;
}

namespace {

Diagnostics problems_of(CompileOptions options) {
  options.lint = true;
  Diagnostics found;
  compile(options, found);
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
  const ProcessLimits limits(options.compile.limits);
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
