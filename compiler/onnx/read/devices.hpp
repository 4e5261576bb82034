// Annotations for several devices: the configurations of a model, and what its nodes say about
// them.
#pragma once

#include <memory>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/context.hpp"

namespace onnxc::pb {
class ModelProto;
class NodeProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

struct Scope;

using DeviceList = std::shared_ptr<const std::vector<NodeDevices>>;

void read_configurations(const pb::ModelProto& proto, Model& model, Context& context);

// What a node says; if it says nothing, what the call says that its function is inlined for. Null:
// nothing. The first inputs and the outputs of `node` are those of the message. Checks all that
// needs no shapes.
DeviceList read_node_devices(const pb::NodeProto& proto, const Node& node, const Scope& frame,
                             Context& context);

}  // namespace onnxc::reader
