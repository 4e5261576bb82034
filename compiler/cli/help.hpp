// What --help prints.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class FormatterBase;
}  // namespace CLI

namespace onnxc {

std::shared_ptr<CLI::FormatterBase> help_formatter();

// Sorts the options of a compilation into the groups of docs/command-line.md.
void group_options(CLI::App& command);

// Help has nothing about options that the command refuses.
void hide_options(CLI::App& command, const std::vector<std::string>& names);

}  // namespace onnxc
