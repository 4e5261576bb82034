// Products of int8 or uint8 data and constant int8 weights, for ConvInt8 and MatMulInt8.
//
// Input 0 is x, int8 or uint8. Input 1 holds the weights minus their zero points, int8, one row for
// each output channel. `rest` is added to them where the difference exceeds int8; else null.
#pragma once

#include <optional>

#include "compiler/kernels/convolution_int8_calls.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"
#include "runtime_min/types.hpp"

namespace onnxc::ops {

struct Int8Weights {
  const Tensor* rows = nullptr;
  const Tensor* rest = nullptr;
  const Tensor* bias = nullptr;  // int32
};

// Weights less their zero points, of which there is one for each of equal parts or one for all (or
// null): int8, and where that is not enough what is added to it. None if two int8 cannot represent
// a difference.
struct SplitWeights {
  Tensor rows;
  std::optional<Tensor> rest;
};
std::optional<SplitWeights> without_zero_points(const Tensor& w, const Tensor* zero);

// Zero point of x.
struct ZeroPoint {
  // As the kernels use it: int8 becomes uint8 by adding 128.
  std::int64_t unsigned_value = 0;
  std::optional<std::size_t> input;  // the input with a run-time zero point, if any
};

// The zero point of input 0: from input `i` if the node has it, else from the attribute.
ZeroPoint zero_point_of(const Lower& n, const std::string& attribute, std::size_t i);

// Panel width of the packed weights for a product with `columns` columns.
int choose_int8_panel(const Target& target, std::int64_t columns);

// The initial accumulators in panels, for each group of `columns`. offset: what the kernel takes
// from every x before it multiplies.
BufferId initial_sum_panels(Lower& n, const Int8Weights& w, const ZeroPoint& zero,
                            std::int64_t columns, int panel, std::int64_t offset);

// The sums of the weights in such panels, for zero points that only a run knows, and what is added
// to minus their product: a constant, or -1.
struct WeightSums {
  BufferId sums, bias = -1;
  Dim count;
};
WeightSums weight_sum_panels(Lower& n, const Int8Weights& w, std::int64_t columns, int panel,
                             std::int64_t offset);

// Packed weights, except of depthwise convolutions, and the residual words: positions of words that
// are read a second time for `rest`, whose number becomes that of s.
struct PackedInt8 {
  Tensor w, residual_places;
};
PackedInt8 pack_int8(const Int8Weights& w, Int8ConvShape<Index>& s, int panel);

ConvExtents<Dim> conv_extents(const Convolution& c);
// The members of the shape that packing reads; they are static even if the image size is dynamic.
Int8ConvShape<Index> packing_shape(const Convolution& c);

// The fused body. Cores without vectors take the sums as they are where all it does is to scale
// them and to round to bytes.
std::optional<Arg> int8_epilogue(Lower& n);

// Where the sums go: what an epilogue makes of them, or int32.
struct Int8Result {
  Arg y;
  std::optional<Arg> epilogue;
};

// Calls the kernel of this convolution: ungrouped, grouped or depthwise.
void lower_int8_convolution(Lower& n, const Convolution& c, const Int8Weights& w,
                            const ZeroPoint& zero, const Int8Result& result);
// The same to output 0, by way of the fused body.
void lower_int8_convolution(Lower& n, const Convolution& c, const Int8Weights& w,
                            const ZeroPoint& zero);

// A matrix product of `rows` pixels as a convolution of one tap.
Convolution pointwise(const Dim& rows, const Dim& depth, const Dim& columns);

}  // namespace onnxc::ops
