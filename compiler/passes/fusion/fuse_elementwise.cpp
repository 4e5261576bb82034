// fuse_elementwise: chains of element-wise nodes become one onnxc::Map, and element-wise nodes
// after a kernel with an epilogue become its body. Requires: types. Produces: nodes with a `body`.
// Leaves alone: a result with other readers.
#include <algorithm>
#include <unordered_map>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

// Longer bodies run out of registers, and their lambdas are hard to read.
constexpr std::size_t kLongestBody = 24;
constexpr std::size_t kMaxOperands = 8;

bool has_known_ranks(const Node& n) {
  const auto ranked = [](const Value* v) { return !v || v->type.has_rank(); };
  return std::all_of(n.inputs.begin(), n.inputs.end(), ranked) &&
         std::all_of(n.outputs.begin(), n.outputs.end(), ranked);
}

bool elementwise(const Node& n) {
  if (!has_known_ranks(n)) return false;  // which lowering refuses, by the node's own name
  return n.outputs.size() == 1 &&
         (n.op->scalar || (n.op->domain == "onnxc" && n.op->name == "Map"));
}

ScalarStep step_of(const Node& n) {
  ScalarStep s;
  s.op = n.op;
  s.attributes = n.attributes;
  s.elem = n.outputs[0]->type.elem;
  for (int i = 0; i < static_cast<int>(n.inputs.size()); ++i) s.operands.push_back(i);
  return s;
}

std::vector<ScalarStep> body_of(const Node& n) {
  return n.op->scalar ? std::vector{step_of(n)} : n.body;
}

const ops::Op* quantize() {
  static const ops::Op* const op = &ops::get("Quantize", "onnxc");
  return op;
}
const ops::Op* dequantize() {
  static const ops::Op* const op = &ops::get("Dequantize", "onnxc");
  return op;
}

// Whether the node only dequantises this input.
bool only_dequantizes(const Node& n, const Value* v) {
  const auto body = body_of(n);
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    for (const ScalarStep& s : body)
      for (int o : s.operands)
        if (n.inputs[i] == v && o == static_cast<int>(i) && s.op != dequantize()) return false;
  return true;
}

// Kernels whose results may be int8 or float, whatever they read, also take both as operands of
// their epilogues.
bool knows_bytes(const ops::Op& op) {
  const ops::Signature& s = ops::signature(op);
  if (s.outputs.empty() || s.inputs.empty() || s.outputs[0].var == s.inputs[0].var) return false;
  return contains(s.outputs[0].mask, ElemType::uint8) &&
         contains(s.outputs[0].mask, ElemType::float32);
}

// How an epilogue may read an operand of this shape: every element, one per channel, or one for
// all.
bool epilogue_operand(const Value& operand, const Type& out, ops::Epilogue kind) {
  if (!operand.type.has_rank()) return false;
  const Shape& s = *operand.type.shape;
  if (s == *out.shape) return true;
  if (s.size() > out.rank()) return false;
  const std::size_t channel = kind == ops::Epilogue::channel_is_axis_1 ? 1 : out.rank() - 1;
  const std::size_t skip = out.rank() - s.size();
  for (std::size_t i = 0; i < s.size(); ++i)
    if (!s[i].is(1) && (skip + i != channel || !(s[i] == (*out.shape)[channel]))) return false;
  return true;
}

bool takes_epilogue(const Node& producer, const Node& consumer) {
  const ops::Epilogue kind = producer.op->epilogue;
  if (kind == ops::Epilogue::none || producer.outputs.size() != 1) return false;
  const Value& x = *producer.outputs[0];
  const Type& out = consumer.outputs[0]->type;
  if (x.type.elem != ElemType::float32 || !(x.type.shape == out.shape)) return false;
  const bool bytes = knows_bytes(*producer.op);
  for (const ScalarStep& s : body_of(consumer)) {
    if (s.elem != ElemType::float32 && !(bytes && s.op == quantize())) return false;
    if (!s.op->scalar) return false;
    Node probe;
    probe.op = s.op;
    probe.attributes = s.attributes;
    if (!s.op->scalar(probe).vectorises) return false;
  }
  return std::all_of(consumer.inputs.begin(), consumer.inputs.end(), [&](const Value* v) {
    if (v == &x) return true;
    if (v->type.elem != ElemType::float32 && !(bytes && only_dequantizes(consumer, v)))
      return false;
    return epilogue_operand(*v, out, kind);
  });
}

// Inside a chain quantised values are floats, so the next node must dequantise them.
bool keeps_meaning(const Node& producer, const Node& consumer) {
  const Value* y = producer.outputs[0];
  if (y->type.elem == ElemType::float32) return true;
  return (body_of(producer).back().op == quantize()) == only_dequantizes(consumer, y);
}

bool takes_chain(const Node& producer, const Node& consumer) {
  // A smaller producer would be computed again for each element that it is broadcast to.
  return elementwise(producer) &&
         *producer.outputs[0]->type.shape == *consumer.outputs[0]->type.shape &&
         keeps_meaning(producer, consumer);
}

// Index of `v` in the inputs, appended when it is not there yet (at or after `first`).
int operand_index(Node& n, Value* v, std::size_t first) {
  for (std::size_t i = first; i < n.inputs.size(); ++i)
    if (n.inputs[i] == v) return static_cast<int>(i);
  n.inputs.push_back(v);
  return static_cast<int>(n.inputs.size()) - 1;
}

// Appends the consumer's body to the producer's; `self` is the producer's old result.
void append_body(Node& producer, const Node& consumer, int self, std::size_t first_operand) {
  const Value* x = producer.outputs[0];
  const int base = static_cast<int>(producer.body.size());
  std::vector<int> index;
  for (Value* v : consumer.inputs)
    index.push_back(v == x ? self : operand_index(producer, v, first_operand));
  for (ScalarStep s : body_of(consumer)) {
    for (int& o : s.operands) o = o >= 0 ? index[static_cast<std::size_t>(o)] : ~(~o + base);
    producer.body.push_back(std::move(s));
  }
  add_sources(producer.sources, consumer.sources);
  producer.outputs[0] = consumer.outputs[0];
  producer.outputs[0]->producer = &producer;
}

void make_map(Node& n) {
  if (!n.op->scalar) return;
  n.body = {step_of(n)};
  n.op = &ops::get("Map", "onnxc");
  n.attributes.clear();
}

std::size_t body_size(const Node& n) { return n.op->scalar ? 1 : n.body.size(); }

bool fits(const Node& producer, const Node& consumer) {
  return body_size(producer) + body_size(consumer) <= kLongestBody &&
         producer.inputs.size() + consumer.inputs.size() <= kMaxOperands;
}

// Moves `consumer` into `producer`, which takes the consumer's place in the graph (its operands are
// computed before that). The producer's old slot becomes empty.
void fuse(Node& producer, const Node& consumer) {
  const bool chain = elementwise(producer);
  if (chain) make_map(producer);
  const std::size_t own = chain ? 0 : producer.inputs.size() - producer.body_inputs;
  const int self = producer.body.empty() ? ScalarStep::kAccumulator
                                         : ~(static_cast<int>(producer.body.size()) - 1);
  append_body(producer, consumer, self, own);
  if (!chain) producer.body_inputs = producer.inputs.size() - own;
}

// Returns true if it fused a node.
bool fuse_round(Graph& graph) {
  bool changed = false;
  std::unordered_map<const Node*, std::size_t> slot;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) slot[graph.nodes[i].get()] = i;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& consumer = *graph.nodes[i];
    if (!elementwise(consumer)) continue;
    // Nodes that dequantise first, then the latest producer: a residual Add fuses with the
    // convolution right before it, and reads the int8 operand.
    std::vector<Node*> producers;
    for (const Value* v : consumer.inputs)
      if (Node* p = v ? producer_for_one(*v) : nullptr; p && p->graph == &graph)
        producers.push_back(p);
    std::sort(producers.begin(), producers.end(), [&](const Node* a, const Node* b) {
      const bool from_bytes = a->op == dequantize(), other = b->op == dequantize();
      return from_bytes != other ? from_bytes : slot[a] > slot[b];
    });
    for (Node* p : producers) {
      if (!fits(*p, consumer) || !(takes_epilogue(*p, consumer) || takes_chain(*p, consumer)))
        continue;
      const std::size_t from = slot[p];
      const bool from_bytes = p->op == dequantize();
      fuse(*p, consumer);
      graph.nodes[i] = std::move(graph.nodes[from]);
      slot[p] = i;
      changed = true;
      // Its other producers have not been tried yet.
      if (from_bytes) --i;
      break;
    }
  }
  std::erase_if(graph.nodes, [](const auto& n) { return !n; });
  return changed;
}

}  // namespace

void fuse_elementwise(Graph& graph, PassContext&) {
  // Several readers of one value, such as the two of x in Gelu's x * (1 + erf(x)), may now be one
  // node.
  while (fuse_round(graph)) {
  }
}

}  // namespace onnxc::passes
