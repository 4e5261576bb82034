#include "templates/unique.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace onnxc;

namespace {

using Wide = std::vector<std::int64_t>;

struct Slices {
  Index outer, extent, inner, found;
  bool sorted;
};

}  // namespace

TEST_CASE("unique elements, sorted or as they come", "[unique]") {
  const float x[] = {2, 1, 1, kNaN, 4, kNaN, 3, 4};
  float y[5];
  Wide first(5), inverse(8), count(5), work(24);
  Slices s{1, 8, 1, 5, true};
  CHECK(unique(s, x, y, first.data(), inverse.data(), count.data(), work.data()) == Status::ok);
  CHECK((y[0] == 1 && y[1] == 2 && y[2] == 3 && y[3] == 4 && y[4] != y[4]));
  CHECK(first == Wide{1, 0, 6, 4, 3});
  CHECK(inverse == Wide{1, 0, 0, 4, 3, 4, 2, 3});
  CHECK(count == Wide{2, 1, 1, 2, 2});
  s.sorted = false;
  CHECK(unique(s, x, y, first.data(), inverse.data(), count.data(), work.data()) == Status::ok);
  CHECK((y[0] == 2 && y[1] == 1 && y[2] != y[2] && y[3] == 4 && y[4] == 3));
  CHECK(first == Wide{0, 1, 3, 4, 6});
  CHECK(inverse == Wide{0, 1, 1, 2, 3, 2, 4, 3});
  CHECK(count == Wide{1, 2, 2, 2, 1});
  s.found = 4;
  std::int64_t* const none = nullptr;
  CHECK(unique(s, x, y, none, none, none, work.data()) == Status::bad_shape);
}

TEST_CASE("unique slices", "[unique]") {
  // Two rows of four columns of two; columns 1 and 3 agree.
  const int x[] = {1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1};
  std::vector<int> y(12);
  Wide first(3), inverse(4), work(12);
  std::int64_t* const none = nullptr;
  const Slices s{2, 4, 2, 3, true};
  CHECK(unique(s, x, y.data(), first.data(), inverse.data(), none, work.data()) == Status::ok);
  CHECK(y == std::vector<int>{0, 1, 1, 1, 2, 1, 0, 1, 1, 1, 2, 1});
  CHECK(first == Wide{1, 0, 2});
  CHECK(inverse == Wide{1, 0, 2, 0});
}
