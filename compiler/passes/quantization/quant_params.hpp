// Scales and zero points as passes look at them: QuantizeLinear and DequantizeLinear by one
// constant scale.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/ir/graph.hpp"

namespace onnxc::passes {

inline bool is_byte(ElemType elem) { return elem == ElemType::int8 || elem == ElemType::uint8; }

struct QuantParams {
  float factor = 1, divisor = 1, step = 1;
  float low = 0, high = 0;  // the least and the largest quantised number, less the zero point
  float zero = 0;

  bool same_values(const QuantParams& o) const {
    return step == o.step && low == o.low && high == o.high;
  }
  // The value of x after quantising it and back.
  float operator()(float x) const;
};

// Whether n is that operator of ai.onnx, with nothing fused to it.
bool is_a(const Node* n, std::string_view name);

// Of a QuantizeLinear or DequantizeLinear with a single constant scale and zero point, whose
// quantised numbers are of this type; nullopt for any other.
std::optional<QuantParams> quant_params_of(const Node& node, ElemType quantised);

// A sum of many products is as good as never half-way between two steps, so it may be multiplied by
// 1 / step. What adds, or averages, quantised numbers often is.
bool follows_matmul(const Value* v);

// Whether limits that come before the quantisation leave nothing that its own would not.
bool is_redundant_clamp(const Node& n, const QuantParams& steps);

// Attributes of an onnxc::Quantize to this type.
Attributes quantize_attributes(const QuantParams& steps, ElemType to);

}  // namespace onnxc::passes
