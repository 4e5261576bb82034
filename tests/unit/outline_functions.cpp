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

// With another argument of the first step of each call.
std::size_t functions_with(Arg first, Arg second) {
  Program p = two_calls();
  p.steps[0].args.push_back(std::move(first));
  p.steps[2].args.push_back(std::move(second));
  return functions_of(std::move(p));
}

template <class T, class Change>
bool is_compared(const T& value, Change change) {
  T other = value;
  change(other);
  return functions_with({value}, {value}) == 1 && functions_with({value}, {other}) == 0;
}

// Of a parameter and a captured buffer.
Lambda lambda_of(BufferId captured) {
  Lambda f;
  f.form = Lambda::Form::map;
  f.parameters = 1;
  f.captures.resize(1);
  f.captures[0].buffer = captured;
  f.calls.resize(1);
  f.calls[0].fn = {"leaky_relu", {{ops::Literal::Kind::real, 0, 0.5f}}};
  return f;
}

TEST_CASE("every part of an argument is compared") {
  CHECK(
      is_compared(NullArg{ElemType::float32, false}, [](NullArg& a) { a.elem = ElemType::int8; }));
  CHECK(is_compared(NullArg{}, [](NullArg& a) { a.writes = true; }));
  CHECK(is_compared(Dim::symbol("N"), [](Dim& a) { a = a + 1; }));
  CHECK(is_compared(0.0f, [](float& a) { a = -0.0f; }));
  const auto lambda_is_compared = [](auto change) {
    Lambda other = lambda_of(2);
    change(other);
    return functions_with({lambda_of(0)}, {other}) == 0;
  };
  CHECK(functions_with({lambda_of(0)}, {lambda_of(2)}) == 1);
  CHECK(lambda_is_compared([](Lambda& a) { a.form = Lambda::Form::epilogue; }));
  CHECK(lambda_is_compared([](Lambda& a) { a.parameters = 2; }));
  CHECK(lambda_is_compared([](Lambda& a) { a.captures[0].read = Lambda::Read::scalar; }));
  CHECK(lambda_is_compared([](Lambda& a) { a.captures[0].buffer = 0; }));
  CHECK(lambda_is_compared([](Lambda& a) { a.captures.clear(); }));
  CHECK(lambda_is_compared([](Lambda& a) { a.calls.push_back(a.calls[0]); }));
  CHECK(lambda_is_compared([](Lambda& a) { a.calls[0].fn.name = "relu"; }));
  CHECK(lambda_is_compared([](Lambda& a) { a.calls[0].operands.emplace_back(); }));
  CHECK(lambda_is_compared([](Lambda& a) { a.calls[0].fn.literals.clear(); }));
  CHECK(lambda_is_compared([](Lambda& a) { a.calls[0].fn.literals[0].real = 0.25f; }));
  CHECK(lambda_is_compared([](Lambda& a) { a.calls[0].fn.literals[0].integer = 1; }));
  CHECK(lambda_is_compared(
      [](Lambda& a) { a.calls[0].fn.literals[0].kind = ops::Literal::Kind::integer; }));
  CHECK(lambda_is_compared([](Lambda& a) { a.calls[0].fn.literals[0].type = ElemType::int8; }));
}

template <class Change>
std::size_t functions_of_changed(Change change) {
  Program p = two_calls();
  change(p.steps[2]);
  return functions_of(std::move(p));
}

TEST_CASE("every part of a step is compared") {
  CHECK(functions_of_changed([](Step& s) { s.template_args = {"4"}; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.chunks = 2; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.params[0].name = "n"; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.params[0].value = 4.0f; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.params[0].integers = true; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.params.clear(); }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.args.push_back({HeapArg{}}); }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.args.pop_back(); }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.arg_structs = {{"T", 0, 1}}; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.condition = 2; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.counter = 2; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.trips = 2; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.buffer = 2; }) == 0);
  CHECK(functions_of_changed([](Step& s) { s.relations = {{Dim(1), Dim::symbol("N")}}; }) == 0);
  Program p = two_calls();
  for (Step* s : {&p.steps[0], &p.steps[2]}) s->arg_structs = {{"T", 0, 1}};
  CHECK(functions_of(p) == 1);
  p.steps[2].arg_structs = {{"U", 0, 1}};
  CHECK(functions_of(p) == 0);
  p.steps[2].arg_structs = {{"T", 1, 1}};
  CHECK(functions_of(p) == 0);
  p.steps[2].arg_structs = {{"T", 0, 2}};
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
