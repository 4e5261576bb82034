// Bytes as a model file: the whole compilation, without files. The first byte sets options.
#include "compiler/session/session.hpp"
#include "tests/fuzz/model_file.hpp"

const std::size_t onnxc::kModelOffset = 1;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxc;
  if (size < 2) return 0;
  const ModelBytes file(data + 1, size - 1);
  CompileOptions options;
  options.model = file.path();
  options.optimize_size = data[0] & 1;
  options.strict_fp = data[0] & 2;
  options.threads = data[0] & 4 ? 2 : 1;
  options.trees_as_code = data[0] & 8;
  options.no_heap = data[0] & 16;
  static const char* const kTargets[] = {"generic",       "x86-64-v3", "cortex-m4f", "cortex-m55",
                                         "cortex-m0plus", "aarch64",   "avr",        "generic"};
  options.target = kTargets[data[0] >> 5];
  options.train = data[0] >> 5 == 7;
  Diagnostics diagnostics;
  try {
    compile(options, diagnostics);
  } catch (const FatalError&) {  // a refusal that ends the command
  }
  return 0;
}
