// The pipeline: model file in, generated files out.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/emit/identifier.hpp"
#include "compiler/ir/type.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"

namespace onnxc {

// One input or output of the generated function.
struct Port {
  std::string name;       // ONNX's
  Identifier identifier;  // member of <name>_inputs / <name>_outputs
  Type type;
  ElemType elem = ElemType::undefined;  // of a tensor, as are the following
  Shape shape;
  std::vector<std::int64_t> dims;  // -1 for an extent that only the run tells
  std::int64_t elements = 0;       // -1 when the run tells

  // A sequence, optional or map, or a tensor of unknown rank.
  bool is_object() const { return !type.is_tensor() || !type.has_rank(); }
  // Whether the caller gives or gets the extents.
  bool is_dynamic() const { return std::find(dims.begin(), dims.end(), -1) != dims.end(); }
};

struct GeneratedFile {
  std::string path;
  std::string content;
};

// One kernel call, for tables.
struct StepInfo {
  std::string name, work, shapes;  // "conv1", "Conv + Relu", "[1,3,8,8] -> [1,4,8,8]"
  std::int64_t macs = 0;
  std::int64_t bytes = 0;  // of all that it reads and writes, once; 0 when only the run tells
};

// What a compilation produced. The generated function is
//   <name>_status <name>_run(const <name>_inputs*, const <name>_outputs*, void* arena)
// declared in <base>.h for C and C++.
struct CompileResult {
  Identifier name;                   // C identifier prefix
  std::string base;                  // as in CompileOptions::output_base, resolved
  std::vector<GeneratedFile> files;  // not yet written
  std::vector<Port> inputs, outputs;
  std::int64_t arena_bytes = 0, arena_lower_bound = 0, weight_bytes = 0, macs = 0;
  std::vector<StepInfo> steps;  // blocks and steps that keep account of sizes have no name
  bool uses_heap = false;
  bool has_pool = false;                 // in->pool_ may hold threads
  std::vector<std::string> model_files;  // read: the model and its external data
};

// Compiles in memory. On errors they are in `diagnostics` and the result holds no files.
CompileResult compile(const CompileOptions& options, Diagnostics& diagnostics);

// Writes the files atomically: all of them or, on an error, none; files whose content is already
// right keep their time stamp, except the .cpp, which build tools want touched.
// Throws FatalError(io).
void write_files(const std::vector<GeneratedFile>& files);

// The `compile` command: compile, check budgets, write, print diagnostics and the summary line.
// Returns the exit code.
int run_compile(const CompileOptions& options);

}  // namespace onnxc
