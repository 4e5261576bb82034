// The rule of -MD: which files the generated source depends on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

// A path as make and Ninja read it in a rule. Only DependencyPath::from makes one.
class DependencyPath {
 public:
  // Nullopt for a path that make cannot name: control bytes, wildcards, separators of a rule, a
  // leading tilde.
  static std::optional<DependencyPath> from(std::string_view path);

  const std::string& text() const { return text_; }

 private:
  explicit DependencyPath(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// "target: file file ...". Throws FatalError(usage) for a path that has no DependencyPath.
std::string dependency_rule(const std::string& target, const std::vector<std::string>& files);

}  // namespace onnxc
