// GraphCall of ONNX 1.7: a node in the algorithm of a training_info that runs the inference graph.
// Since ONNX 1.8 the inference graph is a part of every algorithm instead.
#pragma once

namespace onnxc::pb {
class GraphProto;
class NodeProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

bool is_graph_call(const pb::NodeProto& node);
// Whether the graph has such nodes, so that it is complete in itself.
bool has_graph_call(const pb::GraphProto& graph);

}  // namespace onnxc::reader
