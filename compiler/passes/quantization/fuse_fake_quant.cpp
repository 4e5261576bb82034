// fuse_fake_quant: what lower_to_int8 leaves of QuantizeLinear and DequantizeLinear becomes
// element-wise nodes, which fuse with the kernels around them: a pair becomes one node on floats, a
// single one of an 8-bit type a conversion. For targets with little memory values that a kernel
// stores for another one stay 8-bit integers. Requires: types. Produces: onnxc::FakeQuantize,
// onnxc::Quantize, onnxc::Dequantize. Leaves alone: pairs around a value with other readers; scales
// or zero points that are not constant or differ along an axis.
#include <algorithm>

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

bool has_these_values(Value* x, const QuantParams& params) {
  for (int i = 0; i < kFarthestQuantize; ++i)
    if (const Node* n = movement(x)) x = n->inputs[0];
  const auto q = quantized(x);
  return q && x->type.elem == ElemType::float32 && q->params.same_values(params);
}

// What is quantised, without clamps that quantisation makes redundant.
Value* without_clamps(Value* x, const QuantParams& params) {
  while (producer_for_one(*x) && is_redundant_clamp(*x->producer, params))
    x = x->producer->inputs[0];
  return x;
}

void become(Node& n, const ops::Op& op, const std::string& type, const std::vector<Value*>& inputs,
            Attributes attributes) {
  n.op = &op;
  n.op_type = type;
  n.inputs = inputs;
  n.attributes = std::move(attributes);
}

class FakeQuantFusion {
 public:
  FakeQuantFusion(Graph& graph, bool strict, bool small_memory)
      : editor_(graph), strict_(strict), small_memory_(small_memory) {}

  void fuse_pairs() {
    editor_.each([this](Node& node) {
      if (is_a(&node, "QuantizeLinear")) find_pair(node);
      if (is_a(&node, "DequantizeLinear")) fuse_pair(node);
    });
  }

  void convert_rest() {
    editor_.each([this](Node& node) {
      if (is_a(&node, "QuantizeLinear")) quantize(node);
      if (is_a(&node, "DequantizeLinear")) dequantize(node);
    });
    editor_.each([this](Node& node) { give_own_dequantize(node); });
  }

 private:
  // A quantised value that is only dequantised again.
  struct Pair {
    QuantParams params;
    Value* first = nullptr;  // result of the first DequantizeLinear, once it is fused
  };

  void find_pair(const Node& n) {
    const auto q = quantized(n.outputs[0]);
    if (!q) return;
    for (const Use& use : q->integers->users()) {
      if (!is_a(use.node, "DequantizeLinear") || use.index != 0) return;
      const auto back = quantized(use.node->outputs[0]);
      if (use.node->graph != &editor_.graph() || !back || !back->params.same_values(q->params))
        return;
      if (small_memory_ && stored_for_another(*use.node->outputs[0])) return;
    }
    pairs_[q->integers] = {q->params};
  }

  // Whether a kernel stores the value for another one that can read 8-bit integers instead: an
  // element-wise node that joins it with another value.
  static bool stored_for_another(const Value& v) {
    return std::any_of(v.users().begin(), v.users().end(), [&](const Use& use) {
      if (!use.node || !use.node->op) return false;
      const auto& inputs = use.node->inputs;
      return use.node->op->scalar && inputs.size() > 1 &&
             std::none_of(inputs.begin(), inputs.end(),
                          [](const Value* x) { return x && x->constant; });
    });
  }

  void fuse_pair(Node& n) {
    const auto found = pairs_.find(n.inputs[0]);
    if (found == pairs_.end()) return;
    Pair& pair = found->second;
    const Node& quantize = *n.inputs[0]->producer;
    Value* x = pair.first ? pair.first : quantize.inputs[0];
    const bool superfluous = pair.first || has_these_values(x, pair.params);
    if (!pair.first) pair.first = n.outputs[0];
    if (superfluous) return become(n, ops::get("Identity"), "Identity", {x}, {});
    QuantParams params = pair.params;
    multiply_if_allowed(x, params);
    n.sources.insert(n.sources.begin(), quantize.sources.begin(), quantize.sources.end());
    become(n, ops::get("FakeQuantize", "onnxc"), "FakeQuantize", {without_clamps(x, params)},
           {{"factor", params.factor},
            {"divisor", params.divisor},
            {"step", params.scale},
            {"low", params.low},
            {"high", params.high}});
  }

  void multiply_if_allowed(const Value* x, QuantParams& params) const {
    if (strict_ || !follows_matmul(x)) return;
    params.factor = 1.0f / params.scale;
    params.divisor = 1.0f;
  }

  void quantize(Node& n) {
    const ElemType to = n.outputs[0]->type.elem;
    auto q = is_byte(to) ? quantized(n.outputs[0]) : std::nullopt;
    if (!q) return;
    Value* const x = without_clamps(n.inputs[0], q->params);
    if (scale_sums(x, q->params.scale))
      q->params.divisor = 1.0f;
    else
      multiply_if_allowed(x, q->params);
    become(n, ops::get("Quantize", "onnxc"), "QuantizeLinear", {x},
           quantize_attributes(q->params, to));
  }

  // For int32 sums times their scales: divides the scales by the output scale, as QLinearConv does.
  // False for other values.
  bool scale_sums(const Value* x, float out_scale) {
    Node* mul = x->producer;
    if (!is_a(mul, "Mul") || !producer_for_one(*x) || !mul->inputs[1]->constant) return false;
    const Node* sums = mul->inputs[0]->producer;
    if (!sums || sums->op->domain != "onnxc" || sums->op->epilogue == ops::Epilogue::none)
      return false;
    const Tensor& scale = *mul->inputs[1]->constant;
    std::vector<float> quotients;
    for (float v : scale.as<float>()) quotients.push_back(v / out_scale);
    const Tensor scaled = Tensor::of<float>(ElemType::float32, scale.dims(), quotients);
    mul->inputs.set(1, editor_.constant(scaled, mul->inputs[1]->name));
    return true;
  }

  void dequantize(Node& n) const {
    const auto q = is_byte(n.inputs[0]->type.elem) ? quantized(n.outputs[0]) : std::nullopt;
    if (!q) return;
    become(n, *dequantize_, "DequantizeLinear", {q->integers},
           {{"zero", q->params.zero}, {"step", q->params.scale}});
  }

  // If several nodes read the same dequantised values, element-wise readers dequantise the int8
  // values themselves and read a fourth of the bytes.
  void give_own_dequantize(Node& node) {
    if (!node.op->scalar) return;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Value* v = node.inputs[i];
      const Node* made = v ? v->producer : nullptr;
      if (!made || made->op != dequantize_ || v->users().size() < 2) continue;
      editor_.set_provenance(*made);
      node.inputs.set(i, editor_.emit(*made->op, made->inputs, v->type, made->attributes));
    }
  }

  GraphEditor editor_;
  bool strict_, small_memory_;
  const ops::Op* const dequantize_ = &ops::get("Dequantize", "onnxc");
  std::map<const Value*, Pair> pairs_;  // by the quantised value
};

}  // namespace

void fuse_fake_quant(Graph& graph, PassContext& context) {
  FakeQuantFusion fusion(graph, context.options.strict_fp, context.target.small_memory);
  fusion.fuse_pairs();
  clean_up(graph);
  fusion.convert_rest();
}

}  // namespace onnxc::passes
