// Replaces the words @FILE of a command line.
#include "compiler/cli/arguments.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr int kMaxFiles = 16;  // of which one names the next

std::string read_options(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad())
    throw FatalError(exit_code::io,
                     fmt::format("cannot read {0}; a model of that name is ./@{0}", path));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxBytes) throw FatalError(exit_code::usage, "more than 1 MiB of options");
  if (text.find('\0') != std::string::npos) throw FatalError(exit_code::usage, "is no text");
  return text;
}

std::vector<std::string> words_of_file(const std::string& path) {
  try {
    return split_words(read_options(path));
  } catch (const FatalError& e) {
    throw FatalError(e.exit_code, fmt::format("@{}: {}", path, e.what()));
  }
}

void append(const std::vector<std::string>& words, int depth, std::vector<std::string>& all) {
  for (const std::string& word : words) {
    if (word.size() < 2 || word[0] != '@') {
      all.push_back(word);
      continue;
    }
    if (depth == kMaxFiles)
      throw FatalError(
          exit_code::usage,
          fmt::format("{}: more than {} files of options, one in the other", word, depth));
    append(words_of_file(word.substr(1)), depth + 1, all);
  }
}

}  // namespace

std::vector<std::string> with_option_files(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  append(words, 0, all);
  return all;
}

}  // namespace onnxc
