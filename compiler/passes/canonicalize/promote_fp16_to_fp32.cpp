// promote_fp16_to_fp32: operators on float16 and bfloat16 compute in float32, between a Cast of what the
// model brings and a Cast of what it hands out; weights are cast here. Results in between are not
// rounded to 16 bits, which is why nothing happens with --fp strict; nor with --optimize size, as
// weights would take twice the memory.
// Needs: types. Gives: float32 where the fast kernels are, Casts at the borders. Never touches:
// operators that tell or change an element type, those with bodies, and those that only move
// numbers which are not float32 already. Leaves the nodes that made constants to lower_qdq_to_int8.
#include <algorithm>
#include <memory>
#include <set>

#include "compiler/ir/op.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

bool is_half(const Value* v) {
  return v && v->type.kind == Type::Kind::tensor &&
         (v->type.elem == ElemType::float16 || v->type.elem == ElemType::bfloat16);
}

class WidenHalves {
 public:
  explicit WidenHalves(Graph& graph) : graph_(graph) {}

  void run() {
    auto nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (auto& node : nodes) {
      const bool widened = widens(*node);
      if (widened)
        for (Value*& v : node->inputs) v = is_half(v) ? wide(v, *node) : v;
      else
        skip_rounding(*node);
      graph_.nodes.push_back(std::move(node));
      if (widened) narrow_results(graph_.nodes.size() - 1);
    }
    drop_unread();
  }

 private:
  bool widens(const Node& node) const {
    if (node.op == bit_cast_ || node.op == cast_) return false;
    bool bodies = false;
    each_subgraph(node, [&](Graph&) { bodies = true; });
    return !bodies && formals_allow(node) && (computes(node) || reads_wide(node));
  }

  // Whether some operands are halves, all of which may be float32 instead, and no result is a half
  // for another reason.
  static bool formals_allow(const Node& node) {
    const ops::Signature& signature = ops::signature(*node.op);
    std::vector<std::string_view> variables;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!is_half(node.inputs[i])) continue;
      const ops::Formal* formal = signature.input(i);
      if (!is_plain(formal)) return false;
      variables.push_back(formal->var);
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!is_half(node.outputs[i])) continue;
      const ops::Formal* formal = signature.output(i);
      if (!is_plain(formal) || !contains_name(variables, formal->var)) return false;
    }
    return !variables.empty();
  }

  static bool is_plain(const ops::Formal* f) {
    return f && f->container == Type::Kind::tensor && !f->heterogeneous &&
           contains(f->mask, ElemType::float32);
  }

  static bool contains_name(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // Not so for operators that move elements of any type.
  static bool computes(const Node& node) {
    const ops::Signature& signature = ops::signature(*node.op);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (is_half(node.inputs[i]) && contains(signature.input(i)->mask, ElemType::boolean))
        return false;
    return true;
  }

  bool reads_wide(const Node& node) const {
    for (const Value* v : node.inputs)
      if (v && wide_.count(v) && !v->constant) return true;
    return false;
  }

  // A Cast to float32 takes what was not rounded yet.
  void skip_rounding(Node& node) {
    if (node.op != cast_ || node.outputs[0]->type.elem != ElemType::float32) return;
    const auto it = wide_.find(node.inputs[0]);
    if (it != wide_.end()) node.inputs[0] = it->second;
  }

  // The value in float32, for a reader.
  Value* wide(Value* v, const Node& reader) {
    if (const auto it = wide_.find(v); it != wide_.end()) return it->second;
    Value* w = like(*v);
    add_cast(reader, v, w);
    if (v->constant && fold_node(*graph_.nodes.back())) {
      w->producer = nullptr;
      made_.erase(graph_.nodes.back().get());
      graph_.nodes.pop_back();
    }
    return wide_[v] = w;
  }

  // The results of node number i become float32, and Casts make the halves of them.
  void narrow_results(std::size_t i) {
    Node& node = *graph_.nodes[i];
    for (Value*& v : node.outputs) {
      if (!is_half(v)) continue;
      Value* half = v;
      v = wide_[half] = like(*half);
      v->producer = &node;
      add_cast(node, v, half);
    }
  }

  // Only Casts of this pass: what made constants is still needed.
  void drop_unread() {
    const std::map<const Value*, int> uses = count_uses(graph_);
    std::erase_if(graph_.nodes, [&](const std::unique_ptr<Node>& node) {
      if (!made_.count(node.get()) || uses.count(node->outputs[0])) return false;
      node->outputs[0]->producer = nullptr;
      return true;
    });
  }

  Value* like(const Value& v) {
    Type type = v.type;
    type.elem = ElemType::float32;
    return graph_.add_value(graph_.fresh_name(v.name), type);
  }

  void add_cast(const Node& from, Value* x, Value* y) {
    Node* cast = graph_.add_node(cast_, {x}, {y});
    cast->name = from.name;
    cast->op_type = "Cast";
    cast->index = from.index;
    cast->version = from.version;
    cast->sources = from.sources;
    cast->attributes["to"] = static_cast<std::int64_t>(y->type.elem);
    made_.insert(cast);
  }

  Graph& graph_;
  const ops::Op* const cast_ = &ops::get("Cast");
  const ops::Op* const bit_cast_ = &ops::get("BitCast");
  std::map<const Value*, Value*> wide_;  // halves -> the same in float32
  std::set<const Node*> made_;
};

}  // namespace

void promote_fp16_to_fp32(Graph& graph, PassContext& context) {
  if (context.options.strict_fp || context.options.optimize_size) return;
  WidenHalves(graph).run();
}

}  // namespace onnxc::passes
