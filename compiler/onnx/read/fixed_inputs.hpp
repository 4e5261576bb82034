// Inputs of the model that an option makes constants.
#pragma once

#include <string>

#include "compiler/ir/tensor.hpp"
#include "compiler/ir/type.hpp"

namespace onnxc::reader {

// The constant in the place of an input of this type: one number for all elements, or one for each
// with commas between them. The type must be a tensor of numbers or booleans; a single open
// dimension is that of the list. Throws OpError.
Tensor fixed_input(const std::string& text, const Type& type);

}  // namespace onnxc::reader
