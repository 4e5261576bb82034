// Cleaning up after a pass: nodes without effect and nodes without readers.
#pragma once

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// Readers of an Identity, of a Dropout in inference, or of a Cast to the type of its input read its
// input instead. Then nodes are removed whose results have no readers, or are constants. Bodies
// included. Needs types. Graph outputs keep their own values, and an Identity where one needs it.
void clean_up(Graph& graph);

}  // namespace onnxc::passes
