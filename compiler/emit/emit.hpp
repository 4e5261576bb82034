// Program -> generated files.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/costs.hpp"
#include "compiler/emit/step_info.hpp"
#include "compiler/interface/interface.hpp"
#include "compiler/interface/sanitized_text.hpp"
#include "compiler/ir/program.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {

// Where the constants are stored, and how.
struct WeightPlan {
  WeightsMode mode = WeightsMode::inline_arrays;  // never automatic
  // Constants with the same content share an entry.
  struct Entry {
    Tensor constant;
    std::int64_t offset = 0;  // in the blob, aligned
    Identifier identifier;

    bool is_text() const { return constant.elem() == ElemType::string; }
  };
  std::vector<Entry> entries;
  // For each program, the entry of every buffer: -1 for none.
  std::map<const Program*, std::vector<int>> entry_of;
  std::int64_t alignment = 1;   // of each
  std::int64_t blob_bytes = 0;  // with alignment
  std::int64_t data_bytes = 0;  // without
  std::string header;           // at the start of the blob; "": none
  std::uint64_t layout = 0;     // in the header

  void add(Tensor constant, Identifier identifier);
  // Puts the header of runtime_min/weights.hpp at the start of the blob. `programs` are those that
  // read it, `sha256` is that of the model's file, in hexadecimal digits.
  void add_header(const std::vector<const Program*>& programs, const std::string& sha256);
  // Whether a source of its own defines them.
  bool has_source() const {
    return mode == WeightsMode::incbin || mode == WeightsMode::string_literals;
  }
};

struct TrainingContext;
struct SelfTest;

// The data that all emitters share for one function of a model, which is run() unless the model is
// compiled for training.
struct EmitContext {
  const Model& model;
  const Program& program;
  const Target& target;
  const CompileOptions& options;
  Identifier name = {};         // C prefix
  std::string name_space = {};  // C++ namespace
  FileStem stem;                // file name without folder and extension
  std::vector<Port> inputs = {}, outputs = {};
  WeightPlan weights = {};
  Dim macs = 0;
  std::set<std::string> reserved = {};  // names that kernels, the runtime and run() itself use
  enum class Kind : std::uint8_t { run, reset, init, train };
  Kind kind = Kind::run;
  Identifier function = {};  // what follows the prefix in the function's name: run, train_1
  const TrainingContext* training = nullptr;
  const SelfTest* self_test = nullptr;
  const Costs* costs = nullptr;
  const Profile* profile = nullptr;  // for reports

  Identifier function_name() const { return name.with(function); }
};

// What a model that is compiled for training has besides run().
struct TrainingContext {
  const State& state;
  std::vector<Identifier> variables;   // of the state, as parts of macros
  std::vector<Port> inputs, outputs;   // of all algorithms, members of <name>_train_inputs, ...
  std::vector<EmitContext> functions;  // reset, the initializations, the algorithms
  std::int64_t arena_bytes = 0;        // enough for each of the functions
  std::int64_t lower_bound = 0;        // of the function that needs most

  std::size_t count(EmitContext::Kind kind) const;
};

// The constants that the steps of these programs read, deduplicated by content.
// Identifiers avoid those in `reserved`.
WeightPlan plan_weights(const std::vector<const Program*>& programs, WeightsMode wanted,
                        const std::set<std::string>& reserved);

// What of the function shows in the interface.
InterfaceFacts facts_of(const EmitContext& context);
// The macros that describe the model.
std::vector<Constant> constants_of(const EmitContext& context);

std::string emit_header(const EmitContext& context);
std::string emit_source(const EmitContext& context);

// Constants as text or as bytes: in the source, in a source of their own, in a binary file.
std::string emit_text_constant(const Tensor& tensor, const std::string& identifier);
std::string emit_inline_weight(const Tensor& tensor, const std::string& identifier);
std::string weights_blob(const WeightPlan& weights);
// The declaration of what the .incbin or literal .cpp defines, and that source.
std::string weights_declaration(const Identifier& name, WeightsMode mode);
std::string emit_weights_source(const WeightPlan& weights, const Identifier& name,
                                const FileStem& stem);

// Names that the interface of training adds to interface_names().
std::set<std::string> training_names(const Identifier& prefix, const TrainingContext& training);
// Those names, and the ones that the headers of the source, the runtime and run() itself use.
std::set<std::string> source_names(const EmitContext& context);

// The headers that the source needs: kernels, and the division of work among threads.
std::set<std::string> source_headers(const EmitContext& context);

// Whether the model's interface has a pool of threads.
inline bool uses_pool(const EmitContext& c) { return c.options.threads > 1 && !c.options.openmp; }

// Whether inputs of the function come with their sizes.
inline bool has_open_sizes(const EmitContext& c) {
  return std::any_of(c.inputs.begin(), c.inputs.end(),
                     [](const Port& p) { return p.is_dynamic(); });
}

// The headers of --operator that the source includes: path as given, and its name.
std::map<std::string, std::string> user_headers(const EmitContext& context);

// The multiply-accumulates of a run: exact where sizes are fixed.
CommentText work_comment(const EmitContext& c);

// Whether an input is read row by row from a user callback.
inline bool has_row_input(const EmitContext& c) {
  return std::any_of(c.inputs.begin(), c.inputs.end(), [](const Port& p) { return p.rows; });
}

// Whether the interface has strings, alone or in sequences and maps.
bool has_text_ports(const EmitContext& context);

// A function `next_image_rows` that copies the rows of this image from a whole image.
std::string emit_whole_image_rows(const Port& port);

// Calls f(EmitContext) for every function of the source, run() first.
template <class F>
void each_function(const EmitContext& run, F f) {
  f(run);
  if (run.training)
    for (const EmitContext& c : run.training->functions) f(c);
}

inline bool any_open_sizes(const EmitContext& run) {
  bool any = false;
  each_function(run, [&](const EmitContext& c) { any = any || has_open_sizes(c); });
  return any;
}

// All files of the model: base.h, base.cpp, base_weights.*.
std::vector<GeneratedFile> emit_files(EmitContext& context, const std::string& base);

}  // namespace onnxc
