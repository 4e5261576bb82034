// The text form of the IR holds what passes decide: after each pass over each of our own models it
// reads back as the same text.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "compiler/import/import.hpp"
#include "compiler/ir/parse.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc {
namespace {

void run_everywhere(Graph& graph, const Pass& pass, PassContext& context) {
  pass.run(graph, context);
  if (!pass.nested) return;
  for (auto& node : graph.nodes)
    each_subgraph(*node, [&](Graph& body) { run_everywhere(body, pass, context); });
}

std::set<std::filesystem::path> models() {
  std::set<std::filesystem::path> out;
  const std::string folder = ONNXC_SOURCE_DIR "/tests/conformance/own";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".onnx") out.insert(entry.path());
  return out;
}

void check_every_pass(const std::filesystem::path& path) {
  Diagnostics diagnostics;
  CompileOptions options;
  Model model = import_model(path.string(), diagnostics);
  const Target target = make_target("generic");
  PassContext context{options, target, diagnostics};
  std::string before;
  for (const Pass& pass : pipeline()) {
    if (diagnostics.has_errors()) return;
    run_everywhere(model.graph, pass, context);
    const std::string text = print(model.graph);
    if (text == before) continue;
    INFO(path.string() << " after " << pass.name);
    REQUIRE_NOTHROW(parse_graph(text));
    CHECK(print(*parse_graph(text)) == text);
    before = text;
  }
}

}  // namespace

TEST_CASE("text IR round-trips after every pass over every own model", "[ir]") {
  const auto paths = models();
  CHECK(paths.size() > 500);
  for (const auto& path : paths) check_every_pass(path);
}

}  // namespace onnxc
