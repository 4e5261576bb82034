// memory.cpp - typed views of the arena and of weights, output capacities, counts of trips.
#include "runtime_min/memory.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "compiler/kernels/shape_struct.hpp"
#include "templates/control_flow/trips.hpp"

using onnxc::Extent;
using onnxc::Index;

TEST_CASE("views of an arena", "[memory]") {
  alignas(64) unsigned char arena[128] = {};
  float* const x = onnxc::at<float>(arena, 64);
  *x = 1.5f;
  float copy = 0;
  std::memcpy(&copy, arena + 64, sizeof copy);
  CHECK(copy == 1.5f);
  CHECK(onnxc::weight<float>(arena, 64) == x);
  CHECK(static_cast<void*>(onnxc::view<unsigned char>(x, 4)) == arena + 68);
  CHECK(onnxc::view<const float>(static_cast<const float*>(x), -64) ==
        static_cast<const void*>(arena));
  CHECK(onnxc::none<float> == nullptr);
  CHECK(onnxc::aligned(arena, 64));
  CHECK_FALSE(onnxc::aligned(arena + 32, 64));
  CHECK_FALSE(onnxc::aligned(nullptr, 64));
}

TEST_CASE("the extents and the capacity of an output", "[memory]") {
  float data[6] = {};
  std::int64_t dims[2] = {};
  CHECK(onnxc::open_output(data, 6, dims, {Extent(2), Extent(3)}));
  CHECK(dims[0] == 2);
  CHECK(dims[1] == 3);
  CHECK_FALSE(onnxc::open_output(data, 5, dims, {Extent(2), Extent(3)}));
  CHECK_FALSE(onnxc::open_output(nullptr, 6, dims, {Extent(2), Extent(3)}));
  CHECK(onnxc::open_output(nullptr, 0, nullptr, {Extent(0), Extent(3)}));
  CHECK(onnxc::open_output(data, 1, nullptr, {}));  // a scalar
  const Extent large(std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(onnxc::open_output(data, 6, dims, {large, large}));
}

TEST_CASE("expect_trips", "[memory]") {
  const auto run = [](std::int64_t counter, Index declared) {
    return onnxc::expect_trips(onnxc::CountShape<Index>{declared}, &counter);
  };
  CHECK(run(3, 3) == onnxc::Status::ok);
  CHECK(run(0, 0) == onnxc::Status::ok);
  CHECK(run(2, 3) == onnxc::Status::bad_shape);
  CHECK(run(4, 3) == onnxc::Status::bad_shape);
}

TEST_CASE("trip_count", "[memory]") {
  for (std::int64_t counter : {0, 1, 12345}) {
    Index trips = -1;
    CHECK(onnxc::trip_count(&counter, &trips) == onnxc::Status::ok);
    CHECK(trips == static_cast<Index>(counter));
  }
}
