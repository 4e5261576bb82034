// The product of rows of features and coefficients, for linear models and linear SVMs.
#pragma once

#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops {

struct LinearModel {
  std::int64_t targets = 0, features = 0;
  std::vector<float> coefficients;  // [targets, features]
  std::vector<float> intercepts;    // of each target; empty for none
};

// From the attributes coefficients and intercepts; checks their lengths.
LinearModel linear_model(const NodeView& n, std::int64_t targets);

// y: [rows, targets] floats, from input 0.
void lower_linear(Lower& n, const LinearModel& m, BufferId y);

}  // namespace onnxc::ops
