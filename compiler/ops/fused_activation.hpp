// Activations that an optimiser fused into the node before them, as the attribute `activation`.
#pragma once

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// Removes activation, activation_alpha, _beta, _gamma and activation_params from the node and
// appends the operator that they name. The fusion pass may fuse it again.
void split_off_activation(Upgrade& n);

}  // namespace onnxc::ops
