// choose_layout: stores the tensors around convolutions channels-last and inserts a Reorder where a
// tensor changes its layout. Requires: types. Produces: Value::layout. Leaves alone: logical
// shapes; graph inputs and outputs stay plain.
#include <algorithm>
#include <utility>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/layout.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

class Layouts {
 public:
  Layouts(Graph& graph, bool small_memory)
      : graph_(graph), editor_(graph), small_memory_(small_memory) {}

  void run() {
    editor_.each([this](Node& node) { visit(node); });
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) restore_output(graph_.outputs[i]);
  }

 private:
  // Kernels need a static number of channels; the other dimensions may be dynamic.
  static bool can_be_last(const Value& v) {
    return v.type.has_rank() && v.type.rank() >= 3 && (*v.type.shape)[1].is_const();
  }

  // The inputs that must share the layout of output 0.
  static std::vector<std::size_t> data_inputs(const Node& n, const ops::LayoutRule& rule) {
    std::vector<std::size_t> out;
    const Type& y = n.outputs[0]->type;
    const std::size_t own = n.inputs.size() - n.body_inputs;
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      const Value* v = n.inputs[i];
      if (!v || !v->type.has_rank() || v->type.rank() != y.rank()) continue;
      if (i >= own ? v->type.shape == y.shape : (i == 0 || rule.all_inputs)) out.push_back(i);
    }
    return out;
  }

  // A Transpose or MoveAxis that only moves the channels, and the direction.
  enum class Move { none, to_axis_1, to_end };
  static Move channel_move(const Node& n) {
    static const ops::Op* const move_axis = &ops::get("MoveAxis", "onnxc");
    if (n.op == move_axis && n.inputs[0]->type.has_rank() && n.inputs[0]->type.rank() >= 3) {
      const ops::NodeView view(n);
      const std::size_t rank = n.inputs[0]->type.rank(),
                        from = view.axis(view.attr_int("from"), rank),
                        to = view.axis(view.attr_int("to"), rank);
      if (from == rank - 1 && to == 1) return Move::to_axis_1;
      return from == 1 && to == rank - 1 ? Move::to_end : Move::none;
    }
    if (!is_a(&n, "Transpose")) return Move::none;
    const auto* perm = ops::NodeView(n).find_ints("perm");
    if (!perm || perm->size() < 3 || (*perm)[0] != 0) return Move::none;
    const auto rank = static_cast<std::int64_t>(perm->size());
    bool first = (*perm)[1] == rank - 1, end = perm->back() == 1;
    for (std::int64_t i = 2; i < rank; ++i) {
      first = first && (*perm)[static_cast<std::size_t>(i)] == i - 1;
      end = end && (*perm)[static_cast<std::size_t>(i - 1)] == i;
    }
    return first ? Move::to_axis_1 : end ? Move::to_end : Move::none;
  }

  // Such a node is free if it maps one layout to the other: the memory is unchanged.
  static bool changes_layout_only(const Node& n) {
    const Move move = channel_move(n);
    if (move == Move::to_end) return n.inputs[0]->layout == Layout::channels_last;
    if (move == Move::none || !can_be_last(*n.outputs[0])) return false;
    if (n.inputs[0]->layout != Layout::plain) return false;
    n.outputs[0]->layout = Layout::channels_last;
    return true;
  }

  // Whether the inputs can be what the rule asks for; then they are.
  bool reads_last(Node& n, const ops::LayoutRule& rule) {
    if (!rule.reads_last) return false;
    for (const Value* v : n.inputs)
      if (!v || !can_be_last(*v)) return false;
    for (std::size_t i = 0; i < n.inputs.size(); ++i)
      n.inputs.set(i, in_layout(n.inputs[i], Layout::channels_last, n));
    return true;
  }

  void visit(Node& n) {
    if (changes_layout_only(n)) return;
    const ops::LayoutRule rule = ops::layout_rule(n);
    if (reads_last(n, rule)) return;
    const bool able = rule.accepts && !n.outputs.empty() && n.outputs[0] &&
                      can_be_last(*n.outputs[0]) && n.inputs.size() > 0 && n.inputs[0] &&
                      can_be_last(*n.inputs[0]);
    Layout layout = Layout::plain;
    std::vector<std::size_t> data;
    if (able) {
      data = data_inputs(n, rule);
      const bool fed = std::any_of(data.begin(), data.end(), [&](std::size_t i) {
        return n.inputs[i]->layout == Layout::channels_last;
      });
      if (rule.prefers || fed) layout = Layout::channels_last;
    }
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      Value* const v = n.inputs[i];
      if (!v || v->layout == Layout::plain) {
        const bool wanted =
            layout == Layout::channels_last && std::find(data.begin(), data.end(), i) != data.end();
        if (v && wanted) n.inputs.set(i, in_layout(v, Layout::channels_last, n));
        continue;
      }
      const bool fits = (able && layout == Layout::channels_last) || (rule.reads_any && i == 0);
      if (!fits) n.inputs.set(i, in_layout(v, Layout::plain, n));
    }
    for (Value* v : n.outputs)
      if (v && layout == Layout::channels_last && can_be_last(*v) &&
          v->type.rank() == n.outputs[0]->type.rank())
        v->layout = layout;
  }

  Value* in_layout(Value* v, Layout layout, Node& user) {
    if (v->layout == layout) return v;
    const auto found = reordered_.find(v);
    if (found != reordered_.end()) return found->second;
    if (reorder_int8(*v, layout, user) || reorder_while_computing(*v, layout)) return v;
    Value* y = editor_.value(v->type, v->name);
    y->layout = layout;
    Node& n = reorder(v, y);
    n.index = user.index;
    if (fold_node(n)) editor_.erase(n);
    reordered_[v] = y;
    // The reverse conversion is free.
    reordered_[y] = v;
    return y;
  }

  // Converts `from` to `to`. It has no provenance in the model.
  Node& reorder(Value* from, Value* to) {
    Node& n = editor_.emit_as(to, ops::get("Reorder", "onnxc"), {from});
    n.name = from->name;
    n.op_type = "Reorder";
    n.domain.clear();
    n.sources.clear();
    return n;
  }

  // Values that are dequantised for a single reader in this graph: reordering the int8 values moves
  // a fourth of the bytes.
  bool reorder_int8(Value& v, Layout layout, Node& user) {
    Node* made = producer_for_one(v);
    if (!made || made->graph != &graph_ || made->op != dequantize_ || !made->body.empty())
      return false;
    Value* const int8 = made->inputs[0];
    if (reordered_.count(int8)) return false;
    editor_.before(*made);
    made->inputs.set(0, in_layout(int8, layout, user));
    editor_.before(user);
    v.layout = layout;
    return true;
  }

  // An element-wise node with a single reader may write another layout than it reads: slower than a
  // pass of its own over dense data, but it takes no memory for the data in between.
  bool reorder_while_computing(Value& v, Layout layout) {
    const Node* made = producer_for_one(v);
    if (!small_memory_ || !made || made->graph != &graph_) return false;
    if (!made->op->scalar && made->op != map_) return false;
    const bool reads_layout = std::any_of(made->inputs.begin(), made->inputs.end(),
                                          [&](const Value* x) { return x && x->layout == layout; });
    if (reads_layout) return false;
    v.layout = layout;
    return true;
  }

  // A graph output keeps its plain value: a new channels-last value is made before it. An output of
  // an outer graph is unchanged.
  void restore_output(Value* out) {
    if (out->layout == Layout::plain || !out->producer) return;
    if (out->producer->graph != &graph_) {
      Value* const plain = editor_.value(out->type, out->name);
      reorder(out, plain);
      for (std::size_t i = 0; i < graph_.outputs.size(); ++i)
        if (graph_.outputs[i] == out) graph_.outputs.set(i, plain);
      return;
    }
    Value* const inner = editor_.value(out->type, out->name);
    inner->layout = std::exchange(out->layout, Layout::plain);
    Node& producer = *out->producer;
    editor_.set_output(producer, output_index(producer, out), inner);
    editor_.replace(out, inner);
    reorder(inner, out).name = out->name;
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i)
      if (graph_.outputs[i] == inner) graph_.outputs.set(i, out);
  }

  static std::size_t output_index(const Node& node, const Value* v) {
    const auto at = std::find(node.outputs.begin(), node.outputs.end(), v);
    return static_cast<std::size_t>(at - node.outputs.begin());
  }

  Graph& graph_;
  GraphEditor editor_;
  bool small_memory_;
  const ops::Op* const dequantize_ = &ops::get("Dequantize", "onnxc");
  const ops::Op* const map_ = &ops::get("Map", "onnxc");
  std::map<const Value*, Value*> reordered_;
};

}  // namespace

void choose_layout(Graph& graph, PassContext& context) {
  Layouts(graph, context.target.small_memory).run();
}

}  // namespace onnxc::passes
