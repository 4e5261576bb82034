// The `python` command: a model as a package of Python.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/cli/budget.hpp"
#include "compiler/cli/commands.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/products/python/names.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {
namespace {

struct RefusedOption {
  const char* name;
  bool (*given)(const CompileOptions&);
};

// What a package has no use for, or would have to be in its interface.
constexpr RefusedOption kRefused[] = {
    {"--train", [](const CompileOptions& o) { return o.train; }},
    {"--recompute", [](const CompileOptions& o) { return o.recompute; }},
    {"--hook", [](const CompileOptions& o) { return o.hook; }},
    {"--input-rows", [](const CompileOptions& o) { return !o.input_rows.empty(); }},
    {"--devices", [](const CompileOptions& o) { return !o.devices.empty(); }},
    {"--device", [](const CompileOptions& o) { return o.device >= 0; }},
    {"--memory", [](const CompileOptions& o) { return !o.memory.empty(); }},
    {"--bundle", [](const CompileOptions& o) { return !o.bundle.empty(); }},
};

// The package's folder, by default named like the model.
std::string folder_of(const CompileOptions& o) {
  const std::string base =
      o.output_base.empty() ? identifier_from(std::filesystem::path(o.model).stem().string()).text()
                            : o.output_base;
  return base.ends_with("/") ? base.substr(0, base.size() - 1) : base;
}

void check_package(const CompileOptions& o, const std::string& name) {
  const char* const another = "choose another folder with -o";
  if (!is_python_identifier(name))
    throw FatalError(exit_code::usage, fmt::format("Python cannot import '{}': {}", name, another));
  if (is_python_module(name))
    throw FatalError(
        exit_code::usage,
        fmt::format("'{}' would hide Python's module of that name: {}", name, another));
  for (const char* board : {"cortex-", "rv32", "wasm"})
    if (o.target.starts_with(board))
      throw FatalError(exit_code::usage,
                       fmt::format("--target {}: no Python runs there; a package is compiled for "
                                   "native, generic, x86-64-v3, ...",
                                   o.target));
  for (const RefusedOption& option : kRefused)
    if (option.given(o))
      throw FatalError(exit_code::usage, fmt::format("a Python package has no {}", option.name));
}

}  // namespace

std::vector<std::string> options_refused_by_python() {
  std::vector<std::string> names;
  for (const RefusedOption& option : kRefused) names.emplace_back(option.name);
  return names;
}

int run_python(const CompileOptions& options) {
  CompileOptions o = options;
  o.python = folder_of(options);
  const std::string name = std::filesystem::path(o.python).filename().string();
  check_package(options, name);
  o.output_base = o.python + "/src/" + name;
  Diagnostics diagnostics;
  CompileResult r;
  const int code = compile_within_limits(o, r, diagnostics);
  diagnostics.print(o.model, stderr);
  if (code != exit_code::ok) return code;
  write_files(r.files);
  if (!o.quiet)
    terminal::print(stderr, "{} -> {}: {} files | import {}; pip wheel {}\n",
                    std::filesystem::path(o.model).filename().string(), o.python, r.files.size(),
                    name, o.python);
  if (!o.quiet && options.target == "native")
    terminal::print(
        stderr,
        "{}: note[target]: for machines like this one ({}); --target generic is slower, "
        "and runs on others\n",
        o.model, make_target("native").name);
  return exit_code::ok;
}

}  // namespace onnxc
