// The text form of the IR holds what passes decide: after each pass over each of our own models it
// reads back as the same text.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/ir/parse.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/onnx/read/import.hpp"
#include "compiler/onnx/text/case_file.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc {
namespace {

// Nothing for other files than those of cases.
std::vector<TextCase> cases_of(const std::filesystem::path& path) {
  if (path.extension() != ".case") return {};
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return parse_case_file(text, path.parent_path());
}

void check_every_pass(const std::string& name, const std::filesystem::path& path) {
  Diagnostics diagnostics;
  CompileOptions options;
  Model model = import_model(path.string(), diagnostics);
  const Target target = make_target("generic");
  PassContext context{options, target, diagnostics};
  std::string before;
  for (const Pass& pass : pipeline()) {
    if (diagnostics.has_errors()) return;
    run_pass(model.graph, pass, context);
    const std::string text = print(model.graph);
    if (text == before) continue;
    INFO(name << " after " << pass.name);
    REQUIRE_NOTHROW(parse_graph(text));
    CHECK(print(*parse_graph(text)) == text);
    before = text;
  }
}

}  // namespace

TEST_CASE("text IR round-trips after every pass over every own model", "[ir]") {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("onnxc-{}.onnx", getpid());
  int count = 0;
  const std::string folder = ONNXC_SOURCE_DIR "/tests/conformance/cases";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    for (const TextCase& c : cases_of(entry.path())) {
      std::ofstream(path, std::ios::binary) << c.model;
      check_every_pass(c.name, path);
      ++count;
    }
  std::filesystem::remove(path);
  CHECK(count > 500);
}

}  // namespace onnxc
