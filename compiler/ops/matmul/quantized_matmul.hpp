// Products of quantised matrices with float results.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// Inputs of such a product; null where left out.
struct QuantizedProduct {
  Value *a = nullptr, *b = nullptr, *a_scale = nullptr, *b_scale = nullptr;
  Value *a_zero = nullptr, *b_zero = nullptr;
  Value* summand = nullptr;  // int32, added to the accumulators
  Value* bias = nullptr;     // float, added last
  float alpha = 1;
};

// (a - a_zero) * (b - b_zero), summed in int32, times the scales, plus the bias.
Value* emit_product(Upgrade& n, const QuantizedProduct& p);

}  // namespace onnxc::ops
