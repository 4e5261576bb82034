// Outputs that may share the memory of inputs.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc {

// Positions among the inputs and the outputs of the program.
struct InPlace {
  std::size_t input = 0, output = 0;
};

// Pairs of ports that may share memory, each port in one pair at most: the step that writes the
// output supports it and is the last reader of the input.
std::vector<InPlace> in_place_ports(const Program& program);

}  // namespace onnxc
