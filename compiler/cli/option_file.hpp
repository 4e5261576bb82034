// Options kept in a file: `onnxc model.onnx @board.txt`.
#pragma once

#include <string>
#include <vector>

namespace onnxc {

// Every word @FILE replaced by the words of the file, which may name further ones. Paths are those
// of the command line. Throws FatalError for a file that cannot be read, or that has an open quote.
std::vector<std::string> with_option_files(const std::vector<std::string>& words);

}  // namespace onnxc
