// The man page.
#pragma once

#include <string>
#include <vector>

#include "compiler/cli/option_table.hpp"

namespace onnxc {

// onnxc(1), for troff.
std::string man_page(const std::vector<CommandRow>& commands);

}  // namespace onnxc
