// The three partial derivatives of a convolution, each of which is one of the others.
#pragma once

#include "compiler/ops/gradient.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops {

// A convolution of data `window.in` with weights [group * out_c, in_c, kernel] to `window.out`.
// What is not given by `auto_pad` is given by the pads of the window.
struct ConvGeometry {
  Window window;
  std::int64_t group = 1;
  std::string auto_pad = "NOTSET";

  // As Conv has them.
  Attributes attributes() const;
};

ConvGeometry geometry_of(const NodeView& n, const Window& window);

// The derivative by the data x: each element of dy times the weights, added to the data that the
// taps read. The result has the extents of x.
Term conv_by_data(const ConvGeometry& g, Term dy, Term weights, Value* x);
// The derivative by the weights, [group * out_c, in_c, kernel].
Term conv_by_weights(const ConvGeometry& g, Term x, Term dy);
// The convolution itself, cut to the extents of y.
Term conv_like(const ConvGeometry& g, Term x, Term weights, Value* y);
// The derivative by a bias: the sum over all but the channels.
Term sum_but_channels(Term dy);

}  // namespace onnxc::ops
