// The text form of the IR: what is printed reads back as the same graph.
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/ir/parse.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/ir/verify.hpp"

using namespace onnxc;

namespace {

const char* const kExample = R"(graph "example" (%x: f32[N,4], %"odd name": bool[]) -> (%y, %y2) {
  const %w = dense<f32[2]: 1.5, -2>
  const %words = dense<str[2]: "a\"b", "\x00\xff">
  const %half = dense<f16[2]: 0x003c00c0>
  value %left: unknown
  %y: f32[2*N + floor_div(N, 2),4] !layout channels_last = Relu(%x) !name "/relu" !version 14
  %y2: i64[2] !extent [N,4] !const dense<i64[2]: 1, 2> = Add(%w, %w) {a=1, b=2.0, c="s", d=[1, 2], e=[1.0, 0.5], f=ints[], g=strings[], t=type(seq(f32[*]))} !as "Sum" "ai.onnx" !index 3 !sources ["p", "q"] !body {f32 Relu(acc); f32 Add(step 0, in 1)}
}
)";

}  // namespace

TEST_CASE("text IR round-trips", "[ir]") {
  const auto graph = parse_graph(kExample);
  CHECK(print(*graph) == kExample);
  CHECK(graph->nodes.size() == 2);
  CHECK(graph->nodes[1]->body[1].operands == std::vector<int>{~0, 1});
  CHECK(graph->nodes[1]->inputs[0] == graph->nodes[1]->inputs[1]);
}

TEST_CASE("text IR: values of outer graphs and NaNs", "[ir]") {
  const char* text = R"(graph "outer" (%x: f32[2]) -> (%y) {
  %y: f32[2] = Relu(%x) {body=graph "inner" () -> (%x) {
    %x: f32[2] = Relu(^%x)
  }, nan=bits<7fc00001>}
}
)";
  const auto graph = parse_graph(text);
  CHECK(print(*graph) == text);
  CHECK(std::isnan(std::get<float>(*graph->nodes[0]->find("nan"))));
  CHECK(verify(*graph, true).empty());
}

TEST_CASE("text IR: errors name the line", "[ir]") {
  CHECK_THROWS_WITH(parse_graph("graph () -> () {\n  %y = Relu(%x)\n}"), "line 2: undefined: %x");
  CHECK_THROWS_WITH(parse_graph("graph () -> () {\n  %y = Nope()\n}"),
                    "line 2: unknown operator Nope");
  CHECK_THROWS_AS(parse_graph("graph (%x: f32[" + std::string(100000, '-')), ParseError);
  CHECK_THROWS_AS(parse_graph("graph ("), ParseError);
}

TEST_CASE("verify finds broken graphs", "[ir]") {
  auto graph =
      parse_graph("graph (%x: f32[2]) -> (%b) { %a: f32[2] = Relu(%x) %b: f32[2] = Relu(%a) }");
  CHECK(verify(*graph, true).empty());
  std::swap(graph->nodes[0], graph->nodes[1]);
  CHECK(verify(*graph, true) ==
        std::vector<std::string>{"node 0 making \"b\" (Relu) uses \"a\" before it is made"});
  std::swap(graph->nodes[0], graph->nodes[1]);
  graph->nodes[1]->outputs[0]->type = {};
  CHECK(verify(*graph, true) == std::vector<std::string>{"\"b\" has no type"});
  graph->nodes[1]->outputs[0]->producer = nullptr;
  CHECK(!verify(*graph, false).empty());
}
