// Symbolic sizes: equal expressions have one normal form, which says what the operations mean.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "compiler/ir/dim.hpp"
#include "compiler/ir/parse.hpp"

namespace onnxc {
namespace {

const Dim a = Dim::symbol("a"), b = Dim::symbol("b"), c = Dim::symbol("c");

// The value with these sizes.
std::int64_t value(const Dim& d, const std::map<std::string, std::int64_t>& sizes) {
  return d.substitute([&](const std::string& name) { return Dim(sizes.at(name)); }).value();
}

}  // namespace

TEST_CASE("broadcasts neither nest nor repeat", "[dim]") {
  const Dim ab = Dim::broadcast(a, b);
  CHECK(ab.to_string() == "broadcast(a, b)");
  CHECK(Dim::broadcast(b, a) == ab);
  CHECK(Dim::broadcast(ab, b) == ab);
  CHECK(Dim::broadcast(a, Dim::broadcast(ab, b)) == ab);
  CHECK(Dim::broadcast(Dim::broadcast(c, a), Dim::broadcast(b, c)).to_string() ==
        "broadcast(a, b, c)");
  CHECK(Dim::broadcast(ab, 1) == ab);
  CHECK(Dim::broadcast(1, 1) == Dim(1));
}

TEST_CASE("what is never 1 is what others broadcast to", "[dim]") {
  CHECK(Dim::broadcast(a, 8) == Dim(8));
  CHECK(Dim::broadcast(0, a) == Dim(0));
  CHECK(Dim::broadcast(a, b + 2) == b + 2);
  CHECK(Dim::broadcast(a, b * 2) == b * 2);
  CHECK(Dim::broadcast(a, b * 4 + 3) == b * 4 + 3);
  CHECK(Dim::broadcast(Dim::broadcast(a, b), c * 12) == c * 12);
  // These can be 1.
  CHECK(Dim::broadcast(a, b + 1).to_string() == "broadcast(a, b + 1)");
  CHECK(Dim::broadcast(a, b * 2 + 1).to_string() == "broadcast(2*b + 1, a)");
  CHECK(Dim::broadcast(a, b * 4 - 3).to_string() == "broadcast(4*b - 3, a)");
}

TEST_CASE("a size and its own limit broadcast to the size", "[dim]") {
  CHECK(Dim::broadcast(Dim::min(a, 512), a) == a);
  CHECK(Dim::broadcast(a, Dim::min(a, 1)) == a);
  CHECK(Dim::broadcast(Dim::broadcast(b, a), Dim::min(a, 4)) == Dim::broadcast(a, b));
  // With a = 1 and nothing left of it the result has no elements.
  CHECK_FALSE(Dim::broadcast(a, Dim::min(a, 0)) == a);
  CHECK_FALSE(Dim::broadcast(a, Dim::min(a, b)) == a);
}

TEST_CASE("min and max have sets of operands", "[dim]") {
  CHECK(Dim::min(Dim::min(b, 7), Dim::min(a, 5)).to_string() == "min(a, b, 5)");
  CHECK(Dim::max(Dim::max(a, b), Dim::max(b, 3)).to_string() == "max(a, b, 3)");
  CHECK(Dim::min(Dim::min(a, b), a + 1) == Dim::min(a, b));
  CHECK(Dim::max(Dim::max(a, b), a + 1).to_string() == "max(a + 1, b)");
  CHECK(Dim::max(a, 0) == a);
  CHECK(Dim::max(Dim::max(0, a - 1), 2) == Dim::max(a - 1, 2));
  CHECK(Dim::min(0, a) == Dim(0));
  CHECK(Dim::min(4, 9) == Dim(4));
}

TEST_CASE("strides along an axis that may broadcast", "[dim]") {
  CHECK(Dim::broadcast_stride(1, b) == Dim(0));
  CHECK(Dim::broadcast_stride(a + 2, b) == b);
  CHECK(Dim::broadcast_stride(a, b).to_string() == "broadcast_stride(a, b)");
}

TEST_CASE("normal forms of sizes mean what was said", "[dim]") {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t count) { return random() % count; };
  const Dim leaves[] = {a, b, c, 1, 2, 3, a + 1, b * 2, c * 3 + 1, a * b};
  for (int round = 0; round < 2000; ++round) {
    const std::map<std::string, std::int64_t> sizes{{"a", pick(5)}, {"b", pick(5)}, {"c", pick(5)}};
    const bool largest = pick(2) == 0;
    Dim d = leaves[pick(std::size(leaves))];
    std::int64_t expected = value(d, sizes);
    for (std::size_t i = pick(6); i-- > 0;) {
      const Dim& next = leaves[pick(std::size(leaves))];
      d = largest ? Dim::max(next, d) : Dim::min(d, next);
      expected =
          largest ? std::max(expected, value(next, sizes)) : std::min(expected, value(next, sizes));
    }
    INFO(d.to_string());
    CHECK(value(d, sizes) == expected);
    CHECK(parse_dim(d.to_string()) == d);
  }
}

TEST_CASE("normal forms of broadcasts mean what was said, where sizes broadcast", "[dim]") {
  std::mt19937 random(11);
  const auto pick = [&](std::size_t count) { return random() % count; };
  const Dim leaves[] = {a, b, c, 1, 2, a + 1, b * 2, c + 2, Dim::min(a, 2), Dim::min(b, 1)};
  int tried = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::map<std::string, std::int64_t> sizes{{"a", pick(4)}, {"b", pick(4)}, {"c", pick(4)}};
    Dim d = leaves[pick(std::size(leaves))];
    std::int64_t expected = value(d, sizes);
    bool broadcasts = true;
    for (std::size_t i = pick(6); i-- > 0;) {
      const Dim& next = leaves[pick(std::size(leaves))];
      d = Dim::broadcast(d, next);
      const std::int64_t size = value(next, sizes);
      broadcasts = broadcasts && (size == expected || size == 1 || expected == 1);
      if (expected == 1) expected = size;
    }
    if (!broadcasts) continue;
    ++tried;
    INFO(d.to_string());
    CHECK(value(d, sizes) == expected);
    CHECK(parse_dim(d.to_string()) == d);
  }
  CHECK(tried > 2000);
}

TEST_CASE("limits of sizes follow those of their symbols", "[dim]") {
  const auto largest = [](const std::string& name) {
    return name == "a" ? std::optional<std::int64_t>(6) : std::nullopt;
  };
  const auto zero = [](const std::string&) { return std::optional<std::int64_t>(0); };
  CHECK(Dim::min(Dim::min(a, b), c).at_most(largest, zero) == 6);
  CHECK(Dim::max(Dim::max(a, b), c).at_most(largest, zero) == std::nullopt);
  CHECK(Dim::max(Dim::max(a + 2, b), c).at_least(largest, zero) == 2);
  CHECK(Dim::broadcast(a, a * a + 1).at_most(largest, zero) == 37);
  CHECK((a * 2 - Dim::min(b, 3)).at_least(largest, zero) == -3);
}

TEST_CASE("integers of sizes divide as ONNX does, and count from the end", "[dim]") {
  CHECK(Dim::trunc_div(a, 2) == Dim::floor_div(a, 2));
  CHECK(Dim::trunc_div(a - 4, 2).to_string() == "trunc_div(a - 4, 2)");
  CHECK(Dim::trunc_div(a * 2 - 4, 2) == a - 2);
  CHECK(Dim::trunc_div(Dim(0) - a, 2) == Dim(0) - Dim::floor_div(a, 2));
  CHECK(Dim::trunc_div(-7, 2) == Dim(-3));
  CHECK(Dim::floor_div(a * 8 + b, 8) == a + Dim::floor_div(b, 8));
  CHECK(Dim::floor_div(a * 6 + 7, 3) == a * 2 + 2);
  CHECK(Dim::floor_div(a * 6 - 7, 3) == a * 2 - 3);
  CHECK(Dim::floor_div(a * 6 - 7, -3) == a * -2 + 2);
  CHECK(Dim::from_end(a, b) == a);
  CHECK(Dim::from_end(Dim(-1) - a, b) == b - a - 1);
  CHECK(Dim::from_end(a - 3, b).to_string() == "from_end(a - 3, b)");
  CHECK((a * b * 6).is_multiple_of(b * 2));
  CHECK_FALSE((a * b * 6).is_multiple_of(b * b));
  CHECK_FALSE((a + 1).is_multiple_of(a));
}

TEST_CASE("intervals of integers hold every value that they take", "[dim]") {
  std::mt19937 random(13);
  const auto pick = [&](std::size_t count) { return random() % count; };
  const auto largest = [](const std::string& name) {
    return name == "c" ? std::nullopt : std::optional<std::int64_t>(5);
  };
  const auto zero = [](const std::string&) { return std::optional<std::int64_t>(0); };
  const Dim leaves[] = {a, b, c, 1, -2, 3, a - 3, b * 2 - 5, c * -1 + 1, a * b, a - b};
  int limited = 0;
  for (int round = 0; round < 20000; ++round) {
    Dim d = leaves[pick(std::size(leaves))];
    for (std::size_t i = pick(4); i-- > 0;) {
      const Dim& next = leaves[pick(std::size(leaves))];
      const Dim divisor = static_cast<std::int64_t>(pick(3)) + 1;
      const Dim results[] = {d + next,
                             d - next,
                             d * next,
                             d * d,
                             Dim::min(d, next),
                             Dim::max(d, next),
                             Dim::floor_div(d, divisor),
                             Dim::floor_div(d, Dim(0) - divisor),
                             Dim::floor_div(d, Dim::max(next, 0) + 1),
                             Dim::trunc_div(d, divisor),
                             Dim::from_end(d, Dim::max(next, 0))};
      d = results[pick(std::size(results))];
    }
    INFO(d.to_string());
    CHECK(parse_dim(d.to_string()) == d);
    const Dim::Interval range = d.interval(largest, zero);
    const std::map<std::string, std::int64_t> sizes{{"a", pick(6)}, {"b", pick(6)}, {"c", pick(9)}};
    const std::int64_t v = value(d, sizes);
    if (range.low) CHECK(*range.low <= v);
    if (range.high) CHECK(*range.high >= v);
    limited += range.low && range.high ? 1 : 0;
  }
  CHECK(limited > 5000);
  CHECK((Dim::min(a - 6, 2) * Dim::min(a - 6, 2)).at_most(largest, zero) == 36);
}

TEST_CASE("intervals of simple integers are as narrow as can be", "[dim]") {
  const auto largest = [](const std::string& name) {
    return name == "c" ? std::nullopt : std::optional<std::int64_t>(5);
  };
  const auto smallest = [](const std::string& name) {
    return std::optional<std::int64_t>(name == "b" ? 2 : 0);
  };
  const auto none = std::optional<std::int64_t>();
  const auto is = [&](const Dim& d, std::optional<std::int64_t> low,
                      std::optional<std::int64_t> high) {
    INFO(d.to_string());
    const Dim::Interval range = d.interval(largest, smallest);
    CHECK(range.low == low);
    CHECK(range.high == high);
  };
  is(a, 0, 5);
  is(b * -3 + 1, -14, -5);
  is(a * b, 0, 25);
  is(a * c, 0, none);
  is(c - a, -5, none);
  is(a - c, none, 5);
  is((a - b) * (a - b), -46, 50);  // its terms, each by itself
  is(Dim::floor_div(a, 2), 0, 2);
  is(Dim::floor_div(a - b, 2), -3, 1);
  is(Dim::floor_div(a - b, -2), -2, 2);
  is(Dim::floor_div(c, -2), none, 0);
  is(Dim::floor_div(a - b, c + 1), -5, 3);
  is(Dim::floor_div(a, c), 0, 5);
  is(Dim::floor_div(a - b, c), none, none);
  is(Dim::trunc_div(a - b, 2), -2, 1);
  is(Dim::min(a, b), 0, 5);
  is(Dim::min(b, 3), 2, 3);
  is(Dim::max(a, c), 0, none);
  is(Dim::max(b, 4), 4, 5);
  is(Dim::from_end(a - 3, b), -1, 4);
  is(Dim::from_end(Dim(-1) - a, b), -4, 4);
  is(Dim::broadcast(a, b), 0, 5);
}

TEST_CASE("limits drop the constants of min and max that are not reached", "[dim]") {
  const std::vector<DimLimit> limits = {{a + b, 8}, {Dim(0) - c, -3}};
  CHECK(Dim::min(a, 8).under(limits) == a);
  CHECK(Dim::min(a, 7).under(limits) == Dim::min(a, 7));
  CHECK(Dim::min(a + b, 9).under(limits) == a + b);
  CHECK(Dim::min(c, 8).under(limits) == Dim::min(c, 8));
  CHECK(Dim::max(c, 3).under(limits) == c);
  CHECK(Dim::max(c, 4).under(limits) == Dim::max(c, 4));
  CHECK(Dim::max(Dim::min(a + b, 8) - Dim::min(a, 8), 0).under(limits) == b);
}

}  // namespace onnxc
