// Program -> generated files.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/emit/port.hpp"
#include "compiler/emit/text_gates.hpp"
#include "compiler/ir/program.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {

// Where the constants are stored, and how.
struct WeightPlan {
  WeightsMode mode = WeightsMode::inline_arrays;  // never automatic
  // Constants with the same content share an entry; `entry[buffer]` is -1 for other buffers.
  struct Entry {
    BufferId buffer = -1;
    std::int64_t offset = 0;  // in the blob, aligned
    Identifier identifier;
  };
  std::vector<Entry> entries;
  std::vector<int> entry_of;
  std::int64_t blob_bytes = 0;  // with alignment
  std::int64_t data_bytes = 0;  // without
};

// The data that all emitters share for one model.
struct EmitContext {
  const Model& model;
  const Program& program;
  const Target& target;
  const CompileOptions& options;
  Identifier name;         // C prefix
  std::string name_space;  // C++ namespace
  FileStem stem;           // file name without folder and extension
  std::vector<Port> inputs, outputs;
  WeightPlan weights;
  Dim macs = 0;
  std::set<std::string> reserved;  // names that kernels, the runtime and run() itself use
};

// The constants that the steps read, deduplicated by content.
// Identifiers avoid those in `reserved`.
WeightPlan plan_weights(const Program& program, WeightsMode wanted,
                        const std::set<std::string>& reserved);

std::string emit_header(const EmitContext& context);
std::string emit_source(const EmitContext& context);

// Pieces of the source, in emit_weights.cpp.
std::string emit_text_constant(const Tensor& tensor, const std::string& identifier);
std::string emit_inline_weight(const Tensor& tensor, const std::string& identifier);
std::string emit_weights_source(const EmitContext& context);  // the .incbin or literal .cpp
std::string weights_blob(const EmitContext& context);

// `conv1_w`: pointer type and element names as C and C++ see them.
std::string c_type(ElemType elem, const Identifier& prefix);

// Ports with C identifiers made from the names of the model.
std::vector<Port> make_ports(const Program& program, const std::vector<BufferId>& buffers,
                             const std::vector<Value*>& values,
                             const std::set<std::string>& reserved);

// The prefix of the C interface, from a file name or an option: neither the prefix nor a name made
// with it, such as X_OK, is one that common headers define.
Identifier interface_prefix(std::string_view wanted);

// Names of the C interface of a model: macros, enumerators, types.
std::set<std::string> interface_names(const Identifier& prefix);
// Those names, and the ones that the headers of the source, the runtime and run() itself use.
std::set<std::string> source_names(const EmitContext& context);

// The headers that the source needs: kernels, and the division of work among threads.
std::set<std::string> source_headers(const EmitContext& context);

// Whether the model's interface has a pool of threads.
inline bool uses_pool(const EmitContext& c) { return c.options.threads > 1 && !c.options.openmp; }

// All files of the model: base.h, base.cpp, base_weights.*.
std::vector<GeneratedFile> emit_files(EmitContext& context, const std::string& base);

}  // namespace onnxc
