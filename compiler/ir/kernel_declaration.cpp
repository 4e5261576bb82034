// Finds the declarations of kernels and of element-wise functions in the text of their headers.
#include "compiler/ir/kernel_declaration.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string_view>

#include "compiler/support/embedded_files.hpp"

namespace onnxc {
namespace {

using Declarations = std::map<std::string, KernelDeclaration>;

// "Status gather(S s, const T* x," at the start of a line declares gather.
void add_declaration(std::string_view line, const std::string& stem, Declarations& all) {
  if (line.empty() || std::string_view("/#} ").find(line[0]) != std::string_view::npos) return;
  const std::string_view before = line.substr(0, std::min(line.find('('), line.size()));
  const std::size_t space = before.rfind(' ');
  if (space == std::string_view::npos || before.size() == line.size()) return;
  const std::string name(before.substr(space + 1));
  const KernelDeclaration found{stem, before.substr(0, space).ends_with("Status")};
  const bool first = all.emplace(name, found).second;
  if (!first && name == stem && all[name].header != stem) all[name] = found;
}

// What the headers of templates/fn/ declare, or those of the other folders, by name; the header of
// a kernel's own name comes before others.
Declarations declarations(bool functions) {
  Declarations all;
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i) {
    const std::string_view path = kEmbeddedFiles[i].path;
    if (!path.starts_with("templates/") || path.starts_with("templates/fn/") != functions) continue;
    const std::size_t stem = functions ? std::strlen("templates/") : path.rfind('/') + 1;
    const std::string header(path.substr(stem, path.size() - stem - std::strlen(".hpp")));
    for (std::string_view text = kEmbeddedFiles[i].text; !text.empty();) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1);
      add_declaration(text.substr(0, end), header, all);
      text.remove_prefix(end + 1);
    }
  }
  return all;
}

const KernelDeclaration& find(const Declarations& all, const std::string& name) {
  const auto found = all.find(name);
  if (found == all.end()) throw std::logic_error("no kernel " + name);
  return found->second;
}

}  // namespace

const KernelDeclaration& kernel_declaration(const std::string& kernel) {
  static const Declarations kKernels = declarations(false);
  return find(kKernels, kernel);
}

const std::string& function_header(const std::string& function) {
  static const Declarations kFunctions = declarations(true);
  return find(kFunctions, function).header;
}

bool is_fallible(const Step& step) {
  return step.kind == Step::Kind::call && kernel_declaration(step.kernel).fallible;
}

}  // namespace onnxc
