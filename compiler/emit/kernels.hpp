// The text of the kernels that a program uses, and of the runtime header.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc {

struct KernelText {
  std::vector<std::string> system_includes;  // "<cmath>", sorted
  std::string body;                          // headers in dependency order, ready for embedding
};

// The closure of `headers` (stems: "conv2d_nhwc", "fn/relu") over their includes, without the runtime.
// Throws std::logic_error for an unknown header.
KernelText collect_kernels(const std::set<std::string>& headers);

// The headers that the steps of a program call for.
std::set<std::string> kernel_headers(const Program& program);

// Names that C++ text may declare at namespace level: whatever stands right before `(` or `<`, or
// after a keyword that introduces a name. Generated identifiers keep clear of them.
std::set<std::string> declared_names(std::string_view text);

// onnxc_runtime.hpp: everything below runtime_min/, the same text for every model.
std::string runtime_header();

}  // namespace onnxc
