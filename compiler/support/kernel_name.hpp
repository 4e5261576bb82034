// Names of kernels and of element-wise functions, checked when the compiler is compiled.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace onnxc {
namespace kernel_names {

using namespace std::string_view_literals;

// What the headers of templates/ declare, in the order of the names; see compiler/embed/.
#define ONNXC_KERNEL(name) #name##sv,
#define ONNXC_FUNCTION(name)
constexpr std::string_view kKernels[] = {
#include "kernels.inc"
};
#undef ONNXC_KERNEL
#undef ONNXC_FUNCTION
#define ONNXC_KERNEL(name)
#define ONNXC_FUNCTION(name) #name##sv,
constexpr std::string_view kFunctions[] = {
#include "kernels.inc"
};
#undef ONNXC_KERNEL
#undef ONNXC_FUNCTION

// Its call is what a compiler complains about.
void no_header_below_templates_declares_this_kernel();

}  // namespace kernel_names

// fn::name
consteval bool is_element_function(std::string_view name) {
  return std::ranges::binary_search(kernel_names::kFunctions, name);
}

// The name of a kernel. One that no header declares does not compile.
class KernelName {
 public:
  consteval KernelName(const char* name) : name_(name) {
    if (!std::ranges::binary_search(kernel_names::kKernels, name_))
      kernel_names::no_header_below_templates_declares_this_kernel();
  }

  operator std::string() const { return std::string(name_); }

 private:
  std::string_view name_;
};

}  // namespace onnxc
