// Declarations of kernels in the tables of the embedded headers.
#include "compiler/ir/kernel_declaration.hpp"

#include <stdexcept>

namespace onnxc {

const EmbeddedFunction& kernel_declaration(const std::string& kernel) {
  if (const EmbeddedFunction* found = embedded_function(kernel)) return *found;
  throw std::logic_error("no kernel " + kernel);
}

const EmbeddedFunction& element_function(const std::string& function) {
  return kernel_declaration("fn::" + function);
}

bool is_fallible(const Step& step) {
  return step.kind == Step::Kind::call && kernel_declaration(step.kernel).fallible;
}

}  // namespace onnxc
