// The inner tensors that the user asks for with --probe.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/model_file.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

// Adds an onnxc::Probe right after the node that makes a tensor of this name; "*" stands for all
// that the model's nodes make, also in bodies. Names are those of the file. An unknown name is an
// error.
void add_probes(Graph& graph, const ModelFile& file, const std::vector<std::string>& names,
                Diagnostics& diagnostics);

// Removes the probes of values that are no tensors of numbers with a known rank, once types are
// inferred; one that the user named is an error.
void drop_unreadable_probes(Graph& graph, Diagnostics& diagnostics);

}  // namespace onnxc
