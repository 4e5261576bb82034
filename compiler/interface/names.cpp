// Identifiers from a model's names: valid characters, case, and uniqueness.
#include "compiler/interface/names.hpp"

#include "compiler/ir/graph.hpp"
#include "compiler/ir/size_names.hpp"

namespace onnxc {

Identifier identifier_from(std::string_view text, std::size_t longest) {
  std::string s;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      s += c;
    else if (!s.empty() && s.back() != '_')
      s += '_';
    if (s.size() >= longest) break;
  }
  while (!s.empty() && s.back() == '_') s.pop_back();
  if (s.empty()) s = "t";
  if (s[0] >= '0' && s[0] <= '9') s = "t" + s;
  return Identifier(s);
}

Identifier pascal_case(const Identifier& identifier) {
  std::string s;
  bool start = true;
  for (const char c : identifier.text()) {
    if (c == '_') {
      // Digits on both sides stay separate: conv_1_2 is not conv_12.
      start = true;
      if (!s.empty() && s.back() >= '0' && s.back() <= '9') s += '_';
      continue;
    }
    s += start && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    start = false;
  }
  return Identifier(s);
}

Identifier upper_case(const Identifier& identifier) {
  std::string s = identifier.text();
  for (char& c : s)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return Identifier(s);
}

Identifier NameScope::unique(const Identifier& wanted) {
  const auto unreserved = [](std::string name) {
    if (is_reserved(name)) name += "_";
    return name;
  };
  const std::string name = unreserved(wanted);
  std::string candidate = name;
  if (used_.insert(candidate).second) return Identifier(candidate);
  // A numbered name must not be a macro either: M_PI_ and 2 are M_PI_2.
  int& suffix = next_suffix_.try_emplace(name, 2).first->second;
  do candidate = unreserved(name + (name.back() == '_' ? "" : "_") + std::to_string(suffix++));
  while (!used_.insert(candidate).second);
  return Identifier(candidate);
}

Identifier size_name(const std::string& symbol) {
  if (symbol[0] != kInnerSize) return identifier_from(name_of_symbol(symbol));
  if (symbol.size() <= 2) return Identifier("n1");
  return Identifier("n" + identifier_from(symbol.substr(2)).text().substr(1));
}

}  // namespace onnxc
