// Scales and zero points of QuantizeLinear and DequantizeLinear with one constant scale.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

inline bool is_byte(ElemType elem) { return elem == ElemType::int8 || elem == ElemType::uint8; }

struct QuantParams {
  float factor = 1, divisor = 1, scale = 1;
  float low = 0, high = 0;  // the least and the largest quantised value, less the zero point
  float zero = 0;

  bool same_values(const QuantParams& o) const {
    return scale == o.scale && low == o.low && high == o.high;
  }
  // The value of x after quantising and dequantising it.
  float operator()(float x) const;
};

// Parameters of a QuantizeLinear or DequantizeLinear with a single constant scale and zero point
// and this quantised type; nullopt for any other node.
std::optional<QuantParams> quant_params_of(const Node& node, ElemType quantised);

// Whether x may be multiplied by 1 / scale instead of divided by the scale. A sum of many products
// is practically never half-way between two quantised values; sums and averages of few quantised
// values often are.
bool follows_matmul(const Value* v);

// Whether quantisation makes these limits redundant, as it clamps to a range inside them.
bool is_redundant_clamp(const Node& n, const QuantParams& params);

// Attributes of an onnxc::Quantize to this type.
Attributes quantize_attributes(const QuantParams& params, ElemType to);

}  // namespace onnxc::passes
