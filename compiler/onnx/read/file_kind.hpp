// Names the kind of a file that is not an ONNX model, for the error message only.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace onnxc::reader {

// What the file appears to be, and what to do with it: "a TFLite model: ..."; "" if unknown.
std::string guess_other_format(std::span<const std::byte> bytes);

// The same for a single tensor in ONNX's own format, such as those of test data.
std::string describe_tensor(std::span<const std::byte> bytes);

}  // namespace onnxc::reader
