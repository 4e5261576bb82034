// fuse_fake_quant: QuantizeLinear and the DequantizeLinear after it become one element-wise node on
// floats, which fuses with the kernel before it. Needs: types. Gives: onnxc::FakeQuantize. Never
// touches: quantised values with other readers; scales or zero points that are not constant or
// differ along an axis.
#include "compiler/ir/editor.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/passes/quantization/quant_params.hpp"

namespace onnxc::passes {
namespace {

// Limit on the number of nodes to look through.
constexpr int kFarthestQuantize = 8;

// The producer of `v` if it only moves elements of one tensor.
const Node* movement(const Value* v) {
  const Node* n = v->producer;
  const bool moves = n && ops::moves_elements(*n) && !ops::signature(*n->op).inputs[0].variadic;
  return moves ? n : nullptr;
}

class FakeQuantFusion {
 public:
  FakeQuantFusion(Graph& graph, bool strict) : graph_(graph), strict_(strict) {}

  void run() {
    for (const auto& node : graph_.nodes) {
      if (is_a(node.get(), "QuantizeLinear")) find_readers(*node);
      if (is_a(node.get(), "DequantizeLinear")) rewrite(*node);
    }
  }

 private:
  void find_readers(const Node& quantize) {
    const Value* q = quantize.outputs[0];
    if (quantize.inputs[0]->type.elem != ElemType::float32) return;
    if (ops::NodeView(quantize).attr_int("precision") != 0) return;
    const auto params = quant_params_of(quantize, q->type.elem);
    if (!params) return;
    for (const Use& use : q->users()) {
      const Node* node = use.node;
      if (!is_a(node, "DequantizeLinear") || use.index != 0 || node->graph != &graph_) return;
      const auto back = quant_params_of(*node, q->type.elem);
      if (!back || !back->same_values(*params)) return;
      if (node->outputs[0]->type.elem != ElemType::float32) return;
    }
    fusible_[q] = *params;
  }

  void rewrite(Node& node) {
    const auto found = fusible_.find(node.inputs[0]);
    if (found == fusible_.end()) return;
    QuantParams params = found->second;
    const Node& quantize = *node.inputs[0]->producer;
    Value* x = quantize.inputs[0];
    if (const auto first = first_of_.find(node.inputs[0]); first != first_of_.end())
      return become_identity(node, first->second);
    first_of_[node.inputs[0]] = node.outputs[0];
    if (has_these_values(x, params)) return become_identity(node, x);
    if (!strict_ && follows_matmul(x)) {
      params.factor = 1.0f / params.scale;
      params.divisor = 1.0f;
    }
    while (producer_for_one(*x) && is_redundant_clamp(*x->producer, params))
      x = x->producer->inputs[0];
    node.sources.insert(node.sources.begin(), quantize.sources.begin(), quantize.sources.end());
    node.op = &ops::get("FakeQuantize", "onnxc");
    node.op_type = "FakeQuantize";
    node.inputs = {x};
    node.attributes.clear();
    node.attributes.emplace("factor", params.factor);
    node.attributes.emplace("divisor", params.divisor);
    node.attributes.emplace("step", params.scale);
    node.attributes.emplace("low", params.low);
    node.attributes.emplace("high", params.high);
    values_[node.outputs[0]] = params;
  }

  bool has_these_values(const Value* x, const QuantParams& params) const {
    for (int i = 0; i < kFarthestQuantize; ++i)
      if (const Node* n = movement(x)) x = n->inputs[0];
    const auto found = values_.find(x);
    return found != values_.end() && found->second.same_values(params);
  }

  static void become_identity(Node& node, Value* x) {
    node.op = &ops::get("Identity");
    node.op_type = "Identity";
    node.inputs = {x};
    node.attributes.clear();
  }

  Graph& graph_;
  bool strict_;
  std::map<const Value*, QuantParams> fusible_, values_;
  std::map<const Value*, Value*> first_of_;
};

}  // namespace

void fuse_fake_quant(Graph& graph, PassContext& context) {
  FakeQuantFusion(graph, context.options.strict_fp).run();
}

}  // namespace onnxc::passes
