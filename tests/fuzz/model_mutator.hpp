// Changes one place of a model and keeps it a well-formed message, so that most mutants get past
// the parser.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxc {

// Changes the model of `size` bytes at `data` in place, within `room` bytes; returns the new size.
// What is not a model, and a change that does not fit, stay as they are. The same `seed` makes the
// same change.
std::size_t mutate_model(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed);

}  // namespace onnxc
