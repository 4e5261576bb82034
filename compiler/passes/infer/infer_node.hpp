// Inference of one node whose inputs have types.
#pragma once

#include "compiler/passes/pass.hpp"

namespace onnxc::passes {

// Checks the node against its signature, gives its results types, and evaluates it if its inputs
// are constants. Throws OpError for an invalid node.
void infer_node(Node& node, Graph& graph, PassContext& context);

}  // namespace onnxc::passes
