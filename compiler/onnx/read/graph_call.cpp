// Reads GraphCall nodes: the nodes of the inference graph take their place.

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/editor.hpp"
#include "compiler/onnx/read/devices.hpp"
#include "compiler/onnx/read/fields.hpp"
#include "compiler/onnx/read/graph_reader.hpp"
#include "compiler/onnx/read/order.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

std::string called_name(const pb::NodeProto& proto) {
  for (const auto& attribute : proto.attribute())
    if (attribute.name() == "graph_name") return attribute.s();
  return "";
}

}  // namespace

bool is_graph_call(const pb::NodeProto& node) {
  return node.op_type() == "GraphCall" &&
         (node.domain() == "ai.onnx.preview.training" || node.domain() == "ai.onnx.training");
}

bool has_graph_call(const pb::GraphProto& graph) {
  return std::any_of(graph.node().begin(), graph.node().end(), is_graph_call);
}

// Inputs are bound by position. One with an initialiser may be left out: then it is the variable of
// that name, which all graphs share, or the initialiser's constant.
void GraphReader::bind_graph_inputs(const Node& node, const Scope& frame, Scope& body) {
  const pb::GraphProto& callee = *frame.callee;
  for (const auto& [name, binding] : frame.parent->names)
    if (binding.value->state >= 0) body.names.emplace(name, binding);
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i])
      body.names.insert_or_assign(callee.input(static_cast<int>(i)).name(),
                                  Binding{node.inputs[i], Binding::kInput});
  for (int i = 0; i < callee.initializer_size(); ++i)
    if (!body.names.count(callee.initializer(i).name()))
      add_initializer(callee.initializer(i).name(), i, "initializer", body,
                      [&] { return import_tensor(callee.initializer(i), context_); });
  for (int i = 0; i < callee.sparse_initializer_size(); ++i)
    add_initializer(
        callee.sparse_initializer(i).values().name(), i, "sparse_initializer", body, [&] {
          return to_dense(import_sparse_tensor(callee.sparse_initializer(i), context_), context_);
        });
  for (const auto& input : callee.input())
    if (!body.names.count(input.name()))
      context_.error("bad-arity", body.place + "input " + quoted(input.name()),
                     "is left out and has no initializer");
}

// An output that no node makes under its own name is a copy of another value.
void GraphReader::connect_graph_outputs(const Node& node, const Scope& frame, const Scope& body) {
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const Binding* made = body.find(frame.callee->output(static_cast<int>(i)).name());
    if (node.outputs[i] && made && made->value && made->value != node.outputs[i])
      GraphEditor(*frame.graph).emit_as(node.outputs[i], "Identity", {made->value});
  }
}

void GraphReader::call_graph(const pb::NodeProto& proto, std::int64_t index, Scope& frame) {
  Node node;
  node.name = proto.name();
  node.op_type = proto.op_type();
  node.domain = proto.domain();
  node.index = static_cast<std::size_t>(index);
  for (int i = 0; i < proto.input_size(); ++i)
    node.inputs.push_back(resolve(proto.input(i), index, static_cast<std::size_t>(i), frame));
  for (const std::string& name : proto.output()) node.outputs.push_back(define(name, index, frame));
  read_node_devices(proto, node, frame, context_);
  const Location where = frame.place + describe(node);
  if (!frame.callee)
    return context_.error("bad-graph-call", where,
                          "is allowed among the nodes of the algorithm of a training_info only");
  const pb::GraphProto& callee = *frame.callee;
  if (called_name(proto) != callee.name())
    return context_.error("bad-graph-call", where + ", attribute \"graph_name\"",
                          fmt::format("{} is not the inference graph, {}",
                                      quoted(called_name(proto)), quoted(callee.name())));
  if (proto.input_size() > callee.input_size() || proto.output_size() > callee.output_size())
    return context_.error("bad-arity", where,
                          fmt::format("{} inputs and {} outputs, the inference graph has {} and {}",
                                      proto.input_size(), proto.output_size(), callee.input_size(),
                                      callee.output_size()));
  Scope body;
  body.graph = frame.graph;
  body.nodes = &callee.node();
  body.opsets = frame.opsets;
  body.taken = frame.taken;
  body.place = where + ", graph " + quoted(callee.name()) + ", ";
  bind_graph_inputs(node, frame, body);
  for (const auto& info : callee.value_info()) read_declared(info, "value_info", body);
  for (const auto& info : callee.output()) read_declared(info, "output", body);
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i])
      body.presets.emplace(callee.output(static_cast<int>(i)).name(), node.outputs[i]);
  read_nodes(body);
  connect_graph_outputs(node, frame, body);
}

}  // namespace onnxc::reader
