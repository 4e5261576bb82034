// The graph IR: values, nodes, graphs, and the model around them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/attribute.hpp"
#include "compiler/ir/tensor.hpp"
#include "compiler/ir/type.hpp"

namespace onnxc {

namespace ops {
struct Op;
}
struct Node;

// How a tensor's elements lie in memory. The type of a value always has ONNX's logical shape.
enum class Layout : std::uint8_t {
  plain,          // row-major in the logical order
  channels_last,  // logical [N, C, spatial...] stored as [N, spatial..., C]
};

struct Value {
  std::string name;  // ONNX's name, or derived from one; unique in its graph
  Type type;
  std::optional<Tensor> constant;          // the contents, when they are known
  std::optional<std::vector<Dim>> extent;  // symbolic contents of a small integer tensor
  // The same where only some of them are known. Empty otherwise.
  std::vector<std::optional<Dim>> partial_extent;
  // Symbolic contents of a small float tensor, before they are rounded to its type.
  std::optional<std::vector<Dim>> before_rounding;
  Layout layout = Layout::plain;
  // Some channels of a wider channels-last tensor, in whose memory they are, from this one on.
  Value* view_of = nullptr;
  std::int64_t channel_offset = 0;
  Node* producer = nullptr;  // null for graph inputs, initialisers and outer values
};

// One operation of a fused element-wise body. An operand >= 0 is an input of the node, a negative
// one is an earlier step: ~operand is its index. kAccumulator is what the node itself computed.
struct ScalarStep {
  static constexpr int kAccumulator = 1 << 30;
  const ops::Op* op = nullptr;
  Attributes attributes;
  std::vector<int> operands;
  ElemType elem = ElemType::undefined;  // of the result
};

struct Node {
  const ops::Op* op = nullptr;
  std::string name;             // ONNX's name, may be empty
  std::string op_type, domain;  // as the model wrote them
  std::size_t index = 0;        // position in the model's own list, for messages
  int version = 0;              // since_version the model meant, for messages
  std::vector<Value*> inputs;   // null: optional input left out
  std::vector<Value*> outputs;  // null: optional output left out
  Attributes attributes;
  std::vector<std::string> sources;  // the ONNX nodes this one stands for, for comments
  std::vector<ScalarStep> body;      // fused element-wise work, run on each result element
  std::size_t body_inputs = 0;       // how many of the last inputs are operands of the body only

  const Attribute* find(const std::string& key) const;
};

// What is known of an extent that only the run tells.
struct ExtentRange {
  std::int64_t low = 0;
  std::optional<std::int64_t> high;  // as the user promised with --dim
  std::optional<Dim> at_most;  // by the operator's meaning: NonZero finds at most all elements
};

// Two extents that the run has to find equal, or, to broadcast, one of them 1.
struct Relation {
  Dim a, b;
  bool may_broadcast = false;
};

// Owns its values and nodes. `nodes` is in topological order.
struct Graph {
  std::string name;
  std::vector<Value*> inputs, outputs;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Value>> values;
  Graph* parent = nullptr;                    // whose values a subgraph may use
  std::vector<Relation> relations;            // between extents of this graph's values
  std::map<std::string, ExtentRange> ranges;  // of symbols; only in the outermost graph
  // Symbols that stand for long expressions, each made of symbols before it; likewise.
  std::vector<std::pair<std::string, Dim>> definitions;

  Graph& root() { return parent ? parent->root() : *this; }

  Value* add_value(std::string name, Type type = {});
  Value* add_constant(std::string name, Tensor tensor);
  // Appends to `nodes`; the node becomes producer of its outputs.
  Node* add_node(const ops::Op* op, std::vector<Value*> inputs, std::vector<Value*> outputs);
  // A name no value of this graph has: `stem`, else `stem_2`, ...
  std::string fresh_name(const std::string& stem) const;

 private:
  mutable std::map<std::string, int> next_suffix_;
};

struct Model {
  std::string path;  // as given on the command line, for messages
  std::int64_t ir_version = 0;
  std::string producer, producer_version, domain, doc, licence, sha256;
  std::map<std::string, std::int64_t> opset_imports;  // "" is ai.onnx
  std::map<std::string, std::string> metadata;
  std::vector<std::string> files;  // external data read, for depfiles
  // The calls of model-local functions that were inlined: what the sources of their nodes start
  // with
  // -> the function's name.
  std::map<std::string, std::string> calls;
  Graph graph;
};

// Calls f(Graph&) for every subgraph among a node's attributes.
template <class F>
void each_subgraph(const Node& node, F f) {
  for (const auto& [key, attribute] : node.attributes) {
    if (const auto* g = std::get_if<std::shared_ptr<Graph>>(&attribute)) f(**g);
    if (const auto* gs = std::get_if<std::vector<std::shared_ptr<Graph>>>(&attribute))
      for (const auto& g : *gs) f(*g);
  }
}

// Number of nodes that read each value, graph outputs included (a value may count twice).
std::map<const Value*, int> count_uses(const Graph& graph);

// Points every reader of `from` in `graph` (subgraphs included) at `to`.
void replace_uses(Graph& graph, const Value* from, Value* to);

// node 37 "/enc/Add_3" (Add-14)
std::string describe(const Node& node);
// The text with quotes, backslashes, control characters and invalid UTF-8 escaped, cut at 80 bytes.
std::string quoted(const std::string& text);

}  // namespace onnxc
