// Kernel functions and support vectors, for SVMClassifier and SVMRegressor.
#pragma once

#include "compiler/ops/ml/linear_model.hpp"
#include "templates/ml/ml_calls.hpp"

namespace onnxc::ops {

struct SupportVectors {
  std::int64_t count = 0, features = 0;
  std::vector<float> vectors;  // [count, features]
  std::int64_t kernel = 0;     // kLinearKernel ...
  float gamma = 0, coef0 = 0, degree = 0;
};

// From the attributes support_vectors, kernel_type and kernel_params; `count` is the number of
// vectors.
SupportVectors support_vectors(const NodeView& n, std::int64_t count);

// The members of a kernel's shape that say how scores of rows and vectors are computed.
KernelFunctionShape<Dim> kernel_function(const Lower& n, const SupportVectors& v);
Dim kernel_function_macs(const Lower& n, const SupportVectors& v);

// A linear SVM: coefficients for each score; all scores get rho[0].
LinearModel linear_machine(const NodeView& n, std::int64_t scores);

}  // namespace onnxc::ops
