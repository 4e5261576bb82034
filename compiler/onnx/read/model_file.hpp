// The bytes of a model file, parsed but not checked.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/limits.hpp"

namespace onnxc {

namespace pb {
class ModelProto;
}

struct ModelFile {
  std::string path;
  std::shared_ptr<pb::ModelProto> proto;  // null: refused, and reported
  std::string sha256;
  std::size_t bytes = 0;
};

// `depth`: how deep subgraphs and types may be nested; of import the default. Throws FatalError(io)
// when the file cannot be read.
ModelFile read_model_file(const std::string& path, Diagnostics& diagnostics,
                          int depth = Limits().depth);

namespace reader {

// Whether initializers of the main graph are in other files.
bool has_external_data(const pb::ModelProto& model);

// What the file appears to be, and what to do with it: "a TFLite model: ..."; "" if unknown.
std::string guess_other_format(std::span<const std::byte> bytes);

// The same for a single tensor in ONNX's own format, such as those of test data.
std::string describe_tensor(std::span<const std::byte> bytes);

// Why bytes that the parser has refused are no model: for the error message only.
// "byte offset 17, field graph.node: length 99 goes past the end"; "" without an error. `depth`:
// how deep messages may be nested.
std::string explain_model_bytes(std::span<const std::byte> bytes, int depth);

}  // namespace reader
}  // namespace onnxc
