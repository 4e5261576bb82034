// verify_program.cpp - planted faults in a program, each of which verify() must report.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "compiler/schedule/verify.hpp"
#include "tests/unit/scheduled_text.hpp"

namespace onnxc {
namespace {

constexpr const char* kStatic = R"(graph "g" (%x: f32[8,4]) -> (%y) {
  const %axis = dense<i64[]: 0>
  %a = Softmax(%x) {axis=1}
  %b = CumSum(%a, %axis)
  %y = Div(%b, %a)
})";

constexpr const char* kOpen = R"(graph "g" (%x: f32[N,4]) -> (%y) {
  const %axis = dense<i64[]: 0>
  %a = Softmax(%x) {axis=1}
  %b = CumSum(%a, %axis)
  %y = Div(%b, %a)
})";

constexpr const char* kLoop = R"(graph "g" (%x: f32[3], %n: i64[]) -> (%y) {
  %y = Loop(%n, _, %x) {body=graph "b" (%i: i64[], %c: bool[], %s: f32[3]) -> (%c1, %s1) {
    %c1 = Identity(%c)
    %s1 = Add(%s, %s)
  }}
})";

// The size of y is computed.
constexpr const char* kComputed = R"(graph "g" (%x: f32[N], %s: i64[2]) -> (%y) {
  %r = Reshape(%x, %s)
  %a = Sin(%r)
  %b = Cos(%r)
  %y = Concat(%a, %b) {axis=0}
})";

Program sound_program(const char* text) {
  Diagnostics diagnostics;
  Program program = scheduled(text, {}, "generic", diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  REQUIRE(verify(program, true).empty());
  return program;
}

using Kind = Step::Kind;

std::size_t find_step(const Program& p, Kind kind) {
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    if (p.steps[i].kind == kind) return i;
  FAIL("there is no such step");
  return 0;
}

std::vector<BufferId> placed_buffers(const Program& p) {
  std::vector<BufferId> ids;
  for (std::size_t i = 0; i < p.buffers.size(); ++i)
    if (p.buffers[i].kind == Buffer::Kind::arena && p.buffers[i].view_of < 0 &&
        p.buffers[i].offset >= 0)
      ids.push_back(static_cast<BufferId>(i));
  return ids;
}

void erase_step(Program& p, std::size_t i) {
  p.steps.erase(p.steps.begin() + static_cast<std::ptrdiff_t>(i));
}

// The first problem after `plant` changed the program.
std::string problem(const char* text, const std::function<void(Program&)>& plant) {
  Program program = sound_program(text);
  plant(program);
  const auto problems = verify(program, true);
  return problems.empty() ? "" : problems.front();
}

}  // namespace

using Catch::Matchers::Contains;

TEST_CASE("verify finds heap memory that is used wrongly", "[program]") {
  CHECK_THAT(problem(kOpen, [](Program& p) { erase_step(p, find_step(p, Kind::allocate)); }),
             Contains("is used, but not allocated"));
  CHECK_THAT(problem(kOpen, [](Program& p) { erase_step(p, find_step(p, Kind::release)); }),
             Contains("is not released"));
  CHECK_THAT(problem(kOpen,
                     [](Program& p) {
                       const Step release = p.steps[find_step(p, Kind::release)];
                       p.steps.push_back(release);
                     }),
             Contains("is released, but not allocated"));
}

TEST_CASE("verify finds a result that is written before its size is computed", "[program]") {
  const auto open_last = [](Program& p) {
    const auto at = std::find_if(p.steps.begin(), p.steps.end(), [&](const Step& step) {
      return step.kind == Kind::allocate && step.buffer == p.outputs[0];
    });
    REQUIRE(at != p.steps.end());
    std::rotate(at, at + 1, p.steps.end());
  };
  CHECK_THAT(problem(kComputed, open_last), Contains("is used, but not opened"));
}

TEST_CASE("verify finds wrong places in the arena", "[program]") {
  const auto overlap = [](Program& p) {
    for (BufferId id : placed_buffers(p)) p.at(id).offset = 0;
  };
  CHECK_THAT(problem(kStatic, overlap), Contains("overlap"));
  CHECK_THAT(
      problem(kStatic, [](Program& p) { p.at(placed_buffers(p)[0]).offset = p.arena_bytes; }),
      Contains("ends after the arena"));
  CHECK_THAT(problem(kStatic, [](Program& p) { p.at(placed_buffers(p)[0]).offset = -1; }),
             Contains("has no place in the arena"));
}

TEST_CASE("verify finds wrong operands and sizes", "[program]") {
  CHECK_THAT(problem(kStatic,
                     [](Program& p) { std::get<BufferArg>(p.steps[0].args[0].value).buffer = 99; }),
             Contains("is no buffer"));
  CHECK_THAT(problem(kStatic, [](Program& p) { erase_step(p, 0); }),
             Contains("is read, but not written"));
  const auto longer_view = [](Program& p) {
    Buffer view = p.at(placed_buffers(p)[0]);
    view.view_of = placed_buffers(p)[0];
    view.view_offset = 4;
    p.buffers.push_back(view);
  };
  CHECK_THAT(problem(kStatic, longer_view), Contains("which it is a view of"));
  const auto unknown_size = [](Program& p) {
    for (SizeSymbol& s : p.symbols) s.input = -1;
  };
  CHECK_THAT(problem(kOpen, unknown_size), Contains("is not known"));
}

TEST_CASE("verify finds blocks that are not closed", "[program]") {
  CHECK_THAT(problem(kLoop, [](Program& p) { erase_step(p, find_step(p, Kind::close)); }),
             Contains("a block is not closed"));
  CHECK_THAT(
      problem(kLoop, [](Program& p) { p.steps[find_step(p, Kind::close)].kind = Kind::open_else; }),
      Contains("an else without an if"));
}

}  // namespace onnxc
