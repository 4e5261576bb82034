// Types for sanitized text: a model's text reaches generated code and reports only as one of these,
// so that raw text in their place does not compile.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/ir/dim.hpp"

namespace onnxc {

// Text that was sanitized.
class SafeText {
 public:
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

 protected:
  SafeText() = default;
  explicit SafeText(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// A C++ identifier: letters, digits and underscores, not starting with a digit. The only form in
// which a model's names appear in code.
class Identifier : public SafeText {
 public:
  Identifier() = default;  // empty: none yet

  operator const std::string&() const { return text_; }

  // With a suffix of letters, digits and underscores from the emitter: "_dims".
  Identifier with(const char* suffix) const { return Identifier(text_ + suffix); }
  // Two identifiers joined by an underscore.
  Identifier with(const Identifier& part) const { return Identifier(text_ + "_" + part.text_); }

  friend bool operator==(const Identifier& a, std::string_view b) { return a.text_ == b; }
  friend std::string operator+(const Identifier& a, const std::string& b) { return a.text_ + b; }
  friend std::string operator+(const std::string& a, const Identifier& b) { return a + b.text_; }

  // A model's name may contain any byte; each run of other characters becomes one underscore.
  friend Identifier identifier_from(std::string_view text, std::size_t longest);
  friend Identifier pascal_case(const Identifier& identifier);
  friend Identifier upper_case(const Identifier& identifier);
  friend Identifier size_name(const std::string& symbol);
  friend class NameScope;

 private:
  using SafeText::SafeText;
};

// The common stem of the generated files, as it appears inside them: valid between the quotes of
// #include and .incbin, which have no escapes, and in a comment. Printable ASCII without quote,
// backslash, * and ?.
class FileStem : public SafeText {
 public:
  FileStem() = default;  // empty
  // Nullopt for a name that cannot be included.
  static std::optional<FileStem> from(std::string_view name);

  operator const std::string&() const { return text_; }

 private:
  using SafeText::SafeText;
};

// Text in a comment: printable ASCII on one line that cannot end its comment, start another, or
// continue its line: no backslash, no ? (trigraphs), no star next to a slash or at an end.
// Concatenated pieces keep that property.
class CommentText : public SafeText {
 public:
  CommentText() = default;  // empty

  std::size_t size() const { return text_.size(); }
  CommentText first(std::size_t count) const;
  // Ready to follow a statement: "  // conv1", or nothing.
  std::string trailing() const { return empty() ? "" : "  // " + text_; }

  CommentText& operator+=(const CommentText& other);

  // Cut at 120 characters; other bytes become dots.
  friend CommentText comment_text(std::string_view text);
  friend CommentText shape_comment(const std::string& text);

 private:
  using SafeText::SafeText;
};

CommentText comment_text(std::string_view text);
// The same for text with shapes: dimensions without a name in the model get their name in the code,
// n1, n2, ...
CommentText shape_comment(const std::string& text);

// A C++ string literal with its quotes: printable ASCII that the compiler reads as the same bytes.
// Other bytes, quotes, backslashes and question marks (trigraphs) are octal escapes.
class StringLiteral : public SafeText {
 public:
  friend StringLiteral string_literal(std::string_view text);
  // Every byte escaped: binary data.
  friend StringLiteral byte_literal(std::string_view bytes);

 private:
  using SafeText::SafeText;
};

StringLiteral string_literal(std::string_view text);
StringLiteral byte_literal(std::string_view bytes);

// Text in elements and quoted attributes of an HTML report: printable ASCII without markup. Other
// characters are references; bytes that are not UTF-8 and control characters become U+FFFD.
class HtmlText : public SafeText {
 public:
  friend HtmlText html_text(std::string_view text);

 private:
  using SafeText::SafeText;
};

HtmlText html_text(std::string_view text);

// A JSON document in a script element of an HTML page: on one line, and without a character that
// could end the element.
class ScriptData : public SafeText {
 public:
  friend ScriptData script_data(std::string_view json);

 private:
  using SafeText::SafeText;
};

ScriptData script_data(std::string_view json);

}  // namespace onnxc

template <std::derived_from<onnxc::SafeText> Text>
struct fmt::formatter<Text> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const Text& text, Context& context) const {
    return fmt::formatter<std::string_view>::format(text.text(), context);
  }
};
