// Bytes as a model file: import, checks, shape inference.
#include "compiler/session/session.hpp"
#include "tests/fuzz/model_file.hpp"

const std::size_t onnxc::kModelOffset = 0;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxc;
  if (size == 0) return 0;
  const ModelBytes file(data, size);
  CompileOptions options;
  options.model = file.path();
  Diagnostics diagnostics;
  try {
    load(options, diagnostics);
  } catch (const FatalError&) {  // says that the file cannot be read
  }
  return 0;
}
