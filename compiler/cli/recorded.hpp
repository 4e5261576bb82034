// Recorded inputs and outputs in the form the drivers exchange.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/ir/tensor.hpp"

namespace onnxc {

struct Recorded {
  std::vector<Tensor> inputs, outputs;
};

// Reads input_N.pb and output_N.pb of a data set. Throws FatalError(io).
Recorded read_data_set(const std::string& folder);

using InputShapes = std::vector<std::optional<std::vector<std::int64_t>>>;
InputShapes input_shapes(const Recorded& recorded);

// The bytes of the inputs, one after the other, as the drivers read them. Throws FatalError(io)
// when they do not fit the ports.
std::string pack_inputs(const Recorded& recorded, const std::vector<Port>& ports);

// What a driver wrote after its two numbers. Throws FatalError(io) when it is too short.
std::vector<Tensor> unpack_outputs(std::string_view bytes, const std::vector<Port>& ports);

}  // namespace onnxc
