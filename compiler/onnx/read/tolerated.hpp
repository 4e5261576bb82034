// What the standard forbids and onnxc accepts all the same.
#pragma once

#include "compiler/support/diagnostics.hpp"

namespace onnxc {

namespace pb {
class ModelProto;
}

// Warns of every such place in a model, in its subgraphs too.
void report_tolerated(const pb::ModelProto& model, Diagnostics& diagnostics);

}  // namespace onnxc
