// The commands and their options as rows, for what is made of them: completions, the man page.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace onnxc {

struct OptionRow {
  std::vector<std::string> names;    // as users write them: -o, --output, -MF
  std::string value;                 // "FILE", "fast|strict"; "" for a flag
  std::vector<std::string> choices;  // the words that it takes; none: any text
  std::string about;
  bool is_shared = false;  // an option of a compilation, in a command that is another
  bool is_path = false;    // its value names a file or a folder
};

struct CommandRow {
  std::string name, about, footer;
  std::string operand;               // "MODEL", "PATH..."; "" for none
  std::vector<std::string> choices;  // words that the operand may be
  std::vector<OptionRow> options;
};

// In the order of the help, without what help leaves out.
std::vector<CommandRow> command_table(const CLI::App& app);

// Scripts that complete command lines in shells.
std::string bash_completion(const std::vector<CommandRow>& commands);
std::string zsh_completion(const std::vector<CommandRow>& commands);
std::string fish_completion(const std::vector<CommandRow>& commands);

// onnxc(1), for troff.
std::string man_page(const std::vector<CommandRow>& commands);

}  // namespace onnxc
