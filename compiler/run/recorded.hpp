// Recorded inputs and outputs in the format of the drivers. The numbers in a driver's files have
// the byte order of the machine that it runs on: here they are converted.
#pragma once

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "compiler/onnx/read/data.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {

struct Recorded {
  std::vector<DataValue> inputs, outputs;
};

// Reads input_N.pb and output_N.pb of a data set. The files do not state their types: the ports
// define them; without ports, all are tensors. Throws FatalError(io).
Recorded read_data_set(const std::string& folder, const std::vector<Port>& inputs = {},
                       const std::vector<Port>& outputs = {});

// The inputs' names and types, for data that do not state them.
std::vector<Port> typed_inputs(const Model& model);
// Reads input_N.pb alone.
std::vector<DataValue> read_inputs(const std::string& folder, const std::vector<Port>& inputs);

// Writes output_N.pb. Throws FatalError(io) for a value that is not a tensor.
void write_outputs(const std::string& folder, const std::vector<DataValue>& values,
                   const std::vector<Port>& ports);

// Reads state_N.pb: tensors with the names of state variables. Throws FatalError(io).
std::vector<DataValue> read_states(const std::string& folder);

// The number of files input_N.pb.
std::size_t count_inputs(const std::string& folder);

using InputShapes = std::vector<std::optional<std::vector<std::int64_t>>>;
InputShapes input_shapes(const Recorded& recorded);

// Numbers of `width` bytes, from this machine's byte order to another or back.
void convert_order(void* data, std::size_t bytes, std::size_t width, std::endian order);

// The inputs in the format of the drivers. Throws FatalError(io) if they do not match the ports.
std::string pack_inputs(const Recorded& recorded, const std::vector<Port>& ports,
                        std::endian order = std::endian::native);
// Contents of one input of a fixed shape, in the same format; `bytes` have that order already.
std::string pack_tensor(const std::vector<std::int64_t>& dims, const std::string& bytes,
                        std::endian order = std::endian::native);

// The variables in a state block.
std::vector<DataValue> unpack_state(std::string_view block, const TrainingInterface& training,
                                    std::endian order);

// The outputs that a driver wrote after its two numbers. Throws FatalError(io) if the file is too
// short.
std::vector<DataValue> unpack_outputs(std::string_view bytes, const std::vector<Port>& ports,
                                      std::endian order);

}  // namespace onnxc
