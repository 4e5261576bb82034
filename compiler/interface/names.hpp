// C++ identifiers from the model's own names, and the names that they must not be.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "compiler/interface/sanitized_text.hpp"

namespace onnxc {

// True for keywords of C and C++, and for names that common headers define as macros or declare.
bool is_reserved(std::string_view identifier);
// The same without the families of names that headers may define, as M_AREA.
bool is_defined(std::string_view identifier);

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
