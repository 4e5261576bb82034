// Explains why some bytes are not a protobuf message of a known type: for the error message only,
// after the real parser has refused them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace onnxc::reader {

// "byte offset 17, field graph.node: length 99 goes past the end"; "" without an error. `depth`:
// how deep messages may be nested.
std::string explain_model_bytes(std::span<const std::byte> bytes, int depth);

}  // namespace onnxc::reader
