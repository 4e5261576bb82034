// Finds the declarations of kernels in the text of their headers.
#include "compiler/ir/kernel_declaration.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>

#include "compiler/support/embedded_files.hpp"

namespace onnxc {
namespace {

// "Status gather(S s, const T* x," at the start of a line declares gather.
void add_kernel(std::string_view line, const std::string& stem,
                std::map<std::string, KernelDeclaration>& kernels) {
  if (line.empty() || std::string_view("/#} ").find(line[0]) != std::string_view::npos) return;
  const std::string_view before = line.substr(0, std::min(line.find('('), line.size()));
  const std::size_t space = before.rfind(' ');
  if (space == std::string_view::npos || before.size() == line.size()) return;
  const std::string name(before.substr(space + 1));
  const KernelDeclaration found{stem, before.substr(0, space).ends_with("Status")};
  const bool first = kernels.emplace(name, found).second;
  if (!first && name == stem && kernels[name].header != stem) kernels[name] = found;
}

// By name; the header of a kernel's own name comes before others.
std::map<std::string, KernelDeclaration> declared_kernels() {
  std::map<std::string, KernelDeclaration> kernels;
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i) {
    const std::string_view path = kEmbeddedFiles[i].path;
    if (!path.starts_with("templates/") || path.starts_with("templates/fn/")) continue;
    const std::size_t slash = path.rfind('/') + 1;
    const std::string stem(path.substr(slash, path.size() - slash - 4));
    for (std::string_view text = kEmbeddedFiles[i].text; !text.empty();) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1);
      add_kernel(text.substr(0, end), stem, kernels);
      text.remove_prefix(end + 1);
    }
  }
  return kernels;
}

}  // namespace

const KernelDeclaration& kernel_declaration(const std::string& kernel) {
  static const std::map<std::string, KernelDeclaration> kKernels = declared_kernels();
  const auto found = kKernels.find(kernel);
  if (found == kKernels.end()) throw std::logic_error("no kernel " + kernel);
  return found->second;
}

bool is_fallible(const Step& step) {
  return step.kind == Step::Kind::call && kernel_declaration(step.kernel).fallible;
}

}  // namespace onnxc
