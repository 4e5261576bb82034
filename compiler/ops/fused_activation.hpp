// Activations that optimisers have pulled into the node before them, as the attribute `activation`.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// Takes activation, activation_alpha, _beta, _gamma and activation_params off the node, and puts
// the operator they name behind it; the fusion pass puts them together again.
void split_off_activation(Upgrade& n);

}  // namespace onnxc::ops
