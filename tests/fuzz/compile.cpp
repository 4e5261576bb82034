// Bytes as a model file: the whole compilation, without files. The first byte sets options. TRAINS:
// always with the code that trains the model; else once in eight.
#include "compiler/session/session.hpp"
#include "tests/fuzz/model_file.hpp"
#include "tests/fuzz/options.hpp"

const std::size_t onnxc::kModelOffset = 1;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxc;
  if (size < 2) return 0;
  const ModelBytes file(data + 1, size - 1);
  CompileOptions options = options_from(data[0], file.path());
  options.train = TRAINS || data[0] >> 5 == 7;
  options.recompute = data[0] & 8;
  Diagnostics diagnostics;
  try {
    compile(options, diagnostics);
  } catch (const FatalError&) {  // a refusal that ends the command
  }
  return 0;
}
