// A model's text in an HTML report.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace onnxc {

// Printable ASCII without markup: other characters are references; bytes that are not UTF-8 and
// control characters become U+FFFD. Valid in elements and in quoted attributes. Only html_text
// makes it.
class HtmlText {
 public:
  const std::string& text() const { return text_; }

  friend HtmlText html_text(std::string_view text);

 private:
  explicit HtmlText(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

HtmlText html_text(std::string_view text);

}  // namespace onnxc

template <>
struct fmt::formatter<onnxc::HtmlText> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const onnxc::HtmlText& html, Context& context) const {
    return fmt::formatter<std::string_view>::format(html.text(), context);
  }
};
