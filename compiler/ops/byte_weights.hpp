// Products of 8-bit numbers by constant weights: what convolutions and matrices of the compiler's
// own operators share.
//
// Input 0 is x, int8 or uint8; input 1 the weights less their zero points, int8, one row an output;
// `rest` what is to be added to them where that takes more than 8 bits, or null.
#pragma once

#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops {

struct ByteWeightInputs {
  const Tensor* rows = nullptr;
  const Tensor* rest = nullptr;
  const Tensor* bias = nullptr;  // int32
};

// Zero point of x as the kernels see it: signed numbers become unsigned by adding 128.
inline std::int64_t unsigned_zero(ElemType elem, std::int64_t zero) {
  return elem == ElemType::int8 ? zero + 128 : zero;
}

// The sums of the rows of w + rest. They wrap, as the products' sums do.
std::vector<std::int32_t> row_sums(const ByteWeightInputs& w);

// What each sum starts from so that it becomes that of (x - zero) * w: bias - zero * row sum.
std::vector<std::int32_t> sums_start(const ByteWeightInputs& w, std::int64_t zero);

// The kernel for this convolution, ungrouped, grouped or depthwise. `start` is a buffer of
// padded_start's form, or -1: the sums start from the bias, with the zero point taken off.
void lower_byte_convolution(Lower& n, const Convolution& c, const ByteWeightInputs& w,
                            std::int64_t zero, BufferId start = -1);

// A matrix product of `rows` pixels as a convolution of one tap.
Convolution pointwise(const Dim& rows, const Dim& depth, const Dim& columns);

// One number for each column as the panels of a convolution of one group have them.
Tensor padded_start(const Lower& n, const std::vector<std::int32_t>& numbers);

}  // namespace onnxc::ops
