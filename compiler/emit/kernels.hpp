// The text of the kernels that a program uses, and of the runtime that these use.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/program.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

struct KernelText {
  std::vector<std::string> system_includes;  // "<cmath>", sorted
  std::string outside;                       // code before the namespace
  // Declarations in dependency order, word for word.
  std::string runtime, kernels;
};

// onnxc_runtime.hpp: the part of the runtime that every source includes, the same for all models.
// Where compilers have no C++ library it begins with what all code needs of that.
std::string runtime_header(const Target& target);

// The declarations that `code`, generated for kernels of `headers` (stems: "conv2d_nhwc",
// "fn/relu"), needs from them, from the headers they include and from the runtime: those of the
// names that it uses, of the names that these use, and so on, without the contents of
// runtime_header(). Throws std::logic_error for an unknown header.
KernelText collect_kernels(const std::set<std::string>& headers, std::string_view code);

// The names in all of those headers and in the whole runtime: the generated code must not declare
// them again.
std::set<std::string> header_names(const std::set<std::string>& headers);

// The headers that declare the kernels of a program.
std::set<std::string> kernel_headers(const Program& program);

}  // namespace onnxc
