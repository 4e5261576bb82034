// choose_layout: stores the tensors around convolutions channels-last and inserts a Reorder where a
// tensor changes its layout. Needs: types. Gives: Value::layout. Never touches: logical shapes;
// graph inputs and outputs stay plain.
#include <algorithm>

#include "compiler/ir/layout.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/infer/fold_constants.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

class Layouts {
 public:
  explicit Layouts(Graph& graph) : graph_(graph), uses_(count_uses(graph)) {}

  void run() {
    std::vector<std::unique_ptr<Node>> old = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (auto& node : old) {
      visit(*node);
      graph_.nodes.push_back(std::move(node));
    }
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

  // A Transpose that only moves the channels, and the direction.
  enum class Move { none, to_axis_1, to_end };
  static Move channel_move(const Node& n) {
    if (n.op != ops::find("", "Transpose") || !n.body.empty()) return Move::none;
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

  // Such a Transpose is free if it maps one layout to the other: the memory is unchanged.
  static bool changes_layout_only(const Node& n) {
    const Move move = channel_move(n);
    if (move == Move::to_end) return n.inputs[0]->layout == Layout::channels_last;
    if (move == Move::none || !can_be_last(*n.outputs[0])) return false;
    if (n.inputs[0]->layout != Layout::plain) return false;
    n.outputs[0]->layout = Layout::channels_last;
    return true;
  }

  void visit(Node& n) {
    if (changes_layout_only(n)) return;
    const ops::LayoutRule rule = ops::layout_rule(n);
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
      const bool fits = able && layout == Layout::channels_last;
      if (!fits) n.inputs.set(i, in_layout(v, Layout::plain, n));
    }
    for (Value* v : n.outputs)
      if (v && layout == Layout::channels_last && can_be_last(*v) &&
          v->type.rank() == n.outputs[0]->type.rank())
        v->layout = layout;
  }

  Value* in_layout(Value* v, Layout layout, const Node& user) {
    if (v->layout == layout) return v;
    const auto found = reordered_.find(v);
    if (found != reordered_.end()) return found->second;
    if (reorder_bytes(*v, layout, user)) return v;
    Value* y = graph_.add_value(graph_.fresh_name(v->name), v->type);
    y->layout = layout;
    Node* n = graph_.add_node(&ops::get("Reorder", "onnxc"), {v}, {y});
    n->name = v->name;
    n->op_type = "Reorder";
    n->index = user.index;
    if (fold_node(*n)) {
      y->producer = nullptr;
      graph_.nodes.pop_back();
    }
    reordered_[v] = y;
    // The reverse conversion is free.
    reordered_[y] = v;
    return y;
  }

  // Values that are dequantised for a single reader in this graph: reordering the int8 values moves
  // a fourth of the bytes.
  bool reorder_bytes(Value& v, Layout layout, const Node& user) {
    Node* made = v.producer;
    if (!made || made->op != dequantize_ || !made->body.empty() || uses_[&v] != 1) return false;
    if (!is_made_here(v)) return false;
    Value* const bytes = made->inputs[0];
    if (reordered_.count(bytes)) return false;
    const std::size_t before = graph_.nodes.size();
    made->inputs.set(0, in_layout(bytes, layout, user));
    v.layout = layout;
    if (graph_.nodes.size() == before) return true;
    const auto at = std::find_if(graph_.nodes.begin(), graph_.nodes.end(),
                                 [&](const auto& node) { return node.get() == made; });
    std::rotate(at, graph_.nodes.end() - 1, graph_.nodes.end());
    return true;
  }

  bool is_made_here(const Value& v) const {
    return std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                       [&](const auto& node) { return node.get() == v.producer; });
  }

  // A graph output keeps its plain value: a new channels-last value is made before it. An output of
  // an outer graph is unchanged.
  void restore_output(Value* out) {
    if (out->layout == Layout::plain || !out->producer) return;
    Value* const result = out;
    Value* inner = result;
    Value* plain = result;
    if (is_made_here(*result)) {
      inner = graph_.add_value(graph_.fresh_name(result->name), result->type);
      inner->layout = result->layout;
      inner->producer = result->producer;
      for (Value*& v : result->producer->outputs)
        if (v == result) v = inner;
      replace_uses(result, inner);
      result->layout = Layout::plain;
    } else {
      plain = graph_.add_value(graph_.fresh_name(result->name), result->type);
    }
    Node* n = graph_.add_node(&ops::get("Reorder", "onnxc"), {inner}, {plain});
    n->name = result->name;
    n->op_type = "Reorder";
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i)
      if (graph_.outputs[i] == inner) graph_.outputs.set(i, plain);
  }

  Graph& graph_;
  std::map<const Value*, int> uses_;
  const ops::Op* const dequantize_ = &ops::get("Dequantize", "onnxc");
  std::map<const Value*, Value*> reordered_;
};

}  // namespace

void choose_layout(Graph& graph, PassContext&) { Layouts(graph).run(); }

}  // namespace onnxc::passes
