// The gradient of operators whose results are copies of single elements of input 0.
#pragma once

#include "compiler/ops/gradient.hpp"

namespace onnxc::ops {

// The operator moves the numbers of the elements as it moves the elements; each derivative is then
// added to the element that the number names. For operators without a simpler way back.
void gradient_of_moved_elements(Gradient& n);

}  // namespace onnxc::ops
