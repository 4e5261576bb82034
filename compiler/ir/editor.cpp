// Use-lists, insertion and removal for GraphEditor.
#include "compiler/ir/editor.hpp"

#include <algorithm>
#include <exception>

#include "compiler/ir/op.hpp"

namespace onnxc {

std::unique_ptr<Node> node_like(const Node& like, const ops::Op& op,
                                const std::vector<Value*>& inputs, std::vector<Value*> outputs,
                                Attributes attributes) {
  auto node = std::make_unique<Node>();
  node->op = &op;
  node->name = like.name;
  node->op_type = like.op_type;
  node->domain = like.domain;
  node->index = like.index;
  node->version = like.version;
  node->sources = like.sources;
  node->inputs = inputs;
  node->outputs = std::move(outputs);
  node->attributes = std::move(attributes);
  for (Value* v : node->outputs)
    if (v) v->producer = node.get();
  return node;
}

Node* only_user(const Value& v) { return v.users().size() == 1 ? v.users()[0].node : nullptr; }

Node* only_reader(const Value* v) {
  Node* const reader = only_user(*v);
  return reader && v->producer && reader->graph == v->producer->graph ? reader : nullptr;
}

Node* only_reader(const Value* v, const char* op) {
  Node* const reader = only_reader(v);
  return ops::is_a(reader, op) ? reader : nullptr;
}

Node* producer_for_one(const Value& v) {
  return v.users().size() == 1 && !v.constant ? v.producer : nullptr;
}

void GraphEditor::before(Node& node) {
  anchor_ = like_ = &node;
  insert_after_ = false;
}

void GraphEditor::after(Node& node) {
  anchor_ = like_ = &node;
  insert_after_ = true;
}

Value* GraphEditor::emit(const char* op, const std::vector<Value*>& inputs, Type type,
                         Attributes attributes) {
  return emit(ops::get(op), inputs, std::move(type), std::move(attributes));
}

Value* GraphEditor::emit(const ops::Op& op, const std::vector<Value*>& inputs, Type type,
                         Attributes attributes) {
  Value* result = value(std::move(type));
  emit_as(result, op, inputs, std::move(attributes));
  return result;
}

Value* GraphEditor::emit(const char* op, const std::vector<Value*>& inputs, ElemType elem,
                         const std::string& stem, Attributes attributes) {
  Value* result = value(Type::tensor(elem), stem);
  Node& node = emit_as(result, op, inputs, std::move(attributes));
  if (!like_) node.sources = {stem};
  return result;
}

std::vector<Value*> GraphEditor::emit_all(const ops::Op& op, const std::vector<Value*>& inputs,
                                          std::size_t results, Attributes attributes,
                                          const std::string& stem) {
  std::vector<Value*> values;
  for (std::size_t i = 0; i < results; ++i) values.push_back(value({}, stem));
  emit_as(values, op, inputs, std::move(attributes));
  return values;
}

Node& GraphEditor::emit_as(Value* result, const char* op, const std::vector<Value*>& inputs,
                           Attributes attributes) {
  return emit_as(result, ops::get(op), inputs, std::move(attributes));
}

Node& GraphEditor::emit_as(Value* result, const ops::Op& op, const std::vector<Value*>& inputs,
                           Attributes attributes) {
  return emit_as(std::vector<Value*>{result}, op, inputs, std::move(attributes));
}

Node& GraphEditor::emit_as(std::vector<Value*> results, const ops::Op& op,
                           const std::vector<Value*>& inputs, Attributes attributes) {
  Node own;
  own.op_type = op.name;
  own.domain = op.domain;
  return insert(
      node_like(like_ ? *like_ : own, op, inputs, std::move(results), std::move(attributes)));
}

GraphEditor::Nodes& GraphEditor::siblings() {
  if (list_) return *list_;
  return anchor_ ? (insert_after_ ? after_ : before_)[anchor_] : graph_.nodes;
}

Node& GraphEditor::insert(std::unique_ptr<Node> node) {
  if (!anchor_ && !list_) return *graph_.append(std::move(node));
  node->graph = &graph_;
  siblings().push_back(std::move(node));
  return *siblings().back();
}

void GraphEditor::adopt(std::unique_ptr<Node> node) {
  each_subgraph(*node, [this](Graph& body) { body.parent = &graph_; });
  insert(std::move(node));
}

std::string GraphEditor::name_for(const std::string& stem) const {
  if (!stem.empty()) return graph_.fresh_name(stem);
  const bool named = like_ && !like_->outputs.empty() && like_->outputs[0];
  return graph_.fresh_name(named ? like_->outputs[0]->name : "value");
}

Value* GraphEditor::value(Type type, const std::string& stem) {
  return graph_.add_value(name_for(stem), std::move(type));
}

Value* GraphEditor::constant(Tensor tensor, const std::string& stem) {
  return graph_.add_constant(name_for(stem), std::move(tensor));
}

void GraphEditor::set_output(Node& node, std::size_t i, Value* result) {
  Value* const old = node.outputs[i];
  if (old && old->producer == &node) old->producer = nullptr;
  node.outputs[i] = result;
  result->producer = &node;
}

bool GraphEditor::is_dead(const Node& node) const {
  return node.graph == &graph_ && !(node.op && node.op->effect) &&
         std::all_of(node.outputs.begin(), node.outputs.end(),
                     [](const Value* v) { return !v || v->users().empty(); });
}

void GraphEditor::fuse(const std::vector<const Node*>& nodes, Node& last, const ops::Op& op,
                       const std::vector<Value*>& inputs, Attributes attributes) {
  before(last);
  Node& node = emit_as(last.outputs[0], op, inputs, std::move(attributes));
  node.op_type = op.name;
  node.sources.clear();
  for (std::size_t i = nodes.size(); i-- > 0;) add_sources(node.sources, nodes[i]->sources);
  erase(last);
}

void GraphEditor::erase(Node& node) {
  std::vector<Node*> dead = {&node};
  while (!dead.empty()) {
    Node& n = *dead.back();
    dead.pop_back();
    if (!erased_.insert(&n).second) continue;
    for (Value* v : n.outputs)
      if (v && v->producer == &n) v->producer = nullptr;
    const std::vector<Value*> inputs = n.inputs;
    n.inputs.clear();
    n.attributes.clear();
    for (const Value* v : inputs)
      if (v && v->producer && is_dead(*v->producer)) dead.push_back(v->producer);
  }
}

// The node with the nodes that commit() puts before and after it.
void GraphEditor::place(std::unique_ptr<Node> node, Nodes& nodes) {
  const Node* const key = node.get();
  const auto put = [&](std::unordered_map<const Node*, Nodes>& waiting) {
    const auto found = waiting.find(key);
    if (found == waiting.end()) return;
    for (auto& n : found->second) place(std::move(n), nodes);
  };
  put(before_);
  nodes.push_back(std::move(node));
  put(after_);
}

GraphEditor::~GraphEditor() noexcept(false) {
  try {
    commit();
  } catch (...) {
    // Two exceptions at once would end the program. The first one has given up the graph.
    if (std::uncaught_exceptions() == 0) throw;
  }
}

void GraphEditor::commit() {
  if (!before_.empty() || !after_.empty()) {
    std::size_t size = graph_.nodes.size();
    for (const auto* waiting : {&before_, &after_})
      for (const auto& [anchor, list] : *waiting) size += list.size();
    Nodes nodes;
    nodes.reserve(size);
    for (auto& node : graph_.nodes) place(std::move(node), nodes);
    graph_.nodes = std::move(nodes);
  }
  if (!erased_.empty())
    std::erase_if(graph_.nodes, [&](const auto& node) { return erased_.count(node.get()) != 0; });
  before_.clear();
  after_.clear();
  erased_.clear();
  anchor_ = like_ = nullptr;
}

}  // namespace onnxc
