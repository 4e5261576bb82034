// The dependency file that -MD asks for.
#pragma once

#include <string>
#include <vector>

namespace onnxc {

// A rule for make and ninja: `target` is made from `files`.
std::string dependency_rule(const std::string& target, const std::vector<std::string>& files);

}  // namespace onnxc
