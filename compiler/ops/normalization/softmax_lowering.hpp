// Shared by Softmax, LogSoftmax and Hardmax.
#pragma once

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops {

// Before version 13 the input is flattened to a matrix at `axis` (default 1).
void upgrade_softmax(Upgrade& n);
void infer_softmax(Infer& n);
void lower_softmax(Lower& n, bool logarithm);

}  // namespace onnxc::ops
