// The stages of a compilation, each a function from one value to the next:
//
//   file -> load -> Model -> partition -> Models of the devices
//                   Model -> lower -> Compilation -> emit -> CompileResult
//
// A command reads and infers a model once; what it needs twice it lowers or emits twice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/emit/training_context.hpp"
#include "compiler/ir/program.hpp"
#include "compiler/onnx/read/import.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/session/result.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"

namespace onnxc {

// What the options say about reading a model.
ImportOptions import_options(const CompileOptions& options);

// Maps and parses the file that the options name. Throws FatalError(io) when it cannot be read.
ModelFile open_model(const CompileOptions& options, Diagnostics& diagnostics);

// Imports a model and checks it: types, shapes and sizes are inferred, nothing is merged yet. With
// errors in `diagnostics` it holds what could be read.
std::unique_ptr<Model> load(const ModelFile& file, const CompileOptions& options,
                            Diagnostics& diagnostics);
std::unique_ptr<Model> load(const CompileOptions& options, Diagnostics& diagnostics);

// Replaces Gradient nodes by what they compute. A plan for several devices sees nodes and their
// operands, while a Gradient reads all nodes between its tensors.
void expand_gradients(Model& model, const CompileOptions& options, Diagnostics& diagnostics);

// What each device of the configuration options.devices computes; with options.device >= 0 of that
// one alone. All are planned at once; Gradient nodes are expanded. Empty after errors.
std::vector<std::unique_ptr<Model>> partition(Model& model, const CompileOptions& options,
                                              Diagnostics& diagnostics);
// What becomes a program each: the model itself, or its parts where options.devices asks for them.
// Empty after errors.
std::vector<std::unique_ptr<Model>> models_to_lower(std::unique_ptr<Model> model,
                                                    const CompileOptions& options,
                                                    Diagnostics& diagnostics);
// Output files and names of the program for one of several devices: of `kws` kws_0, kws_1, ...
CompileOptions options_of_device(const CompileOptions& options, int device);

// A model that became programs for a target.
struct Compilation {
  CompileOptions options;
  Target target;
  std::unique_ptr<Model> model;
  PortFacts ports = {};
  Program inference = {};
  std::vector<EntryProgram> training = {};  // reset, initializations, algorithms
};

// Passes, lowering and schedule. Null after errors.
std::unique_ptr<Compilation> lower(std::unique_ptr<Model> model, const CompileOptions& options,
                                   Diagnostics& diagnostics);

// Generates the files. `measured`: what to say about the code instead of an estimate. `profile`:
// what reports say about the steps of run(), or of training when the model is compiled for it.
CompileResult emit(const Compilation& compilation, Diagnostics& diagnostics,
                   const Costs* measured = nullptr, const Profile* profile = nullptr);

// All stages, for one program: with several devices that of options.device, or of the first. On
// errors the result holds no files.
CompileResult compile(const ModelFile& file, const CompileOptions& options,
                      Diagnostics& diagnostics);
CompileResult compile(const CompileOptions& options, Diagnostics& diagnostics);

}  // namespace onnxc
