// The characters that each type of sanitized text permits, and the escapes of the others.
#include "compiler/interface/sanitized_text.hpp"

#include <algorithm>

#include "compiler/ir/size_names.hpp"
#include "compiler/support/utf8.hpp"

namespace onnxc {
namespace {

// Removes stars that could be half of the start or end of a comment.
std::string without_marks(std::string s) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool at_end = i == 0 || i + 1 == s.size();
    if (s[i] == '*' && (at_end || s[i - 1] == '/' || s[i + 1] == '/')) s[i] = '.';
  }
  return s;
}

std::string safe_characters(std::string_view text) {
  std::string s;
  for (const char c : text) {
    // A backslash at the end of a line would continue the comment; ?? could start a trigraph.
    const bool safe = c >= 0x20 && c < 0x7f && c != '\\' && c != '?';
    s += safe ? c : '.';
  }
  return s;
}

// Of fixed length, so that the next character is never part of it.
std::string octal(char c) { return fmt::format("\\{:03o}", static_cast<unsigned char>(c)); }

bool is_plain(char c) {
  return c >= ' ' && c <= '~' && std::string_view("<>&\"'`").find(c) == std::string_view::npos;
}

std::string reference(std::uint32_t code) {
  if (code == '<') return "&lt;";
  if (code == '>') return "&gt;";
  if (code == '&') return "&amp;";
  if (code == '"') return "&quot;";
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  return fmt::format("&#x{:x};", control ? 0xfffd : code);
}

}  // namespace

std::optional<FileStem> FileStem::from(std::string_view name) {
  const bool fits = std::all_of(name.begin(), name.end(), [](char c) {
    return c >= ' ' && c <= '~' && std::string_view("\"\\*?/").find(c) == std::string_view::npos;
  });
  return fits && !name.empty() ? std::optional(FileStem(std::string(name))) : std::nullopt;
}

CommentText CommentText::first(std::size_t count) const {
  return CommentText(without_marks(text_.substr(0, count)));
}

CommentText& CommentText::operator+=(const CommentText& other) {
  text_ += other.text_;
  return *this;
}

CommentText comment_text(std::string_view text) {
  constexpr std::size_t kMaxLength = 120;
  const char* const rest = text.size() > kMaxLength ? "..." : "";
  return CommentText(without_marks(safe_characters(text.substr(0, kMaxLength)) + rest));
}

CommentText shape_comment(const std::string& text) {
  return CommentText(without_marks(safe_characters(readable_sizes(text))));
}

StringLiteral string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    out += plain ? std::string(1, c) : octal(c);
  }
  return StringLiteral(out + "\"");
}

StringLiteral byte_literal(std::string_view bytes) {
  std::string out = "\"";
  for (const char c : bytes) out += octal(c);
  return StringLiteral(out + "\"");
}

HtmlText html_text(std::string_view text) {
  std::string s;
  while (!text.empty()) {
    const std::size_t n = utf8_length(text);
    const std::string_view character = text.substr(0, n == 0 ? 1 : n);
    text.remove_prefix(character.size());
    if (is_plain(character[0]))
      s += character;
    else
      s += reference(n == 0 ? 0xfffd : code_point(character));
  }
  return HtmlText(std::move(s));
}

// Strings of JSON hold no line feed, so that one is always between two items.
ScriptData script_data(std::string_view json) {
  std::string s;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '<')
      s += "\\u003c";
    else if (json[i] == '\n')
      while (i + 1 < json.size() && json[i + 1] == ' ') ++i;
    else
      s += json[i];
  }
  return ScriptData(std::move(s));
}

}  // namespace onnxc
