// The text of the kernels that a program uses, and of what these use of the runtime.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc {

struct KernelText {
  std::vector<std::string> system_includes;  // "<cmath>", sorted
  // Declarations in dependency order, word for word.
  std::string runtime, kernels;
};

// onnxc_runtime.hpp: the part of the runtime that every source includes, the same for all models.
std::string runtime_header();

// What `code`, generated for kernels of `headers` (stems: "conv2d_nhwc", "fn/relu"), needs of them,
// of the headers they include and of the runtime: the declarations of the names that it uses, of
// those that these use, and so on, without what runtime_header() has. Throws std::logic_error for
// an unknown header.
KernelText collect_kernels(const std::set<std::string>& headers, std::string_view code);

// The names in all of those headers and in the whole runtime: what the generated code must not
// declare anew.
std::set<std::string> header_names(const std::set<std::string>& headers);

// Names of the parameters of a function of templates/fn/<header>.hpp; empty for a list that varies.
std::vector<std::string> parameter_names(const std::string& header, const std::string& function);

// The headers that the steps of a program call for.
std::set<std::string> kernel_headers(const Program& program);

// Names that C++ text may declare at namespace level: whatever stands right before `(` or `<`, or
// after a keyword that introduces a name. Generated identifiers keep clear of them.
std::set<std::string> declared_names(std::string_view text);

}  // namespace onnxc
