// The bytes of a model file, parsed but not checked.
#pragma once

#include <memory>
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

}  // namespace reader
}  // namespace onnxc
