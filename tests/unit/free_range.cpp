// All ways to look for a place in the arena find the same, and the lowest there is.
#include "compiler/schedule/free_range.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace onnxc {
namespace {

struct Placed {
  Lifetime life;
  ByteRange range;
};

bool is_free(const std::vector<Placed>& placed, const Lifetime& life, ByteRange range) {
  for (const Placed& p : placed)
    if (p.life.overlaps(life) && p.range.begin < range.end && range.begin < p.range.end)
      return false;
  return true;
}

// The lowest free place begins at 0 or where another ends.
std::int64_t lowest(const std::vector<Placed>& placed, const Lifetime& life, std::int64_t bytes) {
  std::int64_t best = is_free(placed, life, {0, bytes}) ? 0 : INT64_MAX;
  for (const Placed& p : placed)
    if (is_free(placed, life, {p.range.end, p.range.end + bytes}))
      best = std::min(best, p.range.end);
  return best;
}

std::vector<Neighbour> overlapping(const std::vector<Placed>& placed, const Lifetime& life,
                                   std::int64_t bytes) {
  std::vector<Neighbour> all;
  for (std::size_t i = 0; i < placed.size(); ++i)
    if (const auto& [other, range] = placed[i]; other.overlaps(life))
      all.push_back({i, bytes, range.end - range.begin});
  return all;
}

}  // namespace

TEST_CASE("all lists of placed buffers find the lowest free place", "[plan]") {
  std::mt19937 random(11);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (std::size_t steps = 1; steps < 60; ++steps) {
    PlacedList list;
    PlacedTree tree(steps);
    PlacedNeighbours near;
    for (int round = 0; round < 2; ++round) {
      list.clear();
      tree.clear();
      near.clear(60);
      std::vector<Placed> placed;
      for (int k = 0; k < 60; ++k) {
        const std::size_t first = below(steps);
        const Lifetime life{first, first + below(below(2) ? steps - first : 1)};
        const auto bytes = static_cast<std::int64_t>(1 + below(9));
        const std::int64_t at = lowest(placed, life, bytes);
        REQUIRE(list.fit(life, bytes) == at);
        REQUIRE(tree.fit(life, bytes) == at);
        REQUIRE(near.fit(overlapping(placed, life, bytes)) == at);
        near.add(at, placed.size());
        placed.push_back({life, {at, at + bytes}});
        list.add(life, placed.back().range);
        tree.add(life, placed.back().range);
      }
    }
  }
}

TEST_CASE("a placed buffer that may be overlapped takes only what lies nearer", "[plan]") {
  PlacedList list;
  const Lifetime life{0, 1};
  list.add(life, {0, 40}, 1);
  list.add(life, {40, 100}, 2);
  CHECK(list.fit(life, 50) == 100);
  CHECK(list.fit(life, 50, {{2, 10, 20}}) == 60);
  CHECK(list.fit(life, 50, {{1, 0, 30}, {2, 10, 20}}) == 0);
  CHECK(list.fit(life, 50, {{1, 10, 30}, {2, 10, 20}}) == 30);
  CHECK(list.fit(life, 50, {{1, 10, 35}, {2, 10, 20}}) == 60);
  CHECK(list.fit(Lifetime{2, 2}, 50, {{1, 10, 30}}) == 0);
}

}  // namespace onnxc
