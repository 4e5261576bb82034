// Comments and literals are blanked first; then names are found without a grammar.
#include "compiler/support/identifiers.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_set>

namespace onnxc {
bool is_identifier_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string without_comments(std::string_view code) {
  std::string out(code);
  std::size_t at = 0;
  const auto blank_to = [&](std::size_t end) {
    for (; at < std::min(end, code.size()); ++at)
      if (out[at] != '\n') out[at] = ' ';
  };
  while (at < code.size()) {
    const char c = code[at];
    if (c != '/' && c != '"' && c != '\'') {  // nearly all
      ++at;
      continue;
    }
    // Not the separator in 1'000.
    const bool literal = c == '"' || (c == '\'' && (at == 0 || !is_identifier_char(code[at - 1])));
    if (code.substr(at, 2) == "//") {
      blank_to(code.find('\n', at));
    } else if (code.substr(at, 2) == "/*") {
      blank_to(std::min(code.find("*/", at), code.size()) + 2);
    } else if (literal) {
      blank_to(at + 1);
      while (at < code.size() && code[at] != c) blank_to(at + (code[at] == '\\' ? 2 : 1));
      blank_to(at + 1);
    } else {
      ++at;
    }
  }
  return out;
}

std::set<std::string> identifiers_of(std::string_view code) {
  std::unordered_set<std::string_view> names;
  std::size_t scope = 0;  // length of "fn::" before the name here
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i;
    while (end < code.size() && is_identifier_char(code[end])) ++end;
    if (end > i && std::isdigit(static_cast<unsigned char>(code[i])) == 0)
      names.insert(code.substr(i - scope, end - i + scope));
    const bool is_scope = end > i && code.compare(end, 2, "::") == 0;
    scope = is_scope && code.substr(i, end - i) != "onnxc" ? end + 2 - i : 0;
    i = is_scope ? end + 2 : std::max(end, i + 1);
  }
  return {names.begin(), names.end()};
}

}  // namespace onnxc
