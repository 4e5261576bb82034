// The `prepare` command: adds training_info and says what will be trained.
#include "compiler/cli/commands.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "compiler/ir/graph.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {

int run_prepare(PrepareOptions options) {
  std::optional<ProcessLimits> limits(std::in_place, Limits());
  options.moves = !in_same_folder(options.model, options.output);
  Diagnostics diagnostics;
  const Prepared prepared = prepare_training(options, diagnostics);
  diagnostics.print(options.model, stderr);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  limits.reset();  // what is written is written whole
  if (options.output == "-")
    terminal::print_document(stdout, prepared.bytes);
  else
    write_files({{options.output, prepared.bytes}});
  std::string names;
  for (const std::string& name : prepared.variables)
    names += (names.empty() ? "" : ", ") + quoted(name);
  terminal::print(stderr, "{} -> {} | trains {} ({} parameters) | {}, {}{}\n", options.model,
                  options.output, names, prepared.parameters, options.loss, options.optimizer,
                  options.rate_is_input ? std::string(" with a rate from the caller")
                                        : fmt::format(" with rate {}", prepared.rate));
  return exit_code::ok;
}

}  // namespace onnxc
