// One device's part of a model.
#pragma once

#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc::devices {

// The configuration of this name; reports an error and returns null if there is none.
const DeviceConfiguration* find_configuration(const Model& model, const std::string& name,
                                              Diagnostics& diagnostics);

// Makes `part`, an empty model, what a device of the configuration computes. The model has types
// and shapes. Subgraphs point at their parent graphs: do not move `part`.
void make_part(const Model& model, const DeviceConfiguration& configuration, int device,
               Model& part, Diagnostics& diagnostics);

}  // namespace onnxc::devices
