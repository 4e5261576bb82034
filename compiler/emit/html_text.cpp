// Character references of HTML.
#include "compiler/emit/html_text.hpp"

#include "compiler/support/utf8.hpp"

namespace onnxc {
namespace {

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

}  // namespace onnxc
