// Words that people type: misspelled ones, and texts of several.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

// The candidate closest to a mistyped word, whatever the case of letters; "" if none is close.
std::string closest(const std::string& word, std::span<const std::string> candidates);

// ", did you mean gamma?", or "".
std::string did_you_mean(const std::string& word, std::span<const std::string> candidates);

// Of compiler flags in the environment, and of files of options. The words of a text: separated by
// white space, with '...', "..." and backslashes as in a shell, and comments from a word's # to the
// end of its line. Throws FatalError where a quote is left open.
std::vector<std::string> split_words(std::string_view text);

}  // namespace onnxc
