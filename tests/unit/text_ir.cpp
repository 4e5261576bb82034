// The text form of the IR: what is printed reads back as the same graph.
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/ir/parse.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/ir/verify.hpp"

using namespace onnxc;

namespace {

const char* const kExample =
    R"(graph "example" (%x: f32[N,4], %"odd name": bool[]) -> (%y, %y2) {
  const %w = dense<f32[2]: 1.5, -2>
  const %words = dense<str[2]: "a\"b", "\x00\xff">
  const %half = dense<f16[2]: 0x003c00c0>
  value %left: unknown
  %y: f32[2*N + floor_div(N, 2),4] !layout channels_last = Relu(%x) !name "/relu" !version 14
  %y2: i64[2] !extent [N,4] !const dense<i64[2]: 1, 2> = Add(%w, %w) )"
    R"({a=1, b=2.0, c="s", d=[1, 2], e=[1.0, 0.5], f=ints[], g=strings[], t=type(seq(f32[*]))} )"
    R"(!as "Sum" "ai.onnx" !index 3 !sources ["p", "q"] !body {f32 Relu(acc); f32 Add(step 0, in 1)}
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

TEST_CASE("text IR: annotations for several devices", "[ir]") {
  const char* text = R"(graph "g" (%x: f32[N,6]) -> (%y) {
  %y: f32[N,6] = Relu(%x) !devices "a" () !devices "b" stage 2 (%x on [[0, 1], [2]] axis 1 )"
                     R"((3 into 1, _ into 2), %y on [[3]] axis -2 (2*N into 1) axis 1 (_ into 1))
}
)";
  const auto graph = parse_graph(text);
  CHECK(print(*graph) == text);
  const auto& devices = *graph->nodes[0]->devices;
  REQUIRE(devices.size() == 2);
  CHECK(devices[1].specs[0].value == graph->inputs[0]);
  CHECK(devices[1].specs[0].groups == std::vector<std::vector<int>>{{0, 1}, {2}});
  CHECK(devices[1].specs[1].axes.size() == 2);
}

TEST_CASE("text IR: errors name the line", "[ir]") {
  CHECK_THROWS_WITH(parse_graph("graph () -> () {\n  %y = Relu(%x)\n}"), "line 2: undefined: %x");
  CHECK_THROWS_WITH(parse_graph("graph () -> () {\n  %y = Nope()\n}"),
                    "line 2: unknown operator Nope");
  CHECK_THROWS_AS(parse_graph("graph (%x: f32[" + std::string(100000, '-')), ParseError);
  CHECK_THROWS_AS(parse_graph("graph ("), ParseError);
}

TEST_CASE("text IR: names that the compiler made are not made again", "[ir]") {
  const auto graph = parse_graph("graph (%x#1223000000, %x#2, %y#3) -> () {}");
  CHECK(graph->fresh_name("x") == "x#1223000001");
  CHECK(graph->fresh_name("y") == "y#4");
}

TEST_CASE("text IR: integers keep to the range of their field", "[ir]") {
  const auto [fact, message] = GENERATE(table<std::string, std::string>({
      {"!index -8", "integer -8 is out of range"},
      {"!body_inputs -1", "integer -1 is out of range"},
      {"!version 4294967297", "integer 4294967297 is out of range"},
      {"!body {f32 Relu(in -1)}", "operand -1 is out of range"},
      {"!body {f32 Relu(step -1)}", "operand -1 is out of range"},
      {"!devices \"d\" stage 2147483648 ()", "integer 2147483648 is out of range"},
  }));
  CHECK_THROWS_WITH(parse_graph("graph (%x: f32[2]) -> (%y) {\n  %y = Relu(%x) " + fact + "\n}"),
                    "line 2: " + message);
  CHECK_THROWS_WITH(parse_graph("graph (%x: f32[2] !state 2147483648) -> () {}"),
                    "line 1: integer 2147483648 is out of range");
}

TEST_CASE("text IR: parts of wider tensors", "[ir]") {
  const char* text = R"(graph "g" (%x: f32[1,2,8,8]) -> (%y) {
  const %w = dense<f32[2,2,1,1]: 1, 2, 3, 4>
  value %b#1: f32[1,18,8,8] !layout channels_last
  %a: f32[1,2,8,8] !layout channels_last !view_of %c channel 2 = Conv(%x, %w)
  %b: f32[1,2,8,8] !layout channels_last !view_of %b#1 channel 0 = Conv(%a, %w)
  %c: f32[1,4,8,8] !layout channels_last = Concat(%b, %a) {axis=1}
  %y: f32[1,4,8,8] = onnxc::Reorder(%c)
}
)";
  const auto graph = parse_graph(text);
  CHECK(print(*graph) == text);
  CHECK(verify(*graph, true).empty());
  CHECK_THROWS_WITH(parse_graph("graph (%x: f32[1] !view_of %z channel 0) -> () {}"),
                    "line 1: undefined: %z");
}

TEST_CASE("verify finds views that a node cannot write or read", "[ir]") {
  const auto problems = [](const std::string& place, const std::string& result,
                           const std::string& reader) {
    const auto graph = parse_graph(R"(graph "g" (%x: f32[1,2,8,8]) -> ()" + result + R"() {
  const %w = dense<f32[2,2,1,1]: 1, 2, 3, 4>
  %a: f32[1,2,8,8] !layout channels_last )" +
                                   place + R"( = Conv(%x, %w)
  %m: f32[1,2,8,8] !layout channels_last = Relu(%a)
  %c: f32[1,4,8,8] !layout channels_last = Concat(%a, %m) {axis=1}
  )" + reader + "\n}\n");
    return verify(*graph, false);
  };
  using Problems = std::vector<std::string>;
  const std::string dense = "%r: f32[1,2,8,8] = onnxc::Reorder(%a)";
  const std::string fine = "%r: f32[1,2,8,8] !layout channels_last = MaxPool(%a)";
  const std::string relu = "node 0 making \"m\" (Relu) reads the part \"a\" densely";
  CHECK(problems("", "%a", dense) == Problems{});
  CHECK(problems("!view_of %c channel 0", "%c", fine) == Problems{relu});
  CHECK(problems("!view_of %c channel 0", "%c", dense) ==
        Problems{relu, "node 0 making \"r\" (onnxc:Reorder) reads the part \"a\" densely"});
  CHECK(problems("!view_of %c channel 0", "%a", fine) ==
        Problems{relu, "graph output \"a\" is a part"});
  CHECK(problems("!view_of %c channel 2", "%c", fine) ==
        Problems{"\"a\" is not where \"c\" needs it", relu});
  CHECK(problems("!view_of %c channel 3", "%c", fine) ==
        Problems{"\"a\" does not fit into \"c\"", relu});
  CHECK(problems("!view_of %m channel 0", "%c", fine) ==
        Problems{"\"a\" is not where \"m\" needs it", relu});
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

TEST_CASE("text IR: views, sizes, fused operands", "[ir]") {
  const char* text =
      R"(graph "g" (%x: f32[N,2,3], %n: i64[1]) -> (%y) {
  range N !low 1 !high 9
  range n2 !at_most 2*N
  define long = broadcast(M, N, n2)
  equal N, n2
  broadcasts M, N
  %s: i64[2] !partial_extent [N, _] = Concat(%n, %n) {axis=0}
  %f: f32[1] !before_rounding [min(N, 512)] = Cast(%n) {to=1}
  %y: f32[N,2,3] = onnxc::DotProductAttention(%x, %x, %x) )"
      R"({q=view([1,1,N,2,3], [0,0,6,3,1], 2*N)} !body_inputs 1 !body {f32 Add(acc, in 2)}
}
)";
  const auto graph = parse_graph(text);
  CHECK(print(*graph) == text);
  CHECK(graph->relations.size() == 2);
  CHECK(graph->ranges.at("N").high == 9);
  CHECK(graph->nodes[2]->body_inputs == 1);
  CHECK_THROWS_WITH(parse_graph("graph (%x: f32[1]) -> () { %y = Relu(%x) {v=view([1], [], 0)} }"),
                    "line 1: a view needs a stride for every axis");
}

TEST_CASE("verify finds views that leave their tensors", "[ir]") {
  const auto problems = [](const std::string& view) {
    const auto graph = parse_graph(R"(graph "g" (%x: f32[2,3]) -> () {
  %y: f32[2,3] = onnxc::DotProductAttention(%x, %x, %x) {q=)" +
                                   view + "}\n}\n");
    return verify(*graph, true);
  };
  CHECK(problems("view([2,3], [3,1], 0)").empty());
  CHECK(problems("view([4,3], [0,2], 1)").empty());
  CHECK(problems("view([0,3], [3,1], 99)").empty());
  CHECK(problems("view([N,3], [3,1], 0)").empty());
  CHECK(problems("view([2,3], [3,1], 1)") ==
        std::vector<std::string>{"node 0 making \"y\" (onnxc:DotProductAttention): "
                                 "view([2,3], [3,1], 1) is no part of \"x\""});
}
