// The devices' parts of a model.
#pragma once

#include <memory>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc::devices {

// The configuration of this name; reports an error and returns null if there is none.
const DeviceConfiguration* find_configuration(const Model& model, const std::string& name,
                                              Diagnostics& diagnostics);

// What every device of the configuration computes; with device >= 0 that one alone. The model has
// types and shapes. Empty after errors.
std::vector<std::unique_ptr<Model>> make_parts(const Model& model,
                                               const DeviceConfiguration& configuration, int device,
                                               Diagnostics& diagnostics);

}  // namespace onnxc::devices
