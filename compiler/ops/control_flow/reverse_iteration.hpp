// The gradient of Loop and Scan: a Scan over the iterations in reverse order.
#pragma once

#include "compiler/ops/gradient.hpp"

namespace onnxc::ops {

// Where an operator that repeats a body has its state, and how it walks along the scanned axes.
struct Iteration {
  std::size_t states = 0;
  std::size_t first_input = 0;                  // of the state, among the node's inputs
  std::size_t body_input = 0, body_output = 0;  // of the state, in the body
  std::vector<std::int64_t> input_axes = {}, input_directions = {};
  std::vector<std::int64_t> output_axes = {}, output_directions = {};
};

// The forward node gets the states before each iteration as further scan outputs. The body of the
// new Scan computes one iteration again and takes the gradient of the state through it. A value
// that the body reads from outside gets the sum over the iterations.
void gradient_of_iteration(Gradient& n, const Iteration& iteration);

}  // namespace onnxc::ops
