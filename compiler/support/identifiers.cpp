// Comments and literals are blanked first; then names are found without a grammar.
#include "compiler/support/identifiers.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_set>
#include <utility>

namespace onnxc {
namespace {

class Blanker {
 public:
  explicit Blanker(std::string_view code) : code_(code), out_(code) {}

  std::string run() {
    while (at_ < code_.size()) {
      if (starts("//")) {
        blank_until("\n", 0);
      } else if (starts("/*")) {
        blank_until("*/", 2);
      } else if (code_[at_] == '"' || is_character()) {
        literal(code_[at_]);
      } else {
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  bool starts(std::string_view s) const { return code_.substr(at_, s.size()) == s; }
  // Not the separator in 1'000.
  bool is_character() const {
    return code_[at_] == '\'' && (at_ == 0 || !is_identifier_char(code_[at_ - 1]));
  }

  void blank() {
    if (code_[at_] != '\n') out_[at_] = ' ';
    ++at_;
  }
  void blank_until(std::string_view end, std::size_t more) {
    while (at_ < code_.size() && !starts(end)) blank();
    while (more-- > 0 && at_ < code_.size()) blank();
  }
  void literal(char quote) {
    blank();
    while (at_ < code_.size() && code_[at_] != quote) {
      if (code_[at_] == '\\') blank();
      if (at_ < code_.size()) blank();
    }
    if (at_ < code_.size()) blank();
  }

  std::string_view code_;
  std::string out_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_identifier_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string without_comments(std::string_view code) { return Blanker(code).run(); }

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
