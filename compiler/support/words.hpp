// Texts of words with a separator between them, as tables hold lists.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace onnxc {

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
