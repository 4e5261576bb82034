// A copy of a model is equal to it, and independent.
#include <catch2/catch.hpp>
#include <string>

#include "compiler/ir/clone.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {
namespace {

std::string code(std::unique_ptr<Model> model, const CompileOptions& options) {
  Diagnostics diagnostics;
  std::string text;
  for (auto& one : models_to_lower(std::move(model), options, diagnostics)) {
    const auto compilation = lower(std::move(one), options, diagnostics);
    REQUIRE(compilation);
    for (const GeneratedFile& file : emit(*compilation, diagnostics).files) text += file.content;
  }
  REQUIRE_FALSE(text.empty());
  return text;
}

// The copy outlives the model: nothing in it may refer to that.
void check_copy(const std::string& name, CompileOptions options) {
  INFO(name);
  options.model = std::string(ONNXC_SOURCE_DIR) + "/tests/golden/" + name + ".onnx";
  Diagnostics diagnostics;
  std::unique_ptr<Model> model = load(options, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  const std::string before = print(model->graph);
  std::unique_ptr<Model> copy = copy_model(*model);
  CHECK(print(copy->graph) == before);
  code(copy_model(*model), options);
  CHECK(print(model->graph) == before);
  const std::string of_model = code(std::move(model), options);
  CHECK(code(std::move(copy), options) == of_model);
}

}  // namespace

TEST_CASE("a copy of a model compiles to the same code, and the model stays as it was", "[ir]") {
  for (const char* name : {"loop", "dynamic", "functions", "words", "quantized"})
    check_copy(name, {});
  CompileOptions trained;
  trained.train = true;
  check_copy("training", trained);
  CompileOptions spread;
  spread.devices = "devices_2";
  check_copy("devices", spread);
}

}  // namespace onnxc
