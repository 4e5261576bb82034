// Dependency rules in the syntax that make and ninja share.
#include "compiler/emit/dependency_file.hpp"

namespace onnxc {
namespace {

std::string escaped(const std::string& path) {
  std::string s;
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == '\\') s += '\\';
    if (c == '$') s += '$';
    s += c;
  }
  return s;
}

}  // namespace

std::string dependency_rule(const std::string& target, const std::vector<std::string>& files) {
  std::string rule = escaped(target) + ":";
  for (const std::string& f : files) rule += " \\\n  " + escaped(f);
  return rule + "\n";
}

}  // namespace onnxc
