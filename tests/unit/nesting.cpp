// nesting.cpp - which steps of a program are in which blocks.
#include "compiler/ir/nesting.hpp"

#include <catch2/catch.hpp>

namespace onnxc {
namespace {

using Kind = Step::Kind;

Program program_of(const std::vector<Kind>& kinds) {
  Program p;
  for (const Kind kind : kinds) {
    p.steps.emplace_back();
    p.steps.back().kind = kind;
  }
  return p;
}

}  // namespace

TEST_CASE("blocks of an If with a Loop in its second branch", "[nesting]") {
  const Program p = program_of({Kind::call, Kind::open_if, Kind::call, Kind::open_else,
                                Kind::open_loop, Kind::call, Kind::close, Kind::close, Kind::call});
  const Nesting nesting(p);
  REQUIRE(nesting.blocks().size() == 3);
  const auto& [then, other, body] =
      std::tie(nesting.blocks()[0], nesting.blocks()[1], nesting.blocks()[2]);
  CHECK((then.begin == 1 && then.end == 3 && then.statement_begin == 1 && then.has_else));
  CHECK((other.begin == 3 && other.end == 7 && other.statement_begin == 1 && !other.has_else));
  CHECK((body.begin == 4 && body.end == 6 && body.parent == 1 && body.is_loop));
  CHECK(nesting.around(0).empty());
  CHECK(nesting.around(2) == std::vector<int>{0});
  CHECK(nesting.around(4) == std::vector<int>{1});
  CHECK(nesting.around(5) == std::vector<int>{1, 2});
  CHECK(nesting.around(7).empty());
  CHECK(nesting.statement_end(0) == 1);
  CHECK(nesting.statement_end(1) == 8);
  CHECK(nesting.statement_end(4) == 7);
  for (const std::size_t step : {0, 8}) CHECK_FALSE(nesting.is_nested(step));
  for (const std::size_t step : {1, 2, 4, 5, 6}) CHECK(nesting.is_nested(step));
}

TEST_CASE("blocks that are still open end after the last step", "[nesting]") {
  const Program p = program_of({Kind::call, Kind::open_loop, Kind::call, Kind::open_if});
  const Nesting nesting(p, 1);
  REQUIRE(nesting.blocks().size() == 2);
  CHECK((nesting.blocks()[0].end == 4 && nesting.blocks()[1].end == 4));
  CHECK(nesting.around(2) == std::vector<int>{0});
  CHECK(nesting.is_nested(3));
}

TEST_CASE("steps in loops run as often as these, if no condition ends them", "[nesting]") {
  Program p = program_of({Kind::open_loop, Kind::call, Kind::open_loop, Kind::call, Kind::close,
                          Kind::open_loop, Kind::call, Kind::close, Kind::close});
  p.steps[0].max_trips = Dim(3);
  p.steps[2].max_trips = Dim::symbol("n");
  p.steps[5].max_trips = Dim(1000);
  p.steps[5].may_end_early = true;
  const std::vector<Dim> times = executions(p);
  CHECK(times[1] == Dim(3));
  CHECK(times[3] == Dim::symbol("n") * Dim(3));
  CHECK(times[6] == Dim(3));
  p.steps[0].max_trips = p.steps[2].max_trips = Dim(std::int64_t{1} << 40);
  CHECK(executions(p)[3] == Dim(kTooMany));
  CHECK(sum_of(Dim(kTooMany), Dim(1)) == Dim(kTooMany));
}

}  // namespace onnxc
