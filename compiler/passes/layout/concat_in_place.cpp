// concat_in_place: computes the inputs of a channels-last Concat directly in its result, and pads
// pixels whose stride is bad for caches. Needs: layouts. Gives: Value::view_of. Never touches:
// values with a producer or reader that does not support strides.
#include <algorithm>
#include <set>

#include "compiler/ir/layout.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

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
    for (auto& node : graph_.nodes)
      if (node->outputs.size() == 1 && node->outputs[0]) spread(*node->outputs[0]);
  }

 private:
  // A value that a subgraph reads is unchanged.
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
    for (const Value* v : n.inputs)
      if (!v->type.is_static()) return false;
    const ops::NodeView view(n);
    return view.axis(view.attr_int("axis"), y.type.rank()) == 1;
  }

  bool can_be_part(const Value& v) const {
    if (v.view_of || v.layout != Layout::channels_last || !v.producer || v.constant) return false;
    if (!own_.count(v.producer) || !ops::writes_part(*v.producer) || kept_.count(&v)) return false;
    const auto& readers = readers_.at(&v);
    return std::all_of(readers.begin(), readers.end(),
                       [&](const Node* n) { return ops::reads_parts(*n, v); });
  }

  void place(const Node& concat) {
    std::int64_t channel = 0;
    for (Value* v : concat.inputs) {
      if (can_be_part(*v)) {
        v->view_of = concat.outputs[0];
        v->channel_offset = channel;
      }
      channel += (*v->type.shape)[1].value();
    }
  }

  // Pixels with a stride of a power of two compete for few lines of a cache when a tile of a
  // convolution reads many of them: the stride grows by another line.
  void spread(Value& v) {
    if (v.layout != Layout::channels_last || v.type.elem != ElemType::float32) return;
    if (!v.type.is_static() || !readers_.count(&v) || !can_be_part(v)) return;
    const Dim channels = (*v.type.shape)[1];
    if (channels.value() % 512 != 0 || product(*v.type.shape, 2, v.type.rank()).is(1)) return;
    const ops::Op* conv = ops::find("", "Conv");
    const auto& readers = readers_.at(&v);
    if (std::none_of(readers.begin(), readers.end(),
                     [&](const Node* n) { return n->op == conv && n->inputs[0] == &v; }))
      return;
    Type wider = v.type;
    (*wider.shape)[1] = channels + Dim(16);
    v.view_of = graph_.add_value(graph_.fresh_name(v.name), wider);
    v.view_of->layout = Layout::channels_last;
  }

  Graph& graph_;
  std::set<const Node*> own_;
  std::set<const Value*> kept_;
  std::map<const Value*, std::vector<const Node*>> readers_;
};

}  // namespace

void concat_in_place(Graph& graph, PassContext&) { Parts(graph).run(); }

}  // namespace onnxc::passes
