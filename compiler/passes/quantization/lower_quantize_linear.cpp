// lower_quantize_linear: QuantizeLinear and DequantizeLinear with one constant scale and an 8-bit
// type become element-wise nodes, which fuse into int8 kernels. Needs: types. Gives:
// onnxc::Quantize, onnxc::Dequantize. Never touches: other element types; scales or zero points
// that are not constant or differ along an axis.
#include "compiler/ir/editor.hpp"
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
  QuantizeSteps(Graph& graph, bool strict) : editor_(graph), strict_(strict) {}

  void run() {
    editor_.each([&](Node& node) {
      if (is_a(&node, "QuantizeLinear")) quantize(node);
      if (is_a(&node, "DequantizeLinear")) dequantize(node);
    });
    give_own_dequantize();
  }

 private:
  void quantize(Node& n) {
    Value* x = n.inputs[0];
    const ElemType to = n.outputs[0]->type.elem;
    if (x->type.elem != ElemType::float32 || !is_byte(to)) return;
    if (ops::NodeView(n).attr_int("precision") != 0) return;
    auto params = quant_params_of(n, to);
    if (!params) return;
    while (producer_for_one(*x) && is_redundant_clamp(*x->producer, *params))
      x = x->producer->inputs[0];
    if (Value* scaled = scaled_sums(x, params->scale)) {
      x = scaled;
      params->divisor = 1.0f;
    } else if (!strict_ && follows_matmul(x)) {
      params->factor = 1.0f / params->scale;
      params->divisor = 1.0f;
    }
    become(n, "Quantize", {x}, quantize_attributes(*params, to));
  }

  // For int32 sums times their scales: divides the scales by the output scale, as QLinearConv does.
  // Null for other values.
  Value* scaled_sums(Value* x, float out_scale) {
    Node* mul = x->producer;
    if (!is_a(mul, "Mul") || !producer_for_one(*x) || !mul->inputs[1]->constant) return nullptr;
    const Node* sums = mul->inputs[0]->producer;
    if (!sums || sums->op->domain != "onnxc" || sums->op->epilogue == ops::Epilogue::none)
      return nullptr;
    const Tensor& scale = *mul->inputs[1]->constant;
    std::vector<float> quotients;
    for (float v : scale.as<float>()) quotients.push_back(v / out_scale);
    const Tensor scaled = Tensor::of<float>(ElemType::float32, scale.dims(), quotients);
    mul->inputs.set(1, editor_.constant(scaled, mul->inputs[1]->name));
    return x;
  }

  void dequantize(Node& n) {
    Value* x = n.inputs[0];
    if (!is_byte(x->type.elem) || n.outputs[0]->type.elem != ElemType::float32) return;
    const auto params = quant_params_of(n, x->type.elem);
    if (params) become(n, "Dequantize", {x}, {{"zero", params->zero}, {"step", params->scale}});
  }

  // If several nodes read the same dequantised values, element-wise readers dequantise the int8
  // values themselves and read a fourth of the bytes.
  void give_own_dequantize() {
    const ops::Op* const op = &ops::get("Dequantize", "onnxc");
    editor_.each([&](Node& node) {
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Value* v = node.inputs[i];
        const Node* made = v && node.op->scalar ? v->producer : nullptr;
        if (made && made->op == op && v->users().size() > 1) node.inputs.set(i, copy_of(*made));
      }
    });
  }

  Value* copy_of(const Node& made) {
    editor_.stand_for(made);
    return editor_.emit(*made.op, made.inputs, made.outputs[0]->type, made.attributes);
  }

  GraphEditor editor_;
  bool strict_;
};

}  // namespace

void lower_quantize_linear(Graph& graph, PassContext& context) {
  QuantizeSteps(graph, context.options.strict_fp).run();
}

}  // namespace onnxc::passes
