// Outputs that may take the place of inputs.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc {

// Positions among the inputs and the outputs of the program.
struct InPlace {
  std::size_t input = 0, output = 0;
};

// Pairs that the caller may give the same memory, each port in one pair at most: the step that
// writes the output may start where the input is, and is the last one to read that.
std::vector<InPlace> in_place_ports(const Program& program);

}  // namespace onnxc
