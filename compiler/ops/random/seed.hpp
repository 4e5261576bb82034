// Random streams of the operators that draw random numbers.
#pragma once

#include "compiler/ops/node_view.hpp"

namespace onnxc::ops {

// The stream of a node without a seed: a hash of the name of its first output, in 31 bits, which
// every Index holds; or the one that keep_stream has stored.
std::int64_t stream_of_name(const NodeView& n);
// Copies of the node, or of the nodes of the graph, will draw the same numbers.
void keep_stream(Node& node);
void keep_streams(Graph& graph);

}  // namespace onnxc::ops
