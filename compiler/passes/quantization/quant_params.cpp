// Reads scales and zero points from nodes, and looks for clamps and matrix products nearby.
#include "compiler/passes/quantization/quant_params.hpp"

#include <cmath>
#include <limits>

#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"
#include "templates/fn/quantize.hpp"

namespace onnxc::passes {
namespace {

// Limits on the number of nodes to look through.
constexpr int kFarthestProduct = 8;

template <class T>
std::optional<std::pair<float, float>> bounds_as(const Tensor* zero) {
  const float z = zero ? static_cast<float>(zero->as<T>()[0]) : 0.0f;
  return std::pair{static_cast<float>(std::numeric_limits<T>::min()) - z,
                   static_cast<float>(std::numeric_limits<T>::max()) - z};
}

// The least and the largest quantised value, less the zero point.
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

// A kernel that sums int8 products: one of the compiler's own operators with an epilogue.
bool sums_int8_products(const Node& n) {
  return n.op->domain == "onnxc" && n.op->epilogue != ops::Epilogue::none;
}

}  // namespace

float QuantParams::operator()(float x) const {
  return fn::fake_quantize(x, factor, divisor, scale, low, high);
}

std::optional<QuantParams> quant_params(const Tensor* scale, const Tensor* zero,
                                        ElemType integers) {
  if (!scale || scale->size() != 1 || scale->elem() != ElemType::float32) return std::nullopt;
  const auto range = bounds(integers, zero);
  const float value = scale->as<float>()[0];
  if (!range || !(value > 0.0f) || !std::isnormal(value) || !std::isnormal(1.0f / value))
    return std::nullopt;
  const float first = zero ? static_cast<float>(zero->number(0)) : 0.0f;
  return QuantParams{1.0f, value, value, range->first, range->second, first};
}

std::optional<QuantizedValue> quantized(Value* v) {
  static const ops::Op* const fake = &ops::get("FakeQuantize", "onnxc");
  const Node* node = v && !v->constant ? v->producer : nullptr;
  if (!node) return std::nullopt;
  const ops::NodeView n(*node);
  if (node->op == fake && node->body.empty())
    return QuantizedValue{nullptr,
                          {n.attr_float("factor"), n.attr_float("divisor"), n.attr_float("step"),
                           n.attr_float("low"), n.attr_float("high")}};
  const bool quantizes = is_a(node, "QuantizeLinear");
  if (!quantizes && !is_a(node, "DequantizeLinear")) return std::nullopt;
  Value* const integers = quantizes ? v : node->inputs[0];
  const Value* const floats = quantizes ? node->inputs[0] : v;
  if (floats->type.elem != ElemType::float32 || n.attr_int("block_size") != 0) return std::nullopt;
  if (quantizes && n.attr_int("precision") != 0) return std::nullopt;
  if (n.has_input(2) && !n.constant(2)) return std::nullopt;
  const auto params = quant_params(n.constant(1), n.constant(2), integers->type.elem);
  return params ? std::optional(QuantizedValue{integers, *params}) : std::nullopt;
}

std::optional<QuantizedValue> dequantized_bytes(Value* v) {
  const auto x = v && v->type.elem == ElemType::float32 ? quantized(v) : std::nullopt;
  if (!x || !x->integers || !is_byte(x->integers->type.elem) || x->integers->constant) return {};
  return x;
}

bool follows_matmul(const Value* v) {
  const Node* n = v->producer;
  for (int depth = 0; depth < kFarthestProduct && n && n->op->scalar && n->inputs[0]; ++depth) {
    for (std::size_t i = 1; i < n->inputs.size(); ++i)
      if (n->inputs[i] && !n->inputs[i]->constant) return false;
    n = n->inputs[0]->producer;
  }
  return n && (is_a(n, "Conv") || is_a(n, "ConvTranspose") || is_a(n, "Gemm") ||
               is_a(n, "MatMul") || sums_int8_products(*n));
}

bool is_redundant_clamp(const Node& n, const QuantParams& params) {
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
  return low <= high && params(low) == params(-infinity) && params(high) == params(infinity);
}

Attributes quantize_attributes(const QuantParams& params, ElemType to) {
  return {{"to", static_cast<std::int64_t>(to)},
          {"factor", params.factor},
          {"divisor", params.divisor},
          {"zero", params.zero},
          {"low", params.low},
          {"high", params.high}};
}

}  // namespace onnxc::passes
