#include "compiler/ir/graph.hpp"

#include <fmt/format.h>

namespace onnxc {

const Attribute* Node::find(const std::string& key) const {
  const auto it = attributes.find(key);
  return it == attributes.end() ? nullptr : &it->second;
}

Value* Graph::add_value(std::string value_name, Type type) {
  values.push_back(std::make_unique<Value>());
  values.back()->name = std::move(value_name);
  values.back()->type = std::move(type);
  return values.back().get();
}

Value* Graph::add_constant(std::string value_name, Tensor tensor) {
  Value* v = add_value(std::move(value_name), Type::tensor(tensor.elem(), to_shape(tensor.dims())));
  v->constant = std::move(tensor);
  return v;
}

Node* Graph::add_node(const ops::Op* op, std::vector<Value*> ins, std::vector<Value*> outs) {
  nodes.push_back(std::make_unique<Node>());
  Node* n = nodes.back().get();
  n->op = op;
  n->inputs = std::move(ins);
  n->outputs = std::move(outs);
  for (Value* v : n->outputs)
    if (v) v->producer = n;
  return n;
}

std::string Graph::fresh_name(const std::string& stem) const {
  // '#' cannot collide with the suffix of another stem, and names from models that hold one are
  // told apart by the identifiers the emitter makes, which are de-duplicated again.
  const int n = ++next_suffix_[stem];
  return fmt::format("{}#{}", stem, n);
}

namespace {

void count_into(const Graph& graph, std::map<const Value*, int>& uses) {
  for (const auto& node : graph.nodes) {
    for (const Value* v : node->inputs)
      if (v) ++uses[v];
    each_subgraph(*node, [&](const Graph& g) { count_into(g, uses); });
  }
  for (const Value* v : graph.outputs) ++uses[v];
}

}  // namespace

std::map<const Value*, int> count_uses(const Graph& graph) {
  std::map<const Value*, int> uses;
  count_into(graph, uses);
  return uses;
}

void replace_uses(Graph& graph, const Value* from, Value* to) {
  for (auto& node : graph.nodes) {
    for (Value*& v : node->inputs)
      if (v == from) v = to;
    each_subgraph(*node, [&](Graph& g) { replace_uses(g, from, to); });
  }
  for (Value*& v : graph.outputs)
    if (v == from) v = to;
}

std::string quoted(const std::string& text) {
  std::string s = "\"";
  for (std::size_t i = 0; i < text.size() && i < 80; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') s += '\\';
    if (c < 0x20 || c >= 0x7f) s += fmt::format("\\x{:02x}", c);
    else s += text[i];
  }
  return s + (text.size() > 80 ? "...\"" : "\"");
}

std::string describe(const Node& node) {
  std::string s = fmt::format("node {}", node.index);
  if (!node.name.empty()) {
    s += " " + quoted(node.name);
  } else if (!node.outputs.empty() && node.outputs[0]) {
    s += " making " + quoted(node.outputs[0]->name);
  }
  std::string type = node.op_type;
  if (!node.domain.empty() && node.domain != "ai.onnx") type = node.domain + ":" + type;
  for (char& c : type)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  if (type.size() > 80) type = type.substr(0, 80) + "...";
  return s + (node.version > 0 ? fmt::format(" ({}-{})", type, node.version)
                               : fmt::format(" ({})", type));
}

}  // namespace onnxc
