// Escapes of a model's text in a comment.
#include "compiler/emit/comment_text.hpp"

namespace onnxc {
namespace {

// Removes stars that could be half of a comment's begin or end.
std::string without_marks(std::string s) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool at_end = i == 0 || i + 1 == s.size();
    if (s[i] == '*' && (at_end || s[i - 1] == '/' || s[i + 1] == '/')) s[i] = '.';
  }
  return s;
}

}  // namespace

CommentText CommentText::first(std::size_t count) const {
  return CommentText(without_marks(text_.substr(0, count)));
}

CommentText& CommentText::operator+=(const CommentText& other) {
  text_ += other.text_;
  return *this;
}

CommentText comment_text(std::string_view text) {
  std::string s;
  for (const char c : text.substr(0, 120)) {
    // A backslash at the end of a line would continue the comment; ?? could start a trigraph.
    const bool safe = c >= 0x20 && c < 0x7f && c != '\\' && c != '?';
    s += safe ? c : '.';
  }
  if (text.size() > 120) s += "...";
  return CommentText(without_marks(std::move(s)));
}

CommentText shape_comment(std::string text) {
  for (std::size_t at; (at = text.find('?')) != std::string::npos;)
    text.replace(at, at + 1 < text.size() && text[at + 1] == '#' ? 2 : 1,
                 text[at + 1] == '#' ? "n" : "n1");
  CommentText comment;
  for (std::size_t at = 0; at < text.size(); at += 120)
    comment += comment_text(std::string_view(text).substr(at, 120));
  return comment;
}

CommentText work_comment(const Dim& count) {
  constexpr std::size_t kMost = 48;
  const std::string text = count.to_string();
  return shape_comment(
      text.size() <= kMost ? text : text.substr(0, text.find_last_of(" *", kMost)) + " ...");
}

}  // namespace onnxc
