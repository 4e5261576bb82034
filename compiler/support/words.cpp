// Compares words by their edit distance, and splits texts as a shell does.
#include "compiler/support/words.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

// Edit distance: inserts, deletes, replacements and swaps that turn one word into the other.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// The letters that count: in lower case, without the dashes of an option.
std::string letters_of(const std::string& word) {
  return lower_case(word.substr(std::min(word.find_first_not_of('-'), word.size())));
}

// About a third of the shorter word may differ; words that differ by more than two look unlike.
std::size_t most_edits(std::size_t shorter) { return std::min<std::size_t>((shorter + 1) / 3, 2); }

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Whether a backslash takes away the meaning of what is after it. Others divide paths of Windows.
bool is_escape(std::string_view text) {
  return text.size() > 1 && text[0] == '\\' &&
         (is_space(text[1]) || std::string_view("\"'\\#").find(text[1]) != text.npos);
}

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
    } else if (quote != '\'' && is_escape(text)) {
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

std::string closest(const std::string& word, std::span<const std::string> candidates) {
  const std::string wanted = letters_of(word);
  std::string best;
  std::size_t best_distance = wanted.size() + 1;
  for (const std::string& candidate : candidates) {
    const std::string known = letters_of(candidate);
    const std::size_t distance = edit_distance(wanted, known);
    const bool near = distance <= most_edits(std::min(wanted.size(), known.size()));
    if (!near || distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(const std::string& word, std::span<const std::string> candidates) {
  const std::string near = closest(word, candidates);
  return near.empty() ? "" : ", did you mean " + near + "?";
}

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
