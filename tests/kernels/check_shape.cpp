#include <catch2/catch.hpp>

#include "templates/check_shape.hpp"

namespace onnxc {
namespace {

struct Wanted {
  Index count;
  Index expected[2], also[2];
  bool may_infer;
};

Status check(Wanted s, std::int64_t a, std::int64_t b) {
  const std::int64_t wanted[] = {a, b};
  return check_shape(s, wanted);
}

}  // namespace

TEST_CASE("check_shape takes the expected shape and its spellings only", "[check_shape]") {
  const Wanted reshape{2, {3, 4}, {0, 4}, true};
  CHECK(check(reshape, 3, 4) == Status::ok);
  CHECK(check(reshape, 0, -1) == Status::ok);
  CHECK(check(reshape, 4, 3) == Status::bad_shape);
  CHECK(check(reshape, -1, -1) == Status::bad_shape);
  const Wanted expand{2, {3, 4}, {3, 1}, false};
  CHECK(check(expand, 3, 1) == Status::ok);
  CHECK(check(expand, 1, 4) == Status::bad_shape);
  CHECK(check(expand, 3, -1) == Status::bad_shape);
}

}  // namespace onnxc
