// Products of 8-bit numbers by constant weights: what convolutions and matrices of the compiler's
// own operators share.
//
// Input 0 is x, int8 or uint8; input 1 the weights less their zero points, int8, one row an output;
// `rest` what is to be added to them where that takes more than 8 bits, or null.
#pragma once

#include <optional>

#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops {

struct ByteWeightInputs {
  const Tensor* rows = nullptr;
  const Tensor* rest = nullptr;
  const Tensor* bias = nullptr;  // int32
};

// Zero point of x.
struct ZeroPoint {
  // As the kernels see it: signed numbers become unsigned by adding 128.
  std::int64_t unsigned_value = 0;
  std::optional<std::size_t> input;  // which brings it with the run, instead
};

// The zero point of input 0: that of the attribute, or the one that input `i` brings if it is
// there.
ZeroPoint byte_zero(const Lower& n, const std::string& attribute, std::size_t i);

// The kernel for this convolution, ungrouped, grouped or depthwise.
void lower_byte_convolution(Lower& n, const Convolution& c, const ByteWeightInputs& w,
                            const ZeroPoint& zero);

// A matrix product of `rows` pixels as a convolution of one tap.
Convolution pointwise(const Dim& rows, const Dim& depth, const Dim& columns);

}  // namespace onnxc::ops
