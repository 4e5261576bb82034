// What `inspect` knows of a model, for its forms of output.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/cli/layers.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/model_stats.hpp"
#include "compiler/run/open_sizes.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {

// Multiply-accumulates of a graph.
struct MacCount {
  Dim macs = 0;
  bool complete = true;  // false: a rank or the number of iterations of a body is unknown
};

// What a run takes: of the compiled model, or, of one that is refused, what its nodes say.
struct Demand {
  std::optional<CompileResult> compiled;
  MacCount work;
  std::optional<std::int64_t> max_macs;
  std::vector<OpenSize> open;
  SizeValues examples;                     // for them
  std::optional<std::int64_t> fixed_code;  // bytes of code with these
};

struct Inspection {
  const Model& model;
  std::unique_ptr<Model> training;  // the model as it would be trained; null: it cannot be
  ModelStats stats;
  Demand demand;
  Diagnostics diagnostics;
  std::vector<Layer> layers;
};

// `model` was loaded from the file with these options.
Inspection inspect(const ModelFile& file, const Model& model, ModelStats stats,
                   Diagnostics diagnostics, const CompileOptions& options);

std::string type_text(const Tensor& t);
const char* binding_name(const TrainingEntry& entry);
// The float initialisers of the inference graph that training leaves as they are.
std::vector<const Value*> frozen_weights(const Model& model);
// What could be done about the model: "batch is open: --dim batch=1 gives it a fixed size".
std::vector<std::string> hints(const Inspection& i);
// How the model quantises an input or output; null where it does not.
const Port::Scale* scale_of(const Inspection& i, const Value& port);

// Calls f(variable, value) for every binding of an entry.
template <class F>
void each_binding(const Model& model, const TrainingEntry& entry, F f) {
  for (std::size_t i = 0; i < entry.updates.size(); ++i)
    f(model.state.variables[static_cast<std::size_t>(entry.updates[i])].name,
      entry.graph.outputs[entry.free_outputs() + i]->name);
}

// `with_layers`: the nodes, too.
std::string inspection_as_json(const Inspection& i, bool with_layers);

}  // namespace onnxc
