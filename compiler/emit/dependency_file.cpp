// Escapes of dependency files in the form that both GNU make and Ninja understand.
#include "compiler/emit/dependency_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

bool has_no_escape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f ||
         std::string_view("*?[;|=").find(c) != std::string_view::npos;
}

DependencyPath dependency_path(const std::string& path) {
  const auto escaped = DependencyPath::from(path);
  if (!escaped)
    throw FatalError(
        exit_code::usage,
        fmt::format("a dependency file cannot name '{}': rename it or omit -MD", path));
  return *escaped;
}

}  // namespace

std::optional<DependencyPath> DependencyPath::from(std::string_view path) {
  if (path.empty() || path[0] == '~') return std::nullopt;
  if (std::any_of(path.begin(), path.end(), has_no_escape)) return std::nullopt;
  std::string s;
  std::size_t backslashes = 0;  // in a row; doubled before an escaped character only
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == ':') s.append(backslashes + 1, '\\');
    if (c == '$') s += '$';
    s += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  // The last one would continue the line.
  return backslashes > 0 ? std::nullopt : std::optional(DependencyPath(std::move(s)));
}

std::string dependency_rule(const std::string& target, const std::vector<std::string>& files) {
  std::string rule = dependency_path(target).text() + ":";
  for (const std::string& f : files) rule += " \\\n  " + dependency_path(f).text();
  return rule + "\n";
}

}  // namespace onnxc
