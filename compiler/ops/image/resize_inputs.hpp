// Which of the inputs roi, scales and sizes a Resize has, and what they must be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/ops/infer.hpp"

namespace onnxc::ops::resize {

// Old versions leave an input out by an empty tensor. Scales or sizes of open length are left out
// where the others have elements: only one of the two may.
bool given(const NodeView& n, std::size_t i);

// Where the model has the scales, for messages.
std::string scales_field(const NodeView& n);

void require_count(const NodeView& n, std::size_t i, const char* name, std::size_t count);

// Scales or sizes, and the other ones absent or empty, if need be at run time.
void require_one_list(Infer& n);

// None where they are not known.
std::vector<float> constant_scales(const NodeView& n);

}  // namespace onnxc::ops::resize
