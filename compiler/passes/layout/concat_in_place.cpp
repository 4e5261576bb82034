// concat_in_place: computes the inputs of a channels-last Concat directly in its result, and pads
// pixels whose stride is bad for caches. Requires: layouts. Produces: Value::view_of. Leaves alone:
// values with a producer or reader that does not support strides.
#include <algorithm>

#include "compiler/ir/layout.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

const Shape& dims(const Value& v) { return *v.type.shape; }

// A channels-last value with a known number of channels.
bool has_channels(const Value& v) {
  return v.layout == Layout::channels_last && dims(v)[1].is_const();
}

// Whether the values differ in their channels only, so that their memory can be allocated together.
bool same_but_channels(const Value& a, const Value& b) {
  Shape x = dims(a), y = dims(b);
  x[1] = y[1] = 1;
  return x == y;
}

class Parts {
 public:
  explicit Parts(Graph& graph) : graph_(graph) {}

  void run() {
    for (auto& node : graph_.nodes)
      if (is_a(node.get(), "Concat") && joins_channels(*node)) place(*node);
    for (auto& node : graph_.nodes)
      if (node->outputs.size() == 1 && node->outputs[0]) spread(*node->outputs[0]);
  }

 private:
  static bool joins_channels(const Node& n) {
    if (!has_channels(*n.outputs[0])) return false;
    for (const Value* v : n.inputs)
      if (!dims(*v)[1].is_const()) return false;
    const ops::NodeView view(n);
    return view.axis(view.attr_int("axis"), n.outputs[0]->type.rank()) == 1;
  }

  // Outputs of the graph, and what a subgraph reads, stay dense.
  bool reads_parts(const Use& use, const Value& v) const {
    return use.node && use.node->graph == &graph_ && ops::reads_parts(*use.node, v);
  }

  bool can_be_part(const Value& v) const {
    if (v.view_of || v.layout != Layout::channels_last || !v.producer || v.constant) return false;
    if (v.producer->graph != &graph_ || !ops::writes_part(*v.producer)) return false;
    return std::all_of(v.users().begin(), v.users().end(),
                       [&](const Use& use) { return reads_parts(use, v); });
  }

  void place(const Node& concat) {
    std::int64_t channel = 0;
    for (Value* v : concat.inputs) {
      if (can_be_part(*v) && same_but_channels(*v, *concat.outputs[0])) {
        v->view_of = concat.outputs[0];
        v->channel_offset = channel;
      }
      channel += dims(*v)[1].value();
    }
  }

  // Pixels with a stride of a power of two compete for few lines of a cache when a tile of a
  // convolution reads many of them: the stride grows by another line.
  void spread(Value& v) {
    if (v.type.elem != ElemType::float32 || !v.type.has_rank() || !has_channels(v)) return;
    const Dim channels = dims(v)[1];
    if (channels.value() % 512 != 0 || product(dims(v), 2, v.type.rank()).is(1)) return;
    const auto convolves = [&](const Use& use) {
      return use.node && use.node->op == conv_ && use.index == 0;
    };
    if (std::none_of(v.users().begin(), v.users().end(), convolves) || !can_be_part(v)) return;
    Type wider = v.type;
    (*wider.shape)[1] = channels + Dim(16);
    v.view_of = graph_.add_value(graph_.fresh_name(v.name), wider);
    v.view_of->layout = Layout::channels_last;
  }

  Graph& graph_;
  const ops::Op* const conv_ = &ops::get("Conv");
};

}  // namespace

void concat_in_place(Graph& graph, PassContext&) { Parts(graph).run(); }

}  // namespace onnxc::passes
