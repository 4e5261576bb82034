// The commands. Each returns an exit code of the command contract.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/write/prepare.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"

namespace onnxc {

// compile: a model file in, the generated files written. Checks the budgets and prints
// diagnostics and the summary line; throws FatalError(io) when a file cannot be written.
int run_compile(const CompileOptions& options);

// python: a package of Python around the generated code. Options as for compile; `output_base` is
// the package's folder.
int run_python(const CompileOptions& options);
std::vector<std::string> options_refused_by_python();

// check: every problem of a model.
enum class CheckFormat { text, json, sarif };

struct CheckOptions {
  CompileOptions compile;  // the model is checked for compilation with these
  CheckFormat format = CheckFormat::text;
};

// Prints the problems: text to stderr, JSON and SARIF to stdout. Returns exit_code::ok if
// `onnxc compile` would accept the model, else bad_model; a file that cannot be read throws
// FatalError(io).
int run_check(const CheckOptions& options);

// Prints docs/diagnostics.md to stdout.
int print_rules();

// inspect: the contents of a model.
enum class InspectForm { text, json, nodes, dot, svg };

struct InspectOptions {
  CompileOptions compile;  // work and memory are those of a compilation with these
  InspectForm form = InspectForm::text;
  bool layers = false;    // text, json: also every node
  bool tradeoff = false;  // text, json: the programs that the model can become, instead
};

// Prints to stdout. Returns exit_code::ok also for models with unsupported operators, which are
// listed; bad_model if the file is not an ONNX model.
int run_inspect(const InspectOptions& options);

// report diff: what differs between two versions of a model, compiled with the same options.
struct ReportDiffOptions {
  std::string before, after;
  bool json = false;
  CompileOptions compile;
};

// Prints to stdout; returns bad_model if one of them does not compile.
int run_report_diff(const ReportDiffOptions& options);

// prepare: writes a model that can be trained.
int run_prepare(PrepareOptions options);

// shard: writes a model that is annotated for several devices.
struct ShardOptions {
  std::string model, output;
  int devices = 0;
  std::optional<std::int64_t> memory;  // for weights, of each device
  std::string by = "tensors";          // or stages
};

int run_shard(const ShardOptions& options);

// tokenizer: tokenizer.json as C++.
struct TokenizerOptions {
  std::string file, output_base;
  std::string name;   // prefix of its functions; "": from the output
  std::string genai;  // genai_config.json, "" for none
  std::string model;  // the decoder's files; "": as genai_config.json says
  bool quiet = false;
};

// Returns bad_model for a tokenizer that is not supported.
int run_tokenizer(const TokenizerOptions& options);

// ops: the table of supported operators, from the registry; with a filter those with that text in
// their domain or name, whatever the case of letters.
enum class OpsFormat { text, json, markdown };

int run_ops(OpsFormat format, const std::string& filter);

// Returns the exit code of the command contract; never throws.
int run_command_line(int argc, char** argv);

}  // namespace onnxc
