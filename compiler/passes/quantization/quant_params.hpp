// How values are quantised: the query that the passes of this folder match with.
#pragma once

#include <optional>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

inline bool is_byte(ElemType elem) { return elem == ElemType::int8 || elem == ElemType::uint8; }

// One scale and zero point for all elements.
struct QuantParams {
  float factor = 1, divisor = 1, scale = 1;
  float low = 0, high = 0;  // the smallest and the largest quantised value, less the zero point
  float zero = 0;

  bool same_values(const QuantParams& o) const {
    return scale == o.scale && low == o.low && high == o.high;
  }
  // The value of x after quantising and dequantising it.
  float operator()(float x) const;
};

// Constant parameters of integers of this type; nullopt unless both are single, normal numbers.
std::optional<QuantParams> quant_params(const Tensor* scale, const Tensor* zero, ElemType integers);

// A value with parameters. Constants have Value::quantized instead.
struct QuantizedValue {
  Value* integers = nullptr;  // null after a FakeQuantize
  QuantParams params;
};

// How the result of a QuantizeLinear, DequantizeLinear or FakeQuantize is quantised; nullopt for
// other values, and for parameters that are not constant or differ along an axis.
std::optional<QuantizedValue> quantized(Value* v);

// The 8-bit integers that a float32 value was dequantised from; nullopt for others, and constants.
std::optional<QuantizedValue> dequantized_bytes(Value* v);

// Whether x may be multiplied by 1 / scale instead of divided by the scale. A sum of many products
// is practically never half-way between two quantised values; sums and averages of few quantised
// values often are.
bool follows_matmul(const Value* v);

// Whether quantisation makes these limits redundant, as it clamps to a range inside them.
bool is_redundant_clamp(const Node& n, const QuantParams& params);

// Attributes of an onnxc::Quantize to this type.
Attributes quantize_attributes(const QuantParams& params, ElemType to);

}  // namespace onnxc::passes
