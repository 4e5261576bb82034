// slices.cpp - slices taken, put and appended along an axis.
#include <catch2/catch.hpp>
#include <vector>

#include "compiler/kernels/movement_calls.hpp"
#include "templates/movement/append_slice.hpp"
#include "templates/movement/slice_at.hpp"

namespace onnxc {
namespace {

using SliceShape = onnxc::SliceOfAxisShape<onnxc::Index>;
struct TripShape {
  Index expected;
};

}  // namespace

TEST_CASE("slices go out and back along every axis, from both ends", "[slices]") {
  std::vector<int> x(2 * 3 * 4);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i);
  for (const SliceShape s : {SliceShape{1, 2, 12, false}, SliceShape{2, 3, 4, false},
                             SliceShape{6, 4, 1, true}, SliceShape{2, 3, 4, true}}) {
    std::vector<int> back(x.size(), -1), slice(static_cast<std::size_t>(s.outer * s.inner));
    for (std::int64_t at = 0; at < s.extent; ++at) {
      REQUIRE(take_slice(s, x.data(), &at, slice.data()) == Status::ok);
      const std::int64_t from = s.reverse ? s.extent - 1 - at : at;
      CHECK(slice[0] == x[static_cast<std::size_t>(from * s.inner)]);
      REQUIRE(put_slice(s, slice.data(), &at, back.data()) == Status::ok);
    }
    CHECK(back == x);
    for (std::int64_t at : {std::int64_t{-1}, static_cast<std::int64_t>(s.extent)}) {
      CHECK(take_slice(s, x.data(), &at, slice.data()) == Status::bad_shape);
      CHECK(put_slice(s, slice.data(), &at, back.data()) == Status::bad_shape);
    }
  }
}

TEST_CASE("append_slice grows its output and wants slices of one shape", "[slices]") {
  struct Growing {
    Index rank, dims[2], known[2];
  };
  Heap heap(malloc_allocator());
  Block<int> y(heap);
  Index extents[2] = {};
  for (std::int64_t at = 0; at < 20; ++at) {
    const std::vector<int> slice(6, static_cast<int>(at));
    const Growing s{2, {2, 3}, {extents[0], extents[1]}};
    REQUIRE(append_slice(s, slice.data(), &at, y, extents) == Status::ok);
  }
  for (int i = 0; i < 120; ++i) CHECK(y.data()[i] == i / 6);
  const std::vector<int> slice(6, 0);
  const std::int64_t at = 20;
  CHECK(append_slice(Growing{2, {3, 2}, {2, 3}}, slice.data(), &at, y, extents) ==
        Status::bad_shape);
}

}  // namespace onnxc
