// Interpolation at run-time positions as nodes, for the gradients of operators that sample images.
#pragma once

#include "compiler/ops/gradient.hpp"

namespace onnxc::ops {

// As the attributes of GridSample choose.
struct Sampling {
  std::string mode = "linear";  // nearest, linear, cubic
  std::string padding_mode = "zeros";
  bool align_corners = false;
};

// image: [batch, channels, in...]. at: for each spatial axis the positions along it, [batch,
// count], in pixels. Result: [batch, count, channels].
Term sampled(const Sampling& how, Term image, std::vector<Term> at);

}  // namespace onnxc::ops
