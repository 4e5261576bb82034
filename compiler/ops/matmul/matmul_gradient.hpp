// The gradient of matrix products with NumPy's rules for vectors and batches.
#pragma once

#include "compiler/ops/gradient.hpp"

namespace onnxc::ops {

// Y = A B: dA = dY B^T and dB = A^T dY.
void gradient_of_matmul(Gradient& n);

}  // namespace onnxc::ops
