// Checks of the values of options, which say in plain words what is wrong.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace onnxc {

// One of these words; an error names them, and the closest.
CLI::Validator one_of(std::vector<std::string> words);

CLI::Validator number_from(double least, double most);
CLI::Validator number_above(double least);

}  // namespace onnxc
