// place_parts: the inputs of a channels-last Concat are computed where it would copy them to.
// Needs: layouts. Gives: Value::whole. Never touches: what some node cannot read or write apart.
#include <algorithm>
#include <set>

#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

ops::LayoutRule rule_of(const Node& n) {
  if (n.op->layout) return n.op->layout(n);
  // Element-wise nodes read with strides, and write densely.
  return {.accepts = n.op->scalar != nullptr, .all_inputs = true, .parts_in = true};
}

// Fused operands of a kernel are read where its output lies.
bool reads_parts(const Node& n, const Value* v) {
  const ops::LayoutRule rule = rule_of(n);
  if (!rule.parts_in) return false;
  for (std::size_t i = 0; i < n.inputs.size(); ++i) {
    const bool data = i + n.body_inputs < n.inputs.size() && (i == 0 || rule.all_inputs);
    if (n.inputs[i] == v && !data) return false;
  }
  return true;
}

class Parts {
 public:
  explicit Parts(Graph& graph) : graph_(graph) {
    for (const auto& node : graph.nodes) {
      own_.insert(node.get());
      for (const Value* v : node->inputs)
        if (v) readers_[v].push_back(node.get());
      each_subgraph(*node, [&](const Graph& body) { keep_outer(body); });
    }
    for (const Value* v : graph.outputs) kept_.insert(v);
  }

  void run() {
    const ops::Op* concat = ops::find("", "Concat");
    for (auto& node : graph_.nodes)
      if (node->op == concat && joins_channels(*node)) place(*node);
  }

 private:
  // What a subgraph reads stays as it is.
  void keep_outer(const Graph& body) {
    for (const auto& node : body.nodes) {
      for (const Value* v : node->inputs) kept_.insert(v);
      each_subgraph(*node, [&](const Graph& inner) { keep_outer(inner); });
    }
    for (const Value* v : body.outputs) kept_.insert(v);
  }

  static bool joins_channels(const Node& n) {
    const Value& y = *n.outputs[0];
    if (y.layout != Layout::channels_last || !y.type.is_static()) return false;
    const ops::NodeView view(n);
    return view.axis(view.attr_int("axis"), y.type.rank()) == 1;
  }

  bool can_be_part(const Value& v) const {
    if (v.whole || v.layout != Layout::channels_last || !v.producer || v.constant) return false;
    if (!own_.count(v.producer) || v.producer->outputs.size() != 1 || kept_.count(&v)) return false;
    if (!rule_of(*v.producer).part_out) return false;
    const auto& readers = readers_.at(&v);
    return std::all_of(readers.begin(), readers.end(),
                       [&](const Node* n) { return reads_parts(*n, &v); });
  }

  void place(const Node& concat) {
    std::int64_t channel = 0;
    for (Value* v : concat.inputs) {
      if (can_be_part(*v)) {
        v->whole = concat.outputs[0];
        v->whole_channel = channel;
      }
      channel += (*v->type.shape)[1].value();
    }
  }

  Graph& graph_;
  std::set<const Node*> own_;
  std::set<const Value*> kept_;
  std::map<const Value*, std::vector<const Node*>> readers_;
};

}  // namespace

void place_parts(Graph& graph, PassContext&) { Parts(graph).run(); }

}  // namespace onnxc::passes
