// The graph IR: values, nodes, graphs, and the model around them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/attribute.hpp"
#include "compiler/ir/devices.hpp"
#include "compiler/ir/tensor.hpp"
#include "compiler/ir/type.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {

namespace ops {
struct Op;
}
struct Node;
struct Graph;
struct Value;

// One place where a value is read: input `index` of `node`, or, if that is null, output `index` of
// `graph`.
struct Use {
  Node* node = nullptr;
  Graph* graph = nullptr;
  std::size_t index = 0;
};

// The inputs of a node, or the outputs of a graph, with a use of each of them in Value::users.
// Reads like a std::vector; every change keeps the uses right, in constant time for each value.
class Operands {
 public:
  explicit Operands(Node* node) : node_(node) {}
  explicit Operands(Graph* graph) : graph_(graph) {}
  Operands(const Operands&) = delete;
  ~Operands() { clear(); }
  Operands& operator=(const Operands& other) { return *this = other.values_; }
  Operands& operator=(std::initializer_list<Value*> values);
  Operands& operator=(const std::vector<Value*>& values);

  operator const std::vector<Value*>&() const { return values_; }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  Value* operator[](std::size_t i) const { return values_[i]; }
  Value* at(std::size_t i) const { return values_.at(i); }
  Value* front() const { return values_.front(); }
  Value* back() const { return values_.back(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  // Null: an optional operand left out.
  void set(std::size_t i, Value* value);
  void push_back(Value* value);
  void pop_back() { resize(size() - 1); }
  void insert(std::size_t i, Value* value);
  void resize(std::size_t count);  // with left-out operands
  void erase(std::size_t i);
  void clear() { resize(0); }

 private:
  std::size_t link(std::size_t i, Value* v);
  void unlink(std::size_t i);

  Node* node_ = nullptr;
  Graph* graph_ = nullptr;
  std::vector<Value*> values_;
  std::vector<std::size_t> places_;  // of each use in Value::users
};

// How a tensor's elements lie in memory. The type of a value always has ONNX's logical shape.
enum class Layout : std::uint8_t {
  plain,          // row-major in the logical order
  channels_last,  // logical [N, C, spatial...] stored as [N, spatial..., C]
};

// The integers that a float constant was dequantised from: it is (integers - zero_point) * scale,
// with one scale and zero point for all elements, or one for each index along `axis`.
struct QuantizedConstant {
  Tensor integers, scale;
  std::optional<Tensor> zero_point;  // none: 0
  std::size_t axis = 0;
};

struct Value {
  std::string name;  // ONNX's name, or derived from one; unique in its graph
  Type type;
  std::shared_ptr<const Type> declared;                // by the model; null: by none
  std::optional<Tensor> constant;                      // the contents, if known
  std::shared_ptr<const QuantizedConstant> quantized;  // of a constant: its quantised form
  std::optional<std::vector<Dim>> extent;  // symbolic contents of a small integer tensor
  // The same if only some of them are known. Empty otherwise.
  std::vector<std::optional<Dim>> partial_extent;
  // Symbolic contents of a small float tensor, before they are rounded to its type.
  std::optional<std::vector<Dim>> before_rounding;
  Layout layout = Layout::plain;
  // The value is a view of some channels of a wider channels-last tensor, from this channel on.
  Value* view_of = nullptr;
  std::int64_t channel_offset = 0;
  // The state variable that the value is, as an index of State::variables; -1: none. It has no
  // producer, and its contents are those at the start of the entry.
  int state = -1;
  Node* producer = nullptr;  // null for graph inputs, initialisers and state variables
  // Every place that reads the value: nodes of its graph and of nested graphs, and their outputs.
  // In no particular order.
  const std::vector<Use>& users() const { return users_; }

 private:
  friend class Operands;
  std::vector<Use> users_;
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

// Appends the sources that are not there yet.
void add_sources(std::vector<std::string>& into, const std::vector<std::string>& from);

struct Node {
  Node() = default;
  Node(const Node&) = delete;

  Graph* graph = nullptr;  // null: not in a graph yet
  const ops::Op* op = nullptr;
  std::string name;             // ONNX's name, may be empty
  std::string op_type, domain;  // as the model wrote them
  std::size_t index = 0;        // position in the model's own list, for messages
  int version = 0;              // since_version the model meant, for messages
  Operands inputs{this};        // null: optional input left out
  std::vector<Value*> outputs;  // null: optional output left out
  Attributes attributes;
  std::vector<std::string> sources;  // the ONNX nodes this one stands for, for comments
  std::vector<ScalarStep> body;      // fused element-wise work, run on each result element
  std::size_t unchanged_inputs = 0;  // in front: what the model has, whatever upgrades did
  std::size_t body_inputs = 0;       // how many of the last inputs are operands of the body only
  std::shared_ptr<const std::vector<NodeDevices>> devices;  // null: no annotation

  const Attribute* find(const std::string& key) const;
};

// Facts about a dynamic dimension.
struct ExtentRange {
  std::int64_t low = 0;
  std::optional<std::int64_t> high;  // as the user promised with --dim
  std::optional<Dim> at_most;  // by the operator's meaning: NonZero finds at most all elements
};

// Limits of a size of a result, which the user gave with --dim.
struct ValueBound {
  std::size_t axis = 0;
  std::int64_t low = 0, high = 0;
};

// Two dimensions that must be equal at run time, or, to broadcast, one of them 1.
struct Relation {
  Dim a, b;
  bool may_broadcast = false;
};

// The first character of symbols that are not sizes of inputs.
inline constexpr char kInnerSize = '?';

// Longer expressions of dimensions get a name in Graph::definitions.
inline constexpr std::size_t kLongestDim = 60;

// Owns its values and nodes. `nodes` is in topological order; passes change it by a GraphEditor.
struct Graph {
  Graph() = default;
  Graph(Graph&& other);  // enters uses of `outputs`, which takes memory

  std::string name;
  std::vector<std::unique_ptr<Value>> values;  // before values that use them
  std::vector<Value*> inputs;
  Operands outputs{this};
  std::vector<std::unique_ptr<Node>> nodes;
  Graph* parent = nullptr;                    // whose values a subgraph may use
  std::vector<Relation> relations;            // between dimensions of this graph's values
  std::map<std::string, ExtentRange> ranges;  // of symbols; only in the outermost graph
  // Symbols for long expressions, each made of symbols before it; also in the outermost graph.
  std::vector<std::pair<std::string, Dim>> definitions;
  // What `relations` imply for all values, once they hold; also in the outermost graph.
  std::vector<DimLimit> limits;
  // Whether declared sizes of results may be those of other inputs: none if the sizes of all inputs
  // are fixed, or those of inner values if some are open; also in the outermost graph.
  enum class Stale : std::uint8_t { none, inner, all };
  Stale stale_sizes = Stale::none;
  // Fixed sizes of axis 0 of inputs that the caller replaced by others: another batch. Also in the
  // outermost graph.
  struct ReplacedBatch {
    std::int64_t from;
    Dim to;
  };
  std::vector<ReplacedBatch> replaced_batches;
  std::map<std::string, std::vector<ValueBound>> value_bounds;  // by name; in the outermost graph
  // How many bytes of constants may still be computed; also in the outermost graph.
  std::int64_t foldable_bytes = std::int64_t{1} << 30;

  // Whether a size is known only where the data are, and does not follow from sizes of inputs.
  bool is_decided_by_data(const Dim& d) const;

  Graph& root() { return parent ? parent->root() : *this; }

  Value* add_value(std::string name, Type type = {});
  Value* add_constant(std::string name, Tensor tensor);
  // Appends to `nodes`; the node becomes producer of its outputs.
  Node* add_node(const ops::Op* op, const std::vector<Value*>& inputs, std::vector<Value*> outputs);
  Node* append(std::unique_ptr<Node> node);
  // A name that no value of this graph has: stem#1, then stem#2, ...
  std::string fresh_name(const std::string& stem) const;
  // stem#1 to stem#last are not made again.
  void reserve_names(const std::string& stem, std::int64_t last);
  // Later names of this graph differ from those of the other graph, whose values it got.
  void continue_names_of(const Graph& other) { next_suffix_ = other.next_suffix_; }

 private:
  mutable std::map<std::string, std::int64_t> next_suffix_;
};

// An initialiser that training changes, because a binding names it.
struct StateVariable {
  std::string name;
  Tensor initial;           // what `reset` stores
  std::int64_t offset = 0;  // in the state block, set by lay_out_state
};

// The block of memory that holds the state variables, owned by the caller of the generated code.
struct State {
  static constexpr std::int64_t kHeaderBytes = 64;
  std::vector<StateVariable> variables;
  std::int64_t bytes = 0;    // with the header
  std::uint64_t layout = 0;  // hash of names, types and shapes
};

// A graph of a training_info. The last outputs, one for each of `updates`, are what the bindings
// store in these state variables; the outputs before them are the caller's.
struct TrainingEntry {
  enum class Kind : std::uint8_t { initialization, algorithm };
  Kind kind = Kind::algorithm;
  std::size_t info = 0;  // index of its training_info
  Graph graph;
  std::vector<int> updates;

  std::size_t free_outputs() const { return graph.outputs.size() - updates.size(); }
};

// What a model says about itself, and where it came from.
struct ModelHeader {
  std::string path;  // as given on the command line, for messages
  std::int64_t ir_version = 0;
  std::string producer, producer_version, domain, doc, licence, sha256;
  std::map<std::string, std::int64_t> opset_imports;  // "" is ai.onnx
  std::map<std::string, std::string> metadata;
  std::vector<std::string> files;  // external data read, for depfiles
  std::vector<DeviceConfiguration> configurations;
};

struct Model : ModelHeader {
  std::optional<OwnDevice> device;  // of a part that partition() made
  // The calls of model-local functions that were inlined: prefix of the sources of their nodes ->
  // name of the function.
  std::map<std::string, std::string> calls;
  Graph graph;
  // Of a model that is compiled for training: initializations first, each kind in order.
  State state;
  std::vector<std::unique_ptr<TrainingEntry>> entries;
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

// Points every reader of `from` at `to`.
void replace_uses(Value* from, Value* to);

// The types of its results: "f32[1,8], i64[3]".
std::string output_types(const Node& node);

// Symbols in the shapes of the inputs, sorted.
std::vector<std::string> dynamic_dims(const Graph& graph);

// node 37 "/enc/Add_3" (Add-14)
Location describe(const Node& node);
// The text with quotes, backslashes, control characters and invalid UTF-8 escaped, cut at 80 bytes.
std::string quoted(const std::string& text);

// The values of outer graphs that the node's bodies read, each once, in the order of their reading.
std::vector<Value*> captured_values(const Node& node);
std::vector<Value*> captured_values(const Graph& body);
// What a node reads: its inputs, and what its bodies read from outside. Without null.
std::vector<Value*> operands_of(const Node& node);

}  // namespace onnxc
