// Words in texts: lists in tables, what people type and misspell.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

// The candidate closest to a mistyped word, whatever the case of letters and the dashes in front;
// "" if none is close.
std::string closest(const std::string& word, std::span<const std::string> candidates);

// ", did you mean gamma?", or "".
std::string did_you_mean(const std::string& word, std::span<const std::string> candidates);

// Of compiler flags in the environment, and of files of options. The words of a text: separated by
// white space, with '...', "..." and backslashes as in a shell, and comments from a word's # to the
// end of its line. Throws FatalError where a quote is left open.
std::vector<std::string> split_words(std::string_view text);

// The words of a list in a table.
inline std::vector<std::string_view> words_of(std::string_view text, char separator = ' ') {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace onnxc
