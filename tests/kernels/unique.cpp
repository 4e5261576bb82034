// unique.cpp - unique elements and slices against a naive search.
#include "templates/reduction/unique.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace onnxc;

namespace {

using Wide = std::vector<std::int64_t>;

struct Slices {
  Index outer, extent, inner, found;
  bool sorted;
  Index reports = 1;
};

// Finds the groups, which have to be as many as expected, and gives them.
template <class T>
void run(const Slices& s, const T* x, T* y, std::int64_t* first, std::int64_t* inverse,
         std::int64_t* count) {
  Wide group(static_cast<std::size_t>(2 * s.extent));
  Index found[1] = {};
  unique_groups(s, x, group.data(), found);
  REQUIRE(found[0] == s.found);
  unique(s, x, y, first, inverse, count, group.data());
}

}  // namespace

TEST_CASE("unique elements, sorted or as they come", "[unique]") {
  const float x[] = {2, 1, 1, kNaN, 4, kNaN, 3, 4};
  float y[5];
  Wide first(5), inverse(8), count(5);
  Slices s{1, 8, 1, 5, true};
  run(s, x, y, first.data(), inverse.data(), count.data());
  CHECK((y[0] == 1 && y[1] == 2 && y[2] == 3 && y[3] == 4 && y[4] != y[4]));
  CHECK(first == Wide{1, 0, 6, 4, 3});
  CHECK(inverse == Wide{1, 0, 0, 4, 3, 4, 2, 3});
  CHECK(count == Wide{2, 1, 1, 2, 2});
  s.sorted = false;
  run(s, x, y, first.data(), inverse.data(), count.data());
  CHECK((y[0] == 2 && y[1] == 1 && y[2] != y[2] && y[3] == 4 && y[4] == 3));
  CHECK(first == Wide{0, 1, 3, 4, 6});
  CHECK(inverse == Wide{0, 1, 1, 2, 3, 2, 4, 3});
  CHECK(count == Wide{1, 2, 2, 2, 1});
}

TEST_CASE("unique slices", "[unique]") {
  // Two rows of four columns of two; columns 1 and 3 agree.
  const int x[] = {1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1};
  std::vector<int> y(12);
  Wide first(3), inverse(4);
  std::int64_t* const none = nullptr;
  const Slices s{2, 4, 2, 3, true};
  run(s, x, y.data(), first.data(), inverse.data(), none);
  CHECK(y == std::vector<int>{0, 1, 1, 1, 2, 1, 0, 1, 1, 1, 2, 1});
  CHECK(first == Wide{1, 0, 2});
  CHECK(inverse == Wide{1, 0, 2, 0});
}
