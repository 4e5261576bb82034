// Use-lists and the graph editor.
#include "compiler/ir/editor.hpp"

#include <catch2/catch.hpp>

#include "compiler/ir/clone.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/ir/parse.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/ir/verify.hpp"

using namespace onnxc;

namespace {

// a = x * x, read twice and by a body; b = -a is dead.
const char* const kText = R"(graph "g" (%x: f32[2], %c: bool[]) -> (%y, %z) {
  %a: f32[2] = Mul(%x, %x) !name "square" !index 7 !version 14 !sources ["square a"]
  %b: f32[2] = Neg(%a)
  %y: f32[2] = Relu(%a)
  %z: f32[2] = If(%c) {else_branch=graph "e" () -> (%"%x2") {
    %"%x2": f32[2] = Neg(^%a)
  }, then_branch=graph "t" () -> (^%a) {
  }}
}
)";

Value* named(const Graph& graph, const std::string& name) {
  for (const auto& v : graph.values)
    if (v->name == name) return v.get();
  FAIL("no value " << name);
  return nullptr;
}

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.nodes) names.emplace_back(node->op->name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("operands keep the uses of their values", "[ir]") {
  Graph graph;
  Value *a = graph.add_value("a"), *b = graph.add_value("b");
  Node* node = graph.add_node(&ops::get("Sum"), {a, b, a}, {graph.add_value("y")});
  CHECK(a->users().size() == 2);
  node->inputs.set(0, b);
  REQUIRE(a->users().size() == 1);
  CHECK(a->users()[0].node == node);
  CHECK(a->users()[0].index == 2);
  node->inputs.erase(0);  // b, a
  CHECK(b->users().size() == 1);
  CHECK(a->users()[0].index == 1);
  node->inputs.insert(0, nullptr);  // -, b, a
  CHECK(a->users()[0].index == 2);
  graph.outputs = {a, a};
  CHECK(a->users().size() == 3);
  replace_uses(a, b);
  CHECK(a->users().empty());
  CHECK(b->users().size() == 4);
  CHECK(graph.outputs[1] == b);
  graph.nodes.clear();
  CHECK(b->users().size() == 2);
}

TEST_CASE("uses in bodies and outputs of bodies count", "[ir]") {
  const auto graph = parse_graph(kText);
  CHECK(verify(*graph, true).empty());
  CHECK(named(*graph, "a")->users().size() == 4);
  CHECK(only_user(*named(*graph, "c")) == graph->nodes[3].get());
  CHECK(only_user(*named(*graph, "a")) == nullptr);
  CHECK(only_user(*named(*graph, "y")) == nullptr);
  CHECK(producer_for_one(*named(*graph, "y")) == graph->nodes[2].get());
}

TEST_CASE("uses of a graph that was moved or copied are its own", "[ir]") {
  auto parsed = parse_graph(kText);
  Graph around;
  const auto copy = copy_graph(*parsed, around, {});
  CHECK(named(*parsed, "a")->users().size() == 4);
  const Graph moved = std::move(*parsed);
  CHECK(verify(moved, true).empty());
  CHECK(copy->nodes.size() == moved.nodes.size());
}

TEST_CASE("the editor inserts nodes with the facts of those they stand for", "[ir]") {
  const auto graph = parse_graph(kText);
  GraphEditor editor(*graph);
  std::size_t visits = 0;
  editor.each([&](Node& node) {
    ++visits;
    if (node.op != &ops::get("Mul")) return;
    Value *x = node.inputs[0], *a = node.outputs[0];
    Value* two = editor.constant(Tensor::scalar(2.0f), "two");
    Node& last = editor.emit_as(a, "Abs", {editor.emit("Pow", {x, two}, a->type)});
    CHECK(last.name == "square");
    CHECK(last.index == 7);
    CHECK(last.version == 14);
    CHECK(last.sources == Names{"square a"});
    editor.after(last);
    editor.emit("Exp", {a}, a->type);
    editor.erase(node);
  });
  CHECK(visits == 4);
  CHECK(operators(*graph) == Names{"Pow", "Abs", "Exp", "Neg", "Relu", "If"});
  CHECK(verify(*graph, true).empty());
}

TEST_CASE("the editor erases what only the erased node needed", "[ir]") {
  const auto graph = parse_graph(kText);
  Value* a = named(*graph, "a");
  {
    GraphEditor editor(*graph);
    editor.erase(*graph->nodes[1]);
    CHECK(a->users().size() == 3);
    CHECK(graph->nodes.size() == 4);  // until it commits
  }
  CHECK(operators(*graph) == Names{"Mul", "Relu", "If"});
  GraphEditor editor(*graph);
  editor.replace(named(*graph, "z"), named(*graph, "x"));
  editor.replace(named(*graph, "y"), named(*graph, "x"));
  editor.erase(*graph->nodes[2]);
  CHECK(a->users().size() == 1);
  editor.erase(*graph->nodes[1]);
  editor.commit();
  CHECK(graph->nodes.empty());
  CHECK(verify(*graph, true).empty());
}

TEST_CASE("an editor of a body leaves the graph around it alone", "[ir]") {
  const auto graph = parse_graph(kText);
  Graph& body = *std::get<std::shared_ptr<Graph>>(*graph->nodes[3]->find("else_branch"));
  GraphEditor editor(body);
  editor.replace(body.nodes[0]->outputs[0], named(*graph, "x"));
  editor.erase(*body.nodes[0]);
  editor.commit();
  CHECK(body.nodes.empty());
  CHECK(graph->nodes.size() == 4);
  CHECK(named(*graph, "a")->users().size() == 3);
  CHECK(verify(*graph, true).empty());
}

TEST_CASE("verify finds a node that does not know its graph", "[ir]") {
  const auto graph = parse_graph(kText);
  graph->nodes[1]->graph = nullptr;
  CHECK(verify(*graph, true).size() == 1);
}
