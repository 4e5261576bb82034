// Products of quantised matrices whose results are real numbers.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// Null where there is none.
struct QuantizedProduct {
  Value *a = nullptr, *b = nullptr, *a_scale = nullptr, *b_scale = nullptr;
  Value *a_zero = nullptr, *b_zero = nullptr;
  Value* summand = nullptr;  // int32, added to the sums of products
  Value* bias = nullptr;     // real, added last
  float alpha = 1;
};

// (a - a_zero) * (b - b_zero), summed in 32 bits, then times the scales, plus the bias.
Value* emit_product(Upgrade& n, const QuantizedProduct& p);

}  // namespace onnxc::ops
