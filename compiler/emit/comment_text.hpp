// A model's text in a comment of generated code.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "compiler/ir/dim.hpp"

namespace onnxc {

// Printable ASCII on one line that cannot end its comment, start another, or continue its line: no
// backslash, no ? (trigraphs), no star beside a slash or at an end. Concatenated pieces keep that
// property. Only comment_text makes it, so raw text in a comment does not compile.
class CommentText {
 public:
  CommentText() = default;  // empty

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  std::size_t size() const { return text_.size(); }
  CommentText first(std::size_t count) const;
  // Ready to follow a statement: "  // conv1", or nothing.
  std::string trailing() const { return empty() ? "" : "  // " + text_; }

  CommentText& operator+=(const CommentText& other);

  // Cut at 120 characters; other bytes become dots.
  friend CommentText comment_text(std::string_view text);

 private:
  explicit CommentText(std::string safe) : text_(std::move(safe)) {}

  std::string text_;
};

CommentText comment_text(std::string_view text);
// The same for text with shapes: dimensions without a name in the model get their name in the code,
// n1, n2, ...
CommentText shape_comment(std::string text);
// A work count, which may be an expression of dimensions; a long one is cut.
CommentText work_comment(const Dim& count);

}  // namespace onnxc

template <>
struct fmt::formatter<onnxc::CommentText> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const onnxc::CommentText& comment, Context& context) const {
    return fmt::formatter<std::string_view>::format(comment.text(), context);
  }
};
