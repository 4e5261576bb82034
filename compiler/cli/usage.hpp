// What to say about a command line that cannot be understood.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace onnxc {

// `help` and `help COMMAND` as the options that they stand for.
std::vector<std::string> with_help_option(std::vector<std::string> words);

// A first word that is neither a command nor a file is a mistyped command: what to say about it,
// or "".
std::string mistyped_command(const std::vector<std::string>& words,
                             const std::vector<std::string>& verbs);

// The error in plain words, with the closest options.
std::string explain(const CLI::App& app, const CLI::Error& error);

}  // namespace onnxc
