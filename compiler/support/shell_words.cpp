// Splits options that come as one text.
#include "compiler/support/shell_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Takes one word off the front of `text`, which does not begin with white space.
std::string take_word(std::string_view& text) {
  std::string word;
  char quote = 0;
  for (; !text.empty() && (quote || !is_space(text[0])); text.remove_prefix(1)) {
    const char c = text[0];
    if (c == quote) {
      quote = 0;
    } else if (!quote && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && text.size() > 1) {
      text.remove_prefix(1);
      word += text[0];
    } else {
      word += c;
    }
  }
  if (quote) throw FatalError(exit_code::usage, fmt::format("a {} without an end", quote));
  return word;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    if (is_space(text[0])) {
      text.remove_prefix(1);
    } else if (text[0] == '#') {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else {
      words.push_back(take_word(text));
    }
  }
  return words;
}

}  // namespace onnxc
