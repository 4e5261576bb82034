// --input-rows: how many rows of an image the caller supplies, and of what size.
#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/scheduled_text.hpp"

namespace onnxc {
namespace {

struct Compiled {
  std::optional<RowInput> rows;
  std::string message;
};

Compiled compiled(const std::string& text, const std::string& input) {
  CompileOptions options;
  options.input_rows = input;
  Diagnostics diagnostics;
  const Program program = scheduled(text, options, "cortex-m4f", diagnostics);
  if (diagnostics.has_errors()) return {{}, diagnostics.all().front().message};
  return {row_input(program), ""};
}

std::string network(const std::string& size, const std::string& nodes) {
  return "graph \"g\" (%x: f32[" + size + R"(]) -> (%y) {
  const %w = dense<f32[4,3,3,3]: )" +
         [] {
           std::string w = "1";
           for (int i = 1; i < 108; ++i) w += ", 1";
           return w;
         }() +
         ">\n" + nodes + "}\n";
}

constexpr const char* kPlanes =
    "  %c = Conv(%x, %w) {strides=[2,2]}\n  %y = GlobalAveragePool(%c)\n";
constexpr const char* kPixels =
    "  %t = Transpose(%x) {perm=[0,3,1,2]}\n  %c = Conv(%t, %w) {strides=[2,2]}\n"
    "  %y = GlobalAveragePool(%c)\n";

}  // namespace

TEST_CASE("a row is one of each plane, or of pixels with all channels", "[input_rows]") {
  const auto planes = compiled(network("1,3,20,16", kPlanes), "x").rows;
  REQUIRE(planes);
  CHECK((planes->rows == 20 && planes->planes == 3 && planes->width == 16));
  const auto pixels = compiled(network("1,20,16,3", kPixels), "x").rows;
  REQUIRE(pixels);
  CHECK((pixels->rows == 20 && pixels->planes == 1 && pixels->width == 48));
}

TEST_CASE("without the option no input is supplied by rows", "[input_rows]") {
  CHECK_FALSE(compiled(network("1,3,20,16", kPlanes), "").rows);
}

TEST_CASE("what is not compiled row by row is refused", "[input_rows]") {
  const auto message = [](const std::string& size, const std::string& nodes,
                          const std::string& input) {
    return compiled(network(size, nodes), input).message;
  };
  CHECK(message("N,3,20,16", kPlanes, "x") == "what reads 'x', x (Reorder), needs the whole of it");
  CHECK(message("1,3,20,16", "  %y = Softmax(%x) {axis=0}\n", "x") ==
        "what reads 'x', y (Softmax), needs the whole of it");
  CHECK(message("1,3,20,16", kPlanes, "z") == "the model has no input 'z'; it has x");
}

}  // namespace onnxc
