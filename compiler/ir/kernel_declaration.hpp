// What the headers of kernels and element-wise functions declare: the one place that knows, for all
// who ask about a call. Both throw std::logic_error when no header declares the function.
#pragma once

#include <string>

#include "compiler/ir/program.hpp"
#include "compiler/support/embedded_headers.hpp"

namespace onnxc {

const EmbeddedFunction& kernel_declaration(const std::string& kernel);

// fn::function, such as "add".
const EmbeddedFunction& element_function(const std::string& function);

// What estimates take kernels for of which they know nothing else: the folder of the kernel, with
// "depthwise" for such convolutions, and " int8" for integer arithmetic.
std::string kernel_family(const std::string& kernel);

// Whether the step is a call that returns Status.
bool is_fallible(const Step& step);

}  // namespace onnxc
