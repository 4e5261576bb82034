// Operands and their uses, values, nodes and graphs, and names of nodes in messages.
#include "compiler/ir/graph.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace onnxc {

void add_sources(std::vector<std::string>& into, const std::vector<std::string>& from) {
  for (const std::string& source : from)
    if (std::find(into.begin(), into.end(), source) == into.end()) into.push_back(source);
}

// Returns the place of the use. Memory is requested before anything changes: where there is none,
// no operand is left that its value does not know.
std::size_t Operands::link(std::size_t i, Value* v) {
  if (!v) return 0;
  v->users_.push_back({node_, graph_, i});
  return v->users_.size() - 1;
}

// The last use of the value takes the place of this one.
void Operands::unlink(std::size_t i) {
  if (!values_[i]) return;
  std::vector<Use>& users = values_[i]->users_;
  const Use last = users.back();
  users[places_[i]] = last;
  users.pop_back();
  (last.node ? last.node->inputs : last.graph->outputs).places_[last.index] = places_[i];
}

Operands& Operands::operator=(std::initializer_list<Value*> values) {
  return *this = std::vector<Value*>(values);
}

Operands& Operands::operator=(const std::vector<Value*>& values) {
  if (&values == &values_) return *this;
  resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) set(i, values[i]);
  return *this;
}

void Operands::set(std::size_t i, Value* value) {
  if (values_[i] == value) return;
  const std::size_t place = link(i, value);
  unlink(i);
  values_[i] = value;
  places_[i] = place;
}

void Operands::push_back(Value* value) {
  resize(size() + 1);
  set(size() - 1, value);
}

void Operands::resize(std::size_t count) {
  for (std::size_t i = count; i < values_.size(); ++i) unlink(i);
  places_.resize(count, 0);
  values_.resize(count, nullptr);
}

void Operands::insert(std::size_t i, Value* value) {
  push_back(nullptr);
  for (std::size_t k = size() - 1; k > i; --k) set(k, values_[k - 1]);
  set(i, value);
}

void Operands::erase(std::size_t i) {
  for (; i + 1 < values_.size(); ++i) set(i, values_[i + 1]);
  resize(i);
}

const Attribute* Node::find(const std::string& key) const {
  const auto it = attributes.find(key);
  return it == attributes.end() ? nullptr : &it->second;
}

Graph::Graph(Graph&& other)
    : name(std::move(other.name)),
      values(std::move(other.values)),
      inputs(std::move(other.inputs)),
      nodes(std::move(other.nodes)),
      parent(other.parent),
      relations(std::move(other.relations)),
      ranges(std::move(other.ranges)),
      definitions(std::move(other.definitions)),
      limits(std::move(other.limits)),
      stale_sizes(other.stale_sizes),
      replaced_batches(std::move(other.replaced_batches)),
      value_bounds(std::move(other.value_bounds)),
      foldable_bytes(other.foldable_bytes),
      next_suffix_(std::move(other.next_suffix_)) {
  outputs = other.outputs;
  other.outputs.clear();
  for (auto& node : nodes) {
    node->graph = this;
    each_subgraph(*node, [this](Graph& body) { body.parent = this; });
  }
}

bool Graph::is_decided_by_data(const Dim& d) const {
  std::vector<std::string> symbols;
  d.collect_symbols(symbols);
  return std::any_of(symbols.begin(), symbols.end(), [this](const std::string& symbol) {
    if (symbol[0] != kInnerSize) return false;
    for (const auto& [defined, definition] : definitions)
      if (defined == symbol) return is_decided_by_data(definition);
    return true;
  });
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

Node* Graph::add_node(const ops::Op* op, const std::vector<Value*>& ins, std::vector<Value*> outs) {
  auto node = std::make_unique<Node>();
  node->op = op;
  node->inputs = ins;
  node->outputs = std::move(outs);
  return append(std::move(node));
}

Node* Graph::append(std::unique_ptr<Node> node) {
  node->graph = this;
  for (Value* v : node->outputs)
    if (v) v->producer = node.get();
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

std::string Graph::fresh_name(const std::string& stem) const {
  // '#' cannot collide with the suffix of another stem. Names from models that contain one differ
  // in the identifiers that the emitter makes, which are de-duplicated too.
  const std::int64_t n = ++next_suffix_[stem];
  return fmt::format("{}#{}", stem, n);
}

void Graph::reserve_names(const std::string& stem, std::int64_t last) {
  std::int64_t& suffix = next_suffix_[stem];
  suffix = std::max(suffix, last);
}

void replace_uses(Value* from, Value* to) {
  const std::vector<Use> uses = from->users();
  for (const Use& use : uses) (use.node ? use.node->inputs : use.graph->outputs).set(use.index, to);
}

std::string quoted(const std::string& text) {
  std::string s = "\"";
  for (std::size_t i = 0; i < text.size() && i < 80; ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') s += '\\';
    if (c < 0x20 || c >= 0x7f)
      s += fmt::format("\\x{:02x}", c);
    else
      s += text[i];
  }
  return s + (text.size() > 80 ? "...\"" : "\"");
}

std::vector<std::string> dynamic_dims(const Graph& graph) {
  std::vector<std::string> names;
  for (const Value* v : graph.inputs)
    if (v->type.shape)
      for (const Dim& d : *v->type.shape) d.collect_symbols(names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string output_types(const Node& node) {
  std::string text;
  for (const Value* v : node.outputs)
    if (v) text += (text.empty() ? "" : ", ") + v->type.to_string();
  return text;
}

Location describe(const Node& node) {
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
  s += node.version > 0 ? fmt::format(" ({}-{})", type, node.version) : fmt::format(" ({})", type);
  return {s, {node.index, node.name, node.domain, node.op_type, node.version}};
}

}  // namespace onnxc
