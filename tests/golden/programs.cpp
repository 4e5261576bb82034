// The Program of a model of each kind, as --dump-ir prints it last, against the files next to this
// one. ONNXC_UPDATE=1 in the environment rewrites the files.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compiler/ir/print_program.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {
namespace {

struct Kind {
  const char* name;
  const char* model;
  const char* target;
  bool train = false;
  const char* devices = "";
};
constexpr Kind kKinds[] = {
    {"static", "/examples/01_mlp/model.onnx", "generic"},
    {"dynamic", "/tests/golden/dynamic.onnx", "generic"},
    {"loop", "/tests/golden/loop.onnx", "generic"},
    {"line_buffered", "/examples/02_cnn/model.onnx", "cortex-m4f"},
    {"training", "/tests/golden/training.onnx", "generic", true},
    {"devices", "/tests/golden/devices.onnx", "generic", false, "devices_2"},
};

std::string text_of(const Compilation& c) {
  std::string text = print(c.inference);
  for (const EntryProgram& entry : c.training) text += "\n" + print(entry.program);
  return text;
}

std::string compile_to_text(const Kind& kind) {
  CompileOptions options;
  options.model = std::string(ONNXC_SOURCE_DIR) + kind.model;
  options.target = kind.target;
  options.train = kind.train;
  options.devices = kind.devices;
  Diagnostics diagnostics;
  std::vector<std::unique_ptr<Model>> models;
  models.push_back(load(options, diagnostics));
  if (*kind.devices) models = partition(*models.front(), options, diagnostics);
  std::string text;
  for (auto& model : models) {
    const auto compilation = lower(std::move(model), options, diagnostics);
    REQUIRE(compilation);
    text += (text.empty() ? "" : "\n") + text_of(*compilation);
  }
  return text;
}

}  // namespace

TEST_CASE("programs of every kind are as written down", "[golden]") {
  for (const Kind& kind : kKinds) {
    const std::string path =
        std::string(ONNXC_SOURCE_DIR) + "/tests/golden/" + kind.name + ".program";
    INFO(path);
    const std::string text = compile_to_text(kind);
    if (std::getenv("ONNXC_UPDATE")) std::ofstream(path) << text;
    std::ifstream in(path);
    std::ostringstream golden;
    golden << in.rdbuf();
    CHECK(text == golden.str());
  }
}

}  // namespace onnxc
