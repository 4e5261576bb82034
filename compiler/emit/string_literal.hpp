// A model's text as a C++ string literal.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace onnxc {

// Printable ASCII between quotes that the compiler reads as the same bytes: other bytes, quotes,
// backslashes and question marks (trigraphs) are octal escapes. Only string_literal makes it.
class StringLiteral {
 public:
  const std::string& text() const { return text_; }  // with the quotes

  friend StringLiteral string_literal(std::string_view text);
  // Every byte escaped: binary data.
  friend StringLiteral byte_literal(std::string_view bytes);

 private:
  explicit StringLiteral(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

StringLiteral string_literal(std::string_view text);
StringLiteral byte_literal(std::string_view bytes);

}  // namespace onnxc

template <>
struct fmt::formatter<onnxc::StringLiteral> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const onnxc::StringLiteral& literal, Context& context) const {
    return fmt::formatter<std::string_view>::format(literal.text(), context);
  }
};
