// Scripts that complete command lines in shells.
#pragma once

#include <string>
#include <vector>

#include "compiler/cli/option_table.hpp"

namespace onnxc {

std::string bash_completion(const std::vector<CommandRow>& commands);
std::string zsh_completion(const std::vector<CommandRow>& commands);
std::string fish_completion(const std::vector<CommandRow>& commands);

}  // namespace onnxc
