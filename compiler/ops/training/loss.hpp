// Shared by the losses over class indices.
#pragma once

#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops {

// Checks inputs 0 (scores), 1 (target), 2 (weights); types output 0.
void infer_loss(Infer& n);
// The loss of the log-probabilities in `scores`.
void lower_loss(Lower& n, BufferId scores);

// The same as nodes.
Term loss_of(const Gradient& n, Term log_prob);

}  // namespace onnxc::ops
