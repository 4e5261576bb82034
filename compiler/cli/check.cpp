// Compiles a model without writing anything, and prints its problems.
#include "compiler/cli/commands.hpp"

#include <optional>

#include <fmt/format.h>

#include "compiler/cli/budget.hpp"
#include "compiler/cli/diagnostics_json.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {

namespace {

int check_models(std::vector<std::unique_ptr<Model>> models, const CompileOptions& options,
                 Diagnostics& found) {
  if (found.has_errors()) return exit_code::bad_model;
  for (auto& model : models) {
    CompileResult r;
    const int code = compile_within_limits(std::move(model), options, r, found);
    if (code != exit_code::ok) return code;
  }
  return exit_code::ok;
}

// What --devices would refuse, of every configuration and device.
int check_configurations(const ModelFile& file, CompileOptions options,
                         const std::vector<DeviceConfiguration>& configurations,
                         Diagnostics& found) {
  options.train = false;
  for (const DeviceConfiguration& c : configurations) {
    options.devices = c.name;
    std::optional<ProcessLimits> limits(options.limits);
    auto parts = models_to_lower(load(file, options, found), options, found);
    limits.reset();
    const int code = check_models(std::move(parts), options, found);
    if (code != exit_code::ok) return code;
  }
  return exit_code::ok;
}

// Sets `code` to what `compile` would end with.
Diagnostics problems_of(CompileOptions options, int& code) {
  options.lint = true;
  Diagnostics found;
  std::optional<ProcessLimits> limits(options.limits);
  const ModelFile file = open_model(options, found);
  std::unique_ptr<Model> model = load(file, options, found);
  const auto configurations = model->configurations;
  auto models = models_to_lower(std::move(model), options, found);
  limits.reset();
  code = check_models(std::move(models), options, found);
  if (code == exit_code::ok && options.devices.empty())
    code = check_configurations(file, options, configurations, found);
  return found;
}

void print_text(const Diagnostics& diagnostics, const std::string& model) {
  diagnostics.print(model, stderr, Diagnostics::kAll);
  const std::size_t errors = diagnostics.error_count();
  if (errors == 0)
    terminal::print(stderr, "{}: ok\n", model);
  else
    terminal::print(stderr, "{}: {}\n", model, terminal::counted(errors, "error"));
}

}  // namespace

int run_check(const CheckOptions& options) {
  const std::string& model = options.compile.model;
  int code = exit_code::ok;
  const Diagnostics diagnostics = problems_of(options.compile, code);
  if (options.format == CheckFormat::text) print_text(diagnostics, model);
  if (options.format == CheckFormat::json)
    terminal::print_document(stdout, diagnostics_as_json(diagnostics, model));
  if (options.format == CheckFormat::sarif)
    terminal::print_document(stdout, diagnostics_as_sarif(diagnostics, model));
  return code;
}

int print_rules() {
  terminal::print_document(stdout, rules_as_markdown());
  return exit_code::ok;
}

}  // namespace onnxc
