// What the headers of kernels and element-wise functions declare: the one place that knows, for all
// who ask about a call.
#pragma once

#include <string>

#include "compiler/ir/program.hpp"

namespace onnxc {

struct KernelDeclaration {
  std::string header;     // stem below templates/
  bool fallible = false;  // it returns Status
};

// Throws std::logic_error when no header declares the kernel.
const KernelDeclaration& kernel_declaration(const std::string& kernel);

// The header that declares fn::function, such as "fn/arithmetic" for add.
const std::string& function_header(const std::string& function);

// Whether the step is a call that returns Status.
bool is_fallible(const Step& step);

}  // namespace onnxc
