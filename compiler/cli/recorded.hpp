// Recorded inputs and outputs in the form the drivers exchange.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/import/data.hpp"

namespace onnxc {

struct Recorded {
  std::vector<DataValue> inputs, outputs;
};

// Reads input_N.pb and output_N.pb of a data set. The files do not say what they hold: the ports
// do; without them, all are tensors. Throws FatalError(io).
Recorded read_data_set(const std::string& folder, const std::vector<Port>& inputs = {},
                       const std::vector<Port>& outputs = {});

// How many input_N.pb there are.
std::size_t count_inputs(const std::string& folder);

using InputShapes = std::vector<std::optional<std::vector<std::int64_t>>>;
InputShapes input_shapes(const Recorded& recorded);

// The inputs as the drivers read them. Throws FatalError(io) when they do not fit the ports.
std::string pack_inputs(const Recorded& recorded, const std::vector<Port>& ports);
// Contents of one input of a fixed shape, in the same form.
std::string pack_tensor(const std::vector<std::int64_t>& dims, const std::string& bytes);

// What a driver wrote after its two numbers. Throws FatalError(io) when it is too short.
std::vector<DataValue> unpack_outputs(std::string_view bytes, const std::vector<Port>& ports);

}  // namespace onnxc
