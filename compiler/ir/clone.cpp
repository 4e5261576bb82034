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

namespace {

// What copy_value leaves out, as it depends on the graph around the value.
void copy_inferred(const Value& from, Value& to, const ValueMap& copies) {
  to.name = from.name;  // those of bodies were made again
  to.extent = from.extent;
  to.partial_extent = from.partial_extent;
  to.before_rounding = from.before_rounding;
  to.layout = from.layout;
  to.view_of = mapped(copies, from.view_of);
  to.channel_offset = from.channel_offset;
}

std::vector<std::shared_ptr<Graph>> bodies_of(const Node& node) {
  std::vector<std::shared_ptr<Graph>> list;
  for (const auto& [key, attribute] : node.attributes) {
    if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute)) list.push_back(*body);
    if (const auto* bodies = std::get_if<std::vector<std::shared_ptr<Graph>>>(&attribute))
      list.insert(list.end(), bodies->begin(), bodies->end());
  }
  return list;
}

// The annotations for several devices, which name values.
std::shared_ptr<const std::vector<NodeDevices>> copy_devices(const Node& from,
                                                             const ValueMap& copies) {
  if (!from.devices) return nullptr;
  auto list = std::make_shared<std::vector<NodeDevices>>(*from.devices);
  for (NodeDevices& annotation : *list)
    for (ShardingSpec& spec : annotation.specs)
      if (const auto copy = copies.find(spec.value); copy != copies.end())
        spec.value = copy->second;
  return list;
}

// `to` is a copy of `from`, whose values and nodes have the same order.
void copy_inferred(const Graph& from, Graph& to, ValueMap& copies) {
  for (std::size_t i = 0; i < from.values.size(); ++i)
    copies[from.values[i].get()] = to.values[i].get();
  for (std::size_t i = 0; i < from.values.size(); ++i)
    copy_inferred(*from.values[i], *to.values[i], copies);
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    to.nodes[i]->unchanged_inputs = from.nodes[i]->unchanged_inputs;
    to.nodes[i]->devices = copy_devices(*from.nodes[i], copies);
    const auto bodies = bodies_of(*from.nodes[i]), copied = bodies_of(*to.nodes[i]);
    for (std::size_t b = 0; b < bodies.size(); ++b) copy_inferred(*bodies[b], *copied[b], copies);
  }
  to.continue_names_of(from);
  to.relations = from.relations;
  to.ranges = from.ranges;
  to.definitions = from.definitions;
  to.limits = from.limits;
  to.stale_sizes = from.stale_sizes;
  to.replaced_batches = from.replaced_batches;
  to.value_bounds = from.value_bounds;
  to.foldable_bytes = from.foldable_bytes;
}

void copy_all(const Graph& from, Graph& to) {
  ValueMap copies;
  copy_into(from, to, copies);
  copy_inferred(from, to, copies);
}

}  // namespace

std::unique_ptr<Model> copy_model(const Model& from) {
  auto to = std::make_unique<Model>();
  static_cast<ModelHeader&>(*to) = from;
  to->device = from.device;
  to->calls = from.calls;
  to->state = from.state;
  copy_all(from.graph, to->graph);
  for (const auto& entry : from.entries) {
    auto copy = std::make_unique<TrainingEntry>();
    copy->kind = entry->kind;
    copy->info = entry->info;
    copy->updates = entry->updates;
    copy_all(entry->graph, copy->graph);
    to->entries.push_back(std::move(copy));
  }
  return to;
}

}  // namespace onnxc
