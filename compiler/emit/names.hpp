// C++ identifiers from the model's own names.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace onnxc {

// Letters, digits and single underscores only; never empty, never starts with a digit. Any byte of
// a model's name may come in, nothing but an identifier comes out.
std::string identifier_from(std::string_view text);
std::string pascal_case(std::string_view identifier);  // conv1_relu -> Conv1Relu
std::string upper_case(std::string_view identifier);
// Of a symbol of a shape: "N", "x_0"; those that have no name in the model are n1, n2, ...
std::string size_name(const std::string& symbol);

// True for keywords of C and C++, and for names that common headers define as macros.
bool is_reserved(std::string_view identifier);

// Hands out each identifier once: `conv1`, `conv1_2`, ...
class NameScope {
 public:
  std::string unique(std::string_view wanted);
  void reserve(std::string_view name) { used_.insert(std::string(name)); }

 private:
  std::set<std::string> used_;
};

}  // namespace onnxc
