// Nodes of ai.onnx and constants at the end of a graph.
#include "compiler/ops/new_nodes.hpp"

#include "compiler/ir/op.hpp"

namespace onnxc::ops {

Value* add_node(Graph& graph, const char* op, const std::vector<Value*>& inputs, ElemType elem,
                const std::string& name, Attributes attributes) {
  Value* result = graph.add_value(graph.fresh_name(name), Type::tensor(elem));
  Node* node = graph.add_node(&get(op), inputs, {result});
  node->op_type = op;
  node->version = signature(*node->op).versions.back();
  node->sources = {name};
  node->attributes = std::move(attributes);
  return result;
}

Value* add_ints(Graph& graph, const std::vector<std::int64_t>& list, const std::string& name) {
  const std::vector<std::int64_t> dims = {static_cast<std::int64_t>(list.size())};
  return graph.add_constant(graph.fresh_name(name),
                            Tensor::of<std::int64_t>(ElemType::int64, dims, std::span(list)));
}

}  // namespace onnxc::ops
