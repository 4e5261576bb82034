// Declarations of kernels in the tables of the embedded headers.
#include "compiler/ir/kernel_declaration.hpp"

#include <algorithm>
#include <stdexcept>

namespace onnxc {

const EmbeddedFunction& kernel_declaration(const std::string& kernel) {
  const auto found =
      std::ranges::lower_bound(kEmbeddedFunctions, kernel, {}, &EmbeddedFunction::name);
  if (found == kEmbeddedFunctions.end() || found->name != kernel)
    throw std::logic_error("no kernel " + kernel);
  return *found;
}

const EmbeddedFunction& element_function(const std::string& function) {
  return kernel_declaration("fn::" + function);
}

bool is_fallible(const Step& step) {
  return step.kind == Step::Kind::call && kernel_declaration(step.kernel).fallible;
}

}  // namespace onnxc
