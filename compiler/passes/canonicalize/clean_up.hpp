// What every pass may leave behind for others to read past.
#pragma once

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

// Readers of an Identity, of a Dropout outside training, or of a Cast to the type that is there,
// read its input instead; then nodes go whose results nobody reads, or are constants by now. Bodies
// included. Needs types. Graph outputs keep their own values, and an Identity where one needs it.
void clean_up(Graph& graph);

}  // namespace onnxc::passes
