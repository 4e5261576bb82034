// Bytes as a model file with annotations for devices: the programs of each of its configurations.
// The first byte sets options.
#include "compiler/session/session.hpp"
#include "tests/fuzz/model_file.hpp"
#include "tests/fuzz/options.hpp"

const std::size_t onnxc::kModelOffset = 1;

namespace {

using namespace onnxc;

void compile_parts(const ModelFile& file, const CompileOptions& options) {
  Diagnostics diagnostics;
  auto parts = models_to_lower(load(file, options, diagnostics), options, diagnostics);
  for (auto& part : parts) {
    const CompileOptions own = options_of_device(options, part->device->number);
    const auto compilation = lower(std::move(part), own, diagnostics);
    if (compilation) emit(*compilation, diagnostics);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const ModelBytes bytes(data + 1, size - 1);
  CompileOptions options = options_from(data[0], bytes.path());
  Diagnostics diagnostics;
  try {
    const ModelFile file = open_model(options, diagnostics);
    const auto model = load(file, options, diagnostics);
    for (const DeviceConfiguration& configuration : model->configurations) {
      options.devices = configuration.name;
      compile_parts(file, options);
    }
  } catch (const FatalError&) {  // a refusal that ends the command
  }
  return 0;
}
