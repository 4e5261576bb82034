// Copies of nodes and graphs.
#include "compiler/ir/clone.hpp"

#include "compiler/ir/editor.hpp"

namespace onnxc {
namespace {

Value* copy_fresh(const Value& v, Graph& to, ValueMap& copies) {
  return copies[&v] = copy_value(v, to, to.fresh_name(v.name));
}

// The values of `from` are copied already.
void copy_parts(const Graph& from, Graph& to, ValueMap& copies) {
  to.name = from.name;
  for (const auto& node : from.nodes) copy_node(*node, to, copies);
  for (Value* v : from.inputs) to.inputs.push_back(mapped(copies, v));
  for (Value* v : from.outputs) to.outputs.push_back(mapped(copies, v));
}

}  // namespace

Value* copy_value(const Value& from, Graph& to, const std::string& name) {
  Value* copy = to.add_value(name, from.type);
  copy->declared = from.declared;
  copy->constant = from.constant;
  copy->quantized = from.quantized;
  copy->state = from.state;
  return copy;
}

Value* mapped(const ValueMap& map, Value* v) {
  const auto it = map.find(v);
  return it == map.end() ? v : it->second;
}

void copy_node(const Node& from, Graph& to, ValueMap& copies) {
  std::vector<Value*> inputs;
  for (Value* v : from.inputs) inputs.push_back(mapped(copies, v));
  auto node = node_like(from, *from.op, inputs, {}, from.attributes);
  node->body = from.body;
  node->body_inputs = from.body_inputs;
  for (auto& [key, attribute] : node->attributes) {
    if (auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute))
      *body = copy_graph(**body, to, copies);
    if (auto* bodies = std::get_if<std::vector<std::shared_ptr<Graph>>>(&attribute))
      for (auto& body : *bodies) body = copy_graph(*body, to, copies);
  }
  for (Value* v : from.outputs) {
    const auto copy = copies.find(v);
    node->outputs.push_back(!v                     ? nullptr
                            : copy != copies.end() ? copy->second
                                                   : copy_fresh(*v, to, copies));
  }
  to.append(std::move(node));
}

void copy_into(const Graph& from, Graph& to, ValueMap& copies) {
  to.continue_names_of(from);
  for (const auto& v : from.values) copies[v.get()] = copy_value(*v, to, v->name);
  copy_parts(from, to, copies);
}

std::shared_ptr<Graph> copy_graph(const Graph& from, Graph& parent, ValueMap copies) {
  auto graph = std::make_shared<Graph>();
  graph->parent = &parent;
  for (const auto& v : from.values) copy_fresh(*v, *graph, copies);
  copy_parts(from, *graph, copies);
  return graph;
}

void copy_contents(const Graph& from, Graph& to, ValueMap& copies) {
  for (const auto& v : from.values)
    if (!v->producer && copies.count(v.get()) == 0) copy_fresh(*v, to, copies);
  for (const auto& node : from.nodes) copy_node(*node, to, copies);
}

}  // namespace onnxc
