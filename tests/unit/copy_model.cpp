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
  const auto compilation = lower(std::move(model), options, diagnostics);
  REQUIRE(compilation);
  std::string text;
  for (const GeneratedFile& file : emit(*compilation, diagnostics).files) text += file.content;
  return text;
}

}  // namespace

TEST_CASE("a copy of a model compiles to the same code, and the model stays as it was", "[ir]") {
  for (const char* name : {"loop", "dynamic", "functions", "words", "quantized"}) {
    INFO(name);
    CompileOptions options;
    options.model = std::string(ONNXC_SOURCE_DIR) + "/tests/golden/" + name + ".onnx";
    Diagnostics diagnostics;
    std::unique_ptr<Model> model = load(options, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    const std::string before = print(model->graph);
    std::unique_ptr<Model> copy = copy_model(*model);
    CHECK(print(copy->graph) == before);
    const std::string of_copy = code(std::move(copy), options);
    CHECK(print(model->graph) == before);
    CHECK(of_copy == code(std::move(model), options));
  }
}

}  // namespace onnxc
