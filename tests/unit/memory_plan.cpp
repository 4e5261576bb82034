// memory_plan.cpp - offsets of buffers in the arena: alive together, they do not overlap.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

BufferId add_buffer(Program& p, std::int64_t bytes) {
  Buffer b;
  b.elem = ElemType::uint8;
  b.shape = {bytes};
  p.buffers.push_back(b);
  return static_cast<BufferId>(p.buffers.size() - 1);
}

void add_step(Program& p, std::vector<BufferId> reads, BufferId writes) {
  Step s;
  for (BufferId id : reads) s.args.push_back({BufferArg{id, false}});
  s.args.push_back({BufferArg{writes, true}});
  p.steps.push_back(s);
}

// A layer alone that reads x and writes y.
void add_layer(Program& p, BufferId x, BufferId y, std::int64_t before, std::int64_t after) {
  add_step(p, {x}, y);
  p.steps.back().group = static_cast<int>(p.groups.size());
  LineBufferedGroup group;
  group.buffers = {x, y};
  group.distances = {{x, y, after}, {y, x, before}};
  const auto bytes = [&](BufferId id) { return (*p.capacity(id) + 63) / 64 * 64; };
  group.most =
      std::min(std::max(before + bytes(x), bytes(y)), std::max(after + bytes(y), bytes(x)));
  p.groups.push_back(group);
}

bool overlap(const Program& p, BufferId a, BufferId b) {
  const std::int64_t a0 = p.at(a).offset, b0 = p.at(b).offset;
  return a0 < b0 + *p.capacity(b) && b0 < a0 + *p.capacity(a);
}

}  // namespace

TEST_CASE("plan_memory keeps buffers that are alive together disjoint, in random programs",
          "[plan]") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Program p;
    std::vector<std::size_t> last_use;
    for (int i = 0; i < 40; ++i) {
      std::vector<BufferId> reads;
      for (int k = 0; k < 2 && !p.buffers.empty(); ++k) {
        const std::size_t window = std::min<std::size_t>(p.buffers.size(), 6);
        reads.push_back(static_cast<BufferId>(p.buffers.size() - 1 - random() % window));
        last_use[static_cast<std::size_t>(reads.back())] = static_cast<std::size_t>(i);
      }
      const BufferId out = add_buffer(p, 1 + static_cast<std::int64_t>(random() % 5000));
      last_use.push_back(static_cast<std::size_t>(i));
      add_step(p, reads, out);
    }
    plan_memory(p);
    CHECK(p.lower_bound <= p.arena_bytes);
    CHECK(p.arena_bytes <= p.lower_bound * 3 / 2);
    for (std::size_t a = 0; a < p.buffers.size(); ++a)
      for (std::size_t b = a + 1; b < p.buffers.size(); ++b)
        if (b <= last_use[a])
          REQUIRE_FALSE(overlap(p, static_cast<BufferId>(a), static_cast<BufferId>(b)));
  }
}

TEST_CASE("plan_memory lets outputs lie across inputs that die", "[plan]") {
  // Each output may begin two lines before its input, or three after it.
  Program p;
  std::vector<BufferId> chain = {add_buffer(p, 1000)};
  const BufferId state = add_buffer(p, 2000);  // has a place of its own
  p.at(state).kind = Buffer::Kind::state;
  p.at(state).offset = 0;
  add_step(p, {state}, chain[0]);
  for (int i = 0; i < 6; ++i) {
    chain.push_back(add_buffer(p, i % 2 == 0 ? 1000 : 900));
    add_layer(p, chain[chain.size() - 2], chain.back(), 128, 192);
  }
  plan_memory(p);
  CHECK(p.lower_bound == p.arena_bytes);
  CHECK(p.arena_bytes < 1024 + 192 + 64);
  CHECK(is_sound_plan(p));
  for (std::size_t i = 1; i < chain.size(); ++i) {
    const std::int64_t distance = p.at(chain[i]).offset - p.at(chain[i - 1]).offset;
    CHECK((distance <= -128 || distance >= 192));
  }
  add_step(p, {chain.back()}, state);
  CHECK(is_sound_plan(p));
  p.at(chain[3]).offset = p.at(chain[2]).offset + 128;
  CHECK_FALSE(is_sound_plan(p));
}

TEST_CASE("plan_memory lets line buffers of a group lie across each other", "[plan]") {
  // x dies row by row while y is written; a buffer between them holds 300 bytes, 100 of them while
  // the other holds all of its own.
  Program p;
  const BufferId x = add_buffer(p, 1000), a = add_buffer(p, 304), b = add_buffer(p, 304),
                 y = add_buffer(p, 1000);
  add_step(p, {}, x);
  add_step(p, {x}, a);
  add_step(p, {a}, b);
  add_step(p, {b}, y);
  add_step(p, {y}, add_buffer(p, 16));
  for (std::size_t i = 1; i < 4; ++i) p.steps[i].group = 0;
  LineBufferedGroup group;
  group.layers = 3;
  group.buffers = {x, a, b, y};
  for (BufferId from : group.buffers)
    for (BufferId to : group.buffers)
      if (from != to) group.distances.push_back({from, to, *p.capacity(from)});
  const auto distance = [&](BufferId from, BufferId to) -> std::int64_t& {
    return std::find_if(group.distances.begin(), group.distances.end(),
                        [&](const auto& d) { return d.a == from && d.b == to; })
        ->bytes;
  };
  distance(a, b) = 128;
  distance(y, x) = 192;
  group.most = 1000 + 192 + 304 + 128;
  p.groups.push_back(group);
  plan_memory(p);
  CHECK(is_sound_plan(p));
  CHECK(p.arena_bytes <= 1024 + 192 + 128 + 320);
  CHECK(p.at(a).offset + 128 <= p.at(b).offset);
  CHECK(p.at(y).offset + 192 <= p.at(x).offset);
  CHECK(lifetimes(p)[static_cast<std::size_t>(b)].first == 1);
  CHECK(lifetimes(p)[static_cast<std::size_t>(x)].last == 3);
  p.at(b).offset = p.at(a).offset + 64;
  CHECK_FALSE(is_sound_plan(p));
}

TEST_CASE("plan_memory keeps an input that is read later separate from the output", "[plan]") {
  Program p;
  const BufferId x = add_buffer(p, 100), y = add_buffer(p, 100), z = add_buffer(p, 100);
  add_step(p, {}, x);
  add_layer(p, x, y, 0, 0);
  add_step(p, {x, y}, z);
  plan_memory(p);
  CHECK_FALSE(overlap(p, x, y));
  p.steps.back().args.erase(p.steps.back().args.begin() + 1);  // nothing reads the output
  plan_memory(p);
  CHECK_FALSE(overlap(p, x, y));
}

TEST_CASE("plan_memory lets an output take the place of an input that dies", "[plan]") {
  Program p;
  const BufferId x = add_buffer(p, 100), y = add_buffer(p, 100), z = add_buffer(p, 100);
  add_step(p, {}, x);
  add_step(p, {x}, y);
  p.steps.back().may_share.emplace_back(x, y);
  add_step(p, {y, x}, z);
  p.steps.back().may_share.emplace_back(y, z);
  plan_memory(p);
  CHECK(p.at(x).offset != p.at(y).offset);  // x is read again later
  CHECK(p.at(y).offset == p.at(z).offset);
}

TEST_CASE("plan_memory keeps alive through a loop what its iterations need", "[plan]") {
  Program p;
  const BufferId counter = add_buffer(p, 8), trips = add_buffer(p, 8), outer = add_buffer(p, 64);
  const BufferId local = add_buffer(p, 64), late = add_buffer(p, 64), result = add_buffer(p, 64);
  const BufferId after = add_buffer(p, 64);
  add_step(p, {}, trips);
  add_step(p, {}, outer);
  Step open;
  open.kind = Step::Kind::open_loop;
  open.counter = counter;
  open.trips = trips;
  p.steps.push_back(open);
  add_step(p, {outer}, local);
  add_step(p, {local}, late);
  add_step(p, {late}, result);
  Step close;
  close.kind = Step::Kind::close;
  p.steps.push_back(close);
  add_step(p, {result}, after);
  plan_memory(p);
  for (BufferId id : {local, late, result}) {
    CHECK_FALSE(overlap(p, id, trips));
    CHECK_FALSE(overlap(p, id, outer));
    CHECK_FALSE(overlap(p, id, counter));
  }
  CHECK_FALSE(overlap(p, result, local));  // the next iteration writes local again
}

}  // namespace onnxc
