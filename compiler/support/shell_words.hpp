// Options that come as one text: compiler flags of the environment, files of options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

// The words of a text: separated by white space, with '...', "..." and backslashes as in a shell,
// and comments from a word's # to the end of its line. Throws FatalError where a quote is left
// open.
std::vector<std::string> split_words(std::string_view text);

}  // namespace onnxc
