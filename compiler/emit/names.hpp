// C++ identifiers from the model's own names.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "compiler/emit/reserved_names.hpp"
#include "compiler/emit/text_gates.hpp"

namespace onnxc {

// Letters, digits and single underscores only; never empty, never starts with a digit, at most
// `longest` characters and one for a digit at the front.
Identifier identifier_from(std::string_view text, std::size_t longest = 48);
Identifier pascal_case(const Identifier& identifier);  // conv1_relu -> Conv1Relu
Identifier upper_case(const Identifier& identifier);
// For a symbol of a shape: "N", "x_0"; symbols without a name in the model are n1, n2, ...
Identifier size_name(const std::string& symbol);

// Returns each identifier once, and none that is reserved: `conv1`, `conv1_2`, `errno_`, ...
class NameScope {
 public:
  Identifier unique(const Identifier& wanted);
  void reserve(std::string_view name) { used_.insert(std::string(name)); }

 private:
  std::set<std::string> used_;
  std::map<std::string, int> next_suffix_;  // of names that are taken: smaller ones are, too
};

}  // namespace onnxc
