// concat_in_place: which values become parts of wider ones. The text of a graph does not show it.
#include <catch2/catch.hpp>

#include "compiler/ir/parse.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc {
namespace {

std::unique_ptr<Graph> placed(const std::string& text) {
  auto graph = parse_graph(text);
  const CompileOptions options;
  const Target target = make_target("generic");
  Diagnostics diagnostics;
  PassContext context{options, target, diagnostics};
  for (const char* wanted : {"infer_shapes", "choose_layout", "concat_in_place"})
    for (const Pass& pass : pipeline())
      if (std::string(wanted) == pass.name) pass.run(*graph, context);
  return graph;
}

const Value* value(const Graph& graph, const std::string& name) {
  for (const auto& node : graph.nodes)
    for (const Value* v : node->outputs)
      if (v->name == name) return v;
  return nullptr;
}

TEST_CASE("convolutions write where a Concat wants them", "[passes]") {
  const auto graph = placed(R"(graph "g" (%x: f32[1,2,8,8]) -> (%y) {
  const %w = dense<f32[2,2,1,1]: 1, 2, 3, 4>
  %a = Conv(%x, %w)
  %b = Conv(%a, %w)
  %c = Concat(%a, %b, %b) {axis=1}
  %d = Relu(%c)
  %y = Relu(%d)
}
)");
  const Value *a = value(*graph, "a"), *b = value(*graph, "b"), *c = value(*graph, "c");
  CHECK((a->whole == c && a->whole_channel == 0));
  CHECK((b->whole == c && b->whole_channel == 2));
  CHECK(c->whole == nullptr);
}

TEST_CASE("what some node reads densely stays apart from a Concat", "[passes]") {
  const auto graph = placed(R"(graph "g" (%x: f32[1,2,8,8]) -> (%y, %z) {
  const %w = dense<f32[2,2,1,1]: 1, 2, 3, 4>
  %a = Conv(%x, %w)
  %b = Conv(%a, %w)
  %y = Concat(%a, %b) {axis=1}
  %z = GlobalAveragePool(%b)
}
)");
  CHECK(value(*graph, "a")->whole != nullptr);
  CHECK(value(*graph, "b")->whole == nullptr);
}

}  // namespace
}  // namespace onnxc
