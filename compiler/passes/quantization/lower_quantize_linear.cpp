// lower_quantize_linear: QuantizeLinear and DequantizeLinear of 8-bit numbers by one constant scale become
// element-wise nodes, which kernels that read or write bytes take in. Needs: types. Gives:
// onnxc::Quantize, onnxc::Dequantize. Never touches: other element types; scales or zero points
// that are no constants or differ along an axis.
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/passes/quantization/quant_params.hpp"

namespace onnxc::passes {
namespace {


void become(Node& n, const char* op, std::vector<Value*> inputs, Attributes attributes) {
  n.op_type = std::string(n.op->name);
  n.op = &ops::get(op, "onnxc");
  n.inputs = std::move(inputs);
  n.attributes = std::move(attributes);
}

class QuantizeSteps {
 public:
  QuantizeSteps(Graph& graph, bool strict) : graph_(graph), strict_(strict) {}

  void run() {
    uses_ = count_uses(graph_);
    for (const auto& node : graph_.nodes) {
      if (is_a(node.get(), "QuantizeLinear")) quantize(*node);
      if (is_a(node.get(), "DequantizeLinear")) dequantize(*node);
    }
    uses_ = count_uses(graph_);
    give_own_dequantize();
  }

 private:
  void quantize(Node& n) {
    Value* x = n.inputs[0];
    const ElemType to = n.outputs[0]->type.elem;
    if (x->type.elem != ElemType::float32 || !is_byte(to)) return;
    if (ops::NodeView(n).attr_int("precision") != 0) return;
    auto steps = quant_params_of(n, to);
    if (!steps) return;
    while (x->producer && uses_[x] == 1 && is_redundant_clamp(*x->producer, *steps))
      x = x->producer->inputs[0];
    if (Value* scaled = scaled_sums(x, steps->step)) {
      x = scaled;
      steps->divisor = 1.0f;
    } else if (!strict_ && follows_matmul(x)) {
      steps->factor = 1.0f / steps->step;
      steps->divisor = 1.0f;
    }
    become(n, "Quantize", {x}, quantize_attributes(*steps, to));
  }

  // Sums of products of bytes times their scales: counts the scales in steps, as QLinearConv does.
  // Null for other values.
  Value* scaled_sums(Value* x, float step) {
    Node* mul = x->producer;
    if (!is_a(mul, "Mul") || uses_[x] != 1 || !mul->inputs[1]->constant) return nullptr;
    const Node* sums = mul->inputs[0]->producer;
    if (!sums || sums->op->domain != "onnxc" || sums->op->epilogue == ops::Epilogue::none)
      return nullptr;
    const Tensor& scale = *mul->inputs[1]->constant;
    std::vector<float> in_steps;
    for (float v : scale.as<float>()) in_steps.push_back(v / step);
    mul->inputs[1] =
        graph_.add_constant(graph_.fresh_name(mul->inputs[1]->name),
                            Tensor::of<float>(ElemType::float32, scale.dims(), in_steps));
    return x;
  }

  void dequantize(Node& n) {
    Value* x = n.inputs[0];
    if (!is_byte(x->type.elem) || n.outputs[0]->type.elem != ElemType::float32) return;
    const auto steps = quant_params_of(n, x->type.elem);
    if (steps) become(n, "Dequantize", {x}, {{"zero", steps->zero}, {"step", steps->step}});
  }

  // Where several nodes read the same real numbers, element-wise ones make their own from the
  // bytes, a fourth to read.
  void give_own_dequantize() {
    const ops::Op* const op = &ops::get("Dequantize", "onnxc");
    std::vector<std::unique_ptr<Node>> old = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (auto& node : old) {
      for (Value*& v : node->inputs) {
        const Node* made = v && node->op->scalar ? v->producer : nullptr;
        if (made && made->op == op && uses_[v] > 1) v = copy_of(*made);
      }
      graph_.nodes.push_back(std::move(node));
    }
  }

  Value* copy_of(const Node& made) {
    const Value& y = *made.outputs[0];
    Value* own = graph_.add_value(graph_.fresh_name(y.name), y.type);
    Node* n = graph_.add_node(made.op, made.inputs, {own});
    n->name = made.name;
    n->op_type = made.op_type;
    n->index = made.index;
    n->attributes = made.attributes;
    return own;
  }

  Graph& graph_;
  bool strict_;
  std::map<const Value*, int> uses_;
};

}  // namespace

void lower_quantize_linear(Graph& graph, PassContext& context) {
  QuantizeSteps(graph, context.options.strict_fp).run();
  remove_dead(graph, context);
}

}  // namespace onnxc::passes
