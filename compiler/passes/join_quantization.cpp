// join_quantization: QuantizeLinear and the DequantizeLinear behind it become one element-wise node
// on floats, which joins the kernel before it like any other.
// Needs: types. Gives: onnxc::QuantizeDequantize. Never touches: quantised numbers that anything
// else reads; scales or zero points that are no constants or differ along an axis.
#include <cmath>
#include <limits>

#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"
#include "templates/fn/quantize_dequantize.hpp"

namespace onnxc::passes {
namespace {

// How far a look back goes.
constexpr int kFarthest = 8;

struct Steps {
  float factor = 1, divisor = 1, step = 1, low = 0, high = 0;

  bool same_values(const Steps& o) const {
    return step == o.step && low == o.low && high == o.high;
  }
  float operator()(float x) const {
    return fn::quantize_dequantize(x, factor, divisor, step, low, high);
  }
};

bool is_a(const Node* n, std::string_view name) {
  return n && n->op->domain == "" && n->op->name == name && n->body.empty();
}

template <class T>
std::optional<std::pair<float, float>> bounds_as(const Tensor* zero) {
  const float z = zero ? static_cast<float>(zero->as<T>()[0]) : 0.0f;
  return std::pair{static_cast<float>(std::numeric_limits<T>::min()) - z,
                   static_cast<float>(std::numeric_limits<T>::max()) - z};
}

// The least and the largest quantised number, less the zero point.
std::optional<std::pair<float, float>> bounds(ElemType elem, const Tensor* zero) {
  if (zero && (zero->size() != 1 || zero->elem() != elem)) return std::nullopt;
  switch (elem) {
    case ElemType::int8:
      return bounds_as<std::int8_t>(zero);
    case ElemType::uint8:
      return bounds_as<std::uint8_t>(zero);
    case ElemType::int16:
      return bounds_as<std::int16_t>(zero);
    case ElemType::uint16:
      return bounds_as<std::uint16_t>(zero);
    default:
      return std::nullopt;
  }
}

// The single constant scale and zero point of either node.
std::optional<Steps> steps_of(const Node& node, ElemType quantised) {
  const ops::NodeView n(node);
  const Tensor* scale = n.constant(1);
  const Tensor* zero = n.constant(2);
  if (!scale || scale->size() != 1 || scale->elem() != ElemType::float32) return std::nullopt;
  if (n.attr_int("block_size") != 0 || (n.has_input(2) && !zero)) return std::nullopt;
  const auto range = bounds(quantised, zero);
  const float step = scale->as<float>()[0];
  if (!range || !(step > 0.0f) || !std::isnormal(step) || !std::isnormal(1.0f / step))
    return std::nullopt;
  return Steps{1.0f, step, step, range->first, range->second};
}

// A sum of many products is as good as never half-way between two steps, so it may be multiplied by
// 1 / step. What adds, or averages, quantised numbers often is.
bool behind_products(const Value* v) {
  const Node* n = v->producer;
  for (int far = 0; far < kFarthest && n && n->op->scalar && n->inputs[0]; ++far) {
    for (std::size_t i = 1; i < n->inputs.size(); ++i)
      if (n->inputs[i] && !n->inputs[i]->constant) return false;
    n = n->inputs[0]->producer;
  }
  return is_a(n, "Conv") || is_a(n, "ConvTranspose") || is_a(n, "Gemm") || is_a(n, "MatMul");
}

// Whether limits that come before the quantisation leave nothing that its own would not.
bool limits_again(const Node& n, const Steps& steps) {
  const ops::NodeView view(n);
  const float infinity = std::numeric_limits<float>::infinity();
  float low = -infinity, high = infinity;
  const auto bound = [&](std::size_t i, float& to) {
    if (!view.has_input(i)) return true;
    const Tensor* t = view.constant(i);
    if (!t || t->size() != 1 || t->elem() != ElemType::float32) return false;
    to = t->as<float>()[0];
    return true;
  };
  if (is_a(&n, "Relu"))
    low = 0.0f;
  else if (!is_a(&n, "Clip") || !bound(1, low) || !bound(2, high))
    return false;
  return low <= high && steps(low) == steps(-infinity) && steps(high) == steps(infinity);
}

bool moves_only(const Node* n) {
  for (const char* name :
       {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "MaxPool", "Identity"})
    if (is_a(n, name)) return true;
  return false;
}

class Join {
 public:
  Join(Graph& graph, bool strict) : graph_(graph), strict_(strict), uses_(count_uses(graph)) {}

  void run() {
    for (const auto& node : graph_.nodes)
      if (is_a(node.get(), "DequantizeLinear")) readers_[node->inputs[0]].push_back(node.get());
    for (const auto& node : graph_.nodes) {
      if (is_a(node.get(), "QuantizeLinear")) find_readers(*node);
      if (is_a(node.get(), "DequantizeLinear")) rewrite(*node);
    }
  }

 private:
  void find_readers(const Node& quantize) {
    const Value* q = quantize.outputs[0];
    const auto& readers = readers_[q];
    if (quantize.inputs[0]->type.elem != ElemType::float32) return;
    if (ops::NodeView(quantize).attr_int("precision") != 0) return;
    const auto steps = steps_of(quantize, q->type.elem);
    if (!steps || readers.size() != static_cast<std::size_t>(uses_[q])) return;
    for (const Node* node : readers) {
      const auto back = steps_of(*node, q->type.elem);
      if (!back || !back->same_values(*steps)) return;
      if (node->outputs[0]->type.elem != ElemType::float32) return;
    }
    joined_[q] = *steps;
  }

  void rewrite(Node& node) {
    const auto found = joined_.find(node.inputs[0]);
    if (found == joined_.end()) return;
    Steps steps = found->second;
    const Node& quantize = *node.inputs[0]->producer;
    Value* x = quantize.inputs[0];
    if (const auto first = first_of_.find(node.inputs[0]); first != first_of_.end())
      return become_identity(node, first->second);
    first_of_[node.inputs[0]] = node.outputs[0];
    if (has_these_values(x, steps)) return become_identity(node, x);
    if (!strict_ && behind_products(x)) {
      steps.factor = 1.0f / steps.step;
      steps.divisor = 1.0f;
    }
    while (x->producer && uses_[x] == 1 && limits_again(*x->producer, steps))
      x = x->producer->inputs[0];
    node.sources.insert(node.sources.begin(), quantize.sources.begin(), quantize.sources.end());
    node.op = &ops::get("QuantizeDequantize", "onnxc");
    node.op_type = "QuantizeDequantize";
    node.inputs = {x};
    node.attributes.clear();
    node.attributes.emplace("factor", steps.factor);
    node.attributes.emplace("divisor", steps.divisor);
    node.attributes.emplace("step", steps.step);
    node.attributes.emplace("low", steps.low);
    node.attributes.emplace("high", steps.high);
    values_[node.outputs[0]] = steps;
  }

  bool has_these_values(const Value* x, const Steps& steps) const {
    for (int far = 0; far < kFarthest && moves_only(x->producer); ++far) x = x->producer->inputs[0];
    const auto found = values_.find(x);
    return found != values_.end() && found->second.same_values(steps);
  }

  static void become_identity(Node& node, Value* x) {
    node.op = &ops::get("Identity");
    node.op_type = "Identity";
    node.inputs = {x};
    node.attributes.clear();
  }

  Graph& graph_;
  bool strict_;
  std::map<const Value*, int> uses_;
  std::map<const Value*, std::vector<const Node*>> readers_;
  std::map<const Value*, Steps> joined_, values_;
  std::map<const Value*, Value*> first_of_;
};

}  // namespace

void join_quantization(Graph& graph, PassContext& context) {
  Join(graph, context.options.strict_fp).run();
  remove_identity(graph, context);
  remove_dead(graph, context);
}

}  // namespace onnxc::passes
