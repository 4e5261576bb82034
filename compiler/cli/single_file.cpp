// Puts headers into the source that includes them.
#include "compiler/cli/single_file.hpp"

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace onnxc {

std::string as_single_file(const CompileResult& generated) {
  std::string source;
  for (const GeneratedFile& file : generated.files)
    if (file.path == generated.base + ".cpp") source = file.content;
  for (const GeneratedFile& file : generated.files) {
    const std::string name = std::filesystem::path(file.path).filename().string();
    const std::string include = fmt::format("#include \"{}\"\n", name);
    const std::size_t at = source.find(include);
    if (at != std::string::npos) source.replace(at, include.size(), file.content);
  }
  constexpr std::string_view kOnce = "#pragma once\n";
  const std::size_t once = source.find(kOnce);
  if (once != std::string::npos) source.erase(once, kOnce.size());
  return source;
}

}  // namespace onnxc
