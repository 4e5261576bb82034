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

std::string kernel_family(const std::string& kernel) {
  const EmbeddedFunction& function = kernel_declaration(kernel);
  const auto header = std::ranges::find(kEmbeddedHeaders, function.header, &EmbeddedHeader::stem);
  const bool depthwise = kernel.starts_with("depthwise");
  std::string family = depthwise ? "depthwise" : std::string(header->folder);
  if (kernel.find("int8") != std::string::npos) family += " int8";
  return family;
}

bool is_fallible(const Step& step) {
  return step.kind == Step::Kind::call && kernel_declaration(step.kernel).fallible;
}

}  // namespace onnxc
