// The loops of convolutions and pools: images cut into rows are read with a halo.
#pragma once

#include <vector>

#include "compiler/ops/axes.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops {

struct ConvolutionOperands {
  ConvInputs inputs = {};
  std::vector<std::size_t> channel_operands = {};  // of one value for all, or one for each channel
  bool sums = false;                               // devices may have partial sums
};

void axes_convolution(Axes& n, const ConvolutionOperands& operands);
void axes_pool(Axes& n);
// A spatial axis may be cut where windows lie side by side.
void axes_transposed_convolution(Axes& n);

}  // namespace onnxc::ops
