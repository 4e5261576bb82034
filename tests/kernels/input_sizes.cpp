// input_sizes.cpp - the checks of the sizes of inputs, and what they note.
#include "templates/movement/input_sizes.hpp"

#include <catch2/catch.hpp>

namespace onnxc {
namespace {

struct Found {
  const char* input;
  std::int32_t axis;
  std::int64_t size, wanted;
};

}  // namespace

TEST_CASE("has_sizes notes the first axis that differs", "[kernels]") {
  Found found{"", 0, 0, 0};
  const std::int64_t dims[] = {2, 7, 9};
  CHECK(has_sizes(dims, {2, 7, 9}, "x", &found));
  CHECK(found.input == std::string(""));
  CHECK_FALSE(has_sizes(dims, {2, 8, 8}, "x", &found));
  CHECK(found.input == std::string("x"));
  CHECK(found.axis == 1);
  CHECK(found.size == 7);
  CHECK(found.wanted == 8);
  CHECK_FALSE(has_sizes(dims, {1, 7, 9}, "x", static_cast<Found*>(nullptr)));
}

TEST_CASE("has_sizes refuses negative sizes, also where they are the wanted ones", "[kernels]") {
  Found found{"", 0, 0, 0};
  const std::int64_t dims[] = {-3};
  CHECK_FALSE(has_sizes(dims, {-3}, "x", &found));
  CHECK(found.size == -3);
  CHECK(found.wanted == 0);
}

TEST_CASE("is_within notes the bound that is broken", "[kernels]") {
  Found found{"", 0, 0, 0};
  CHECK(is_within(1, 1, 8, "x", 2, &found));
  CHECK(is_within(8, 1, 8, "x", 2, &found));
  CHECK_FALSE(is_within(9, 1, 8, "x", 2, &found));
  CHECK(found.axis == 2);
  CHECK(found.wanted == 8);
  CHECK_FALSE(is_within(0, 1, 8, "x", 2, &found));
  CHECK(found.wanted == 1);
}

}  // namespace onnxc
