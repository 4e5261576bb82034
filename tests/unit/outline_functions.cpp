// outline_functions: which steps become functions and calls.
#include <catch2/catch.hpp>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

const std::map<std::string, std::string> kCalls = {{"a/", "F"}, {"b/", "F"}};

// A call of a kernel that reads x and writes y, from the node `source`.
Step step(const std::string& source, const std::string& kernel, BufferId x, BufferId y,
          const Dim& count = 4) {
  Step s;
  s.sources = {source};
  s.kernel = kernel;
  s.params = {{"count", count}};
  s.args = {{BufferArg{x, false}}, {BufferArg{y, true}}};
  return s;
}

// Two calls of F: 0 -> 1 -> 2 and 2 -> 3 -> 4.
Program two_calls() {
  Program p;
  p.buffers.resize(5);
  p.steps = {step("a/1", "map", 0, 1), step("a/2", "copy", 1, 2), step("b/1", "map", 2, 3),
             step("b/2", "copy", 3, 4)};
  return p;
}

std::size_t functions_of(Program p) {
  outline_functions(p, kCalls);
  return p.functions.size();
}

}  // namespace

TEST_CASE("calls that became the same steps are one function") {
  Program p = two_calls();
  outline_functions(p, kCalls);
  REQUIRE(p.functions.size() == 1);
  const OutlinedFunction& f = p.functions[0];
  CHECK(f.name == "F");
  CHECK(f.begin == 0);
  CHECK(f.end == 2);
  REQUIRE(f.parameters.size() == 3);
  CHECK(!f.parameters[0].written);
  CHECK(f.parameters[2].written);
  REQUIRE(p.calls.size() == 2);
  CHECK(p.calls[0].arguments == std::vector<BufferId>{0, 1, 2});
  CHECK(p.calls[1].arguments == std::vector<BufferId>{2, 3, 4});
  CHECK(p.calls[1].begin == 2);
  CHECK(p.calls[1].source == "b");
}

TEST_CASE("calls with other kernels, shapes, types or connections stay separate") {
  CHECK(functions_of(two_calls()) == 1);
  Program p = two_calls();
  p.steps[3].kernel = "gather";
  CHECK(functions_of(p) == 0);
  p = two_calls();
  p.steps[2].params[0].value = Dim(5);
  CHECK(functions_of(p) == 0);
  p = two_calls();
  p.buffers[4].elem = ElemType::float32;
  CHECK(functions_of(p) == 0);
  p = two_calls();
  std::get<BufferArg>(p.steps[3].args[0].value).buffer = 2;
  CHECK(functions_of(p) == 0);
}

TEST_CASE("sizes that steps use are parameters") {
  Program p = two_calls();
  for (Step& s : p.steps) s.params[0].value = Dim::symbol("N") + 1;
  outline_functions(p, kCalls);
  REQUIRE(p.functions.size() == 1);
  CHECK(p.functions[0].sizes == std::vector<std::string>{"N"});
}

}  // namespace onnxc
