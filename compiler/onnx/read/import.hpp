// Reading ONNX files: protobuf in, IR out. No other part of the compiler uses protobuf.
#pragma once

#include <map>
#include <set>
#include <string>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/model_file.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/options.hpp"

namespace onnxc {

struct ImportOptions {
  // An input with an initialiser is that constant, unless this holds its name or "*": then it is an
  // ordinary input.
  std::set<std::string> overridden_initializers = {};
  // Numbers, as text, that are constants in the place of inputs.
  std::map<std::string, std::string> fixed_inputs = {};
  // Initialisers that a binding of training_info names are state variables, and the model has the
  // graphs of training_info as entries. Without it training_info has no effect.
  bool training = false;
  std::string devices = {};  // the configuration that the caller compiles; "": none
  std::map<std::string, InputFormat> input_formats = {};  // by name
  std::set<std::string> user_operators = {};              // "DOMAIN::NAME": the user computes these
  std::vector<std::string> outputs = {};  // names of tensors in the place of the outputs
  std::vector<std::string> probes = {};   // names of inner tensors; "*": all
  bool lint = false;  // also warn of what the standard forbids and onnxc tolerates
  Limits limits = {};
};

// Reads a model with all files that it refers to. Functions are inlined, every node has the newest
// version of its operator, initialisers are constants.
//
// Problems are all reported to `diagnostics`; with errors among them the model is incomplete (nodes
// that could not be read are missing, and their outputs have no producer). Constants may refer to
// the file's contents, which they keep alive.
//
// Subgraphs point at their parent graphs: do not move the returned model.
Model import_model(const ModelFile& file, Diagnostics& diagnostics,
                   const ImportOptions& options = {});
// Reads the file, too. Throws FatalError(io) when that cannot be done.
Model import_model(const std::string& path, Diagnostics& diagnostics,
                   const ImportOptions& options = {});

}  // namespace onnxc
