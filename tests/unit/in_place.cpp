// Which outputs may take the place of inputs.
#include "compiler/schedule/in_place.hpp"

#include <catch2/catch.hpp>

namespace onnxc {
namespace {

// Input 0 and output 1 of the given bytes, arena 2.
Program program(std::int64_t in_bytes, std::int64_t out_bytes) {
  Program p;
  for (const auto& [kind, bytes] : {std::pair{Buffer::Kind::input, in_bytes},
                                    {Buffer::Kind::output, out_bytes},
                                    {Buffer::Kind::arena, in_bytes}}) {
    Buffer b;
    b.kind = kind;
    b.elem = ElemType::uint8;
    b.shape = {bytes};
    p.buffers.push_back(b);
  }
  p.inputs = {0};
  p.outputs = {1};
  return p;
}

void add_step(Program& p, std::vector<BufferId> reads, BufferId writes, bool shares = false) {
  Step s;
  for (BufferId id : reads) s.args.push_back({BufferArg{id, false}});
  s.args.push_back({BufferArg{writes, true}});
  if (shares) s.may_share.emplace_back(reads[0], writes);
  p.steps.push_back(s);
}

void add_block(Program& p, Step::Kind kind) {
  Step s;
  s.kind = kind;
  p.steps.push_back(s);
}

}  // namespace

TEST_CASE("in_place_ports: the last reader of an input writes the output", "[plan]") {
  Program p = program(8, 8);
  add_step(p, {0}, 2);
  add_step(p, {0, 2}, 1, true);
  const auto pairs = in_place_ports(p);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].input == 0);
  CHECK(pairs[0].output == 0);
}

TEST_CASE("in_place_ports: what keeps an output separate", "[plan]") {
  SECTION("the step does not allow it") {
    Program p = program(8, 8);
    add_step(p, {0}, 1);
    CHECK(in_place_ports(p).empty());
  }
  SECTION("the input is read afterwards, by way of a view") {
    Program p = program(8, 8);
    p.at(2).view_of = 0;
    add_step(p, {0}, 1, true);
    add_step(p, {2}, 1);
    CHECK(in_place_ports(p).empty());
  }
  SECTION("the step reads the input twice") {
    Program p = program(8, 8);
    add_step(p, {0, 0}, 1, true);
    CHECK(in_place_ports(p).empty());
  }
  SECTION("the output is written before") {
    Program p = program(8, 8);
    add_step(p, {2}, 1);
    add_step(p, {0}, 1, true);
    CHECK(in_place_ports(p).empty());
  }
  SECTION("the sizes differ") {
    Program p = program(8, 16);
    add_step(p, {0}, 1, true);
    CHECK(in_place_ports(p).empty());
  }
  SECTION("a loop does it again") {
    Program p = program(8, 8);
    add_block(p, Step::Kind::open_loop);
    add_step(p, {0}, 1, true);
    add_block(p, Step::Kind::close);
    CHECK(in_place_ports(p).empty());
  }
}

}  // namespace onnxc
