// A format string for a line of generated code that knows the context of its fields.
//
// A field inside a comment or a string literal takes a number, a constant of the compiler (const
// char*) or sanitized text (Identifier, CommentText, FileStem), never a std::string, which could
// hold a model's text. A field in code takes no comment.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "compiler/interface/sanitized_text.hpp"

namespace onnxc {

namespace code_format {

// Not constexpr: a call ends the check with a compile error that shows the name.
void raw_text_inside_a_comment_or_string();
void comment_outside_of_one();

enum class Kind { constant, comment, other };

template <class T>
constexpr Kind kind_of() {
  using Plain = std::decay_t<T>;
  if constexpr (std::is_same_v<Plain, CommentText>) return Kind::comment;
  if constexpr (std::is_arithmetic_v<Plain> || std::is_same_v<Plain, const char*> ||
                std::is_same_v<Plain, Identifier> || std::is_same_v<Plain, FileStem>)
    return Kind::constant;
  return Kind::other;
}

// Walks over a format string and finds the context of each field: code, comment or literal.
template <std::size_t N>
class Checker {
 public:
  constexpr Checker(std::string_view text, const std::array<Kind, N>& kinds)
      : text_(text), kinds_(kinds) {}

  constexpr void run() {
    // The lines of a block comment begin like this.
    in_comment_ = text_.starts_with(" *");
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '{')
        open_brace();
      else if (text_[at_] == '}')
        ++at_;  // doubled
      else
        text();
    }
  }

 private:
  constexpr char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  constexpr void text() {
    const char c = text_[at_];
    if (in_comment_) {
      if (in_block_ && c == '*' && next() == '/') in_comment_ = in_block_ = false;
    } else if (c == '"') {
      in_string_ = !in_string_;
    } else if (c == '\\') {
      ++at_;
    } else if (!in_string_ && c == '/' && (next() == '/' || next() == '*')) {
      in_comment_ = true;
      in_block_ = next() == '*';
    }
  }

  constexpr void open_brace() {
    if (next() == '{') {
      ++at_;
      return;
    }
    std::size_t index = 0;
    bool numbered = false;
    for (++at_; text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      index = index * 10 + static_cast<std::size_t>(text_[at_] - '0');
      numbered = true;
    }
    check(numbered ? index : automatic_++);
    // A width can be a field of its own.
    for (; text_[at_] != '}'; ++at_)
      if (text_[at_] == '{') open_brace();
  }

  constexpr void check(std::size_t index) const {
    const bool inside = in_comment_ || in_string_;
    if (index >= N) return;  // fmt reports it
    if (inside && kinds_[index] == Kind::other) raw_text_inside_a_comment_or_string();
    if (!in_comment_ && kinds_[index] == Kind::comment) comment_outside_of_one();
  }

  std::string_view text_;
  const std::array<Kind, N>& kinds_;
  std::size_t at_ = 0, automatic_ = 0;
  bool in_comment_ = false, in_block_ = false, in_string_ = false;
};

}  // namespace code_format

template <class... A>
class CodeFormat {
 public:
  consteval CodeFormat(const char* text) : text_(text) {
    const std::array<code_format::Kind, sizeof...(A)> kinds = {code_format::kind_of<A>()...};
    code_format::Checker<sizeof...(A)>(text, kinds).run();
  }
  fmt::format_string<A...> get() const { return text_; }

 private:
  fmt::format_string<A...> text_;
};

}  // namespace onnxc
