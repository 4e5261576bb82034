// state.cpp - what generated code keeps of training, and how its self test compares.
#include "runtime_min/state.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "runtime_min/half.hpp"
#include "runtime_min/self_test.hpp"

namespace onnxc {

TEST_CASE("a state says what it is and counts its runs", "[state]") {
  alignas(64) unsigned char state[128];
  std::memset(state, 0xa5, sizeof state);
  CHECK_FALSE(is_state(state, 7));
  start_state(state, 7);
  CHECK(is_state(state, 7));
  CHECK_FALSE(is_state(state, 8));  // of another model
  CHECK(state_header(state).runs == 0);
  count_run(state);
  count_run(state);
  CHECK(state_header(state).runs == 2);
  CHECK(is_state(state, 7));
  for (const std::uint64_t word : state_header(state).unused) CHECK(word == 0);
  for (std::size_t i = 64; i < 128; ++i) CHECK(state[i] == 0xa5);  // the header has 64 bytes
  state[0] ^= 1;
  CHECK_FALSE(is_state(state, 7));
}

TEST_CASE("random operators draw by 31 bits of a number", "[state]") {
  const auto drawn = [](std::uint64_t n) { return draw_number(n).value(); };
  CHECK(drawn(0) == 0);
  CHECK(drawn(5) == 5);
  CHECK(drawn(0x7fffffff) == 0x7fffffff);
  // All bits count.
  CHECK(drawn(std::uint64_t{1} << 31) == 1);
  CHECK(drawn(std::uint64_t{1} << 62) == 1);
  CHECK(drawn(std::uint64_t{1} << 32) == 2);
  CHECK(drawn(std::numeric_limits<std::uint64_t>::max()) == (0x7fffffff ^ 0x7fffffff ^ 3));
}

TEST_CASE("results are near what was recorded, or not", "[state]") {
  const Nearness near = {0.25f, 0.5f};
  CHECK(is_near(4.0f, 5.5f, near));         // 0.5 + 0.25 * 5.5
  CHECK_FALSE(is_near(4.0f, 6.01f, near));  // 0.5 + 0.25 * 6.01 is less than 2.01
  CHECK(is_near(-4.0f, -5.5f, near));
  CHECK_FALSE(is_near(4.0f, -4.0f, near));
  CHECK(is_near(7.5, 6.0, {0, 1.5f}));
  CHECK_FALSE(is_near(7.5, 6.0, {0, 1.25f}));
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(is_near(infinity, infinity, near));
  CHECK(is_near(nan, nan, near));
  CHECK_FALSE(is_near(1.0f, infinity, near));
  CHECK_FALSE(is_near(-infinity, infinity, near));
  CHECK_FALSE(is_near(infinity, 1.0f, near));
  CHECK_FALSE(is_near(nan, 1.0f, near));
  CHECK_FALSE(is_near(1.0f, nan, near));
  CHECK(is_near(float16(1.0f), float16(1.5f), {0, 0.5f}));
  CHECK_FALSE(is_near(float16(1.0f), float16(1.5f), {0, 0.25f}));
  // Integers: the absolute difference alone, without overflow.
  CHECK(is_near(std::int8_t{3}, std::int8_t{4}, {0, 1}));
  CHECK_FALSE(is_near(std::int8_t{3}, std::int8_t{5}, {1, 1}));
  CHECK_FALSE(is_near(std::numeric_limits<std::int64_t>::min(),
                      std::numeric_limits<std::int64_t>::max(), {0, 1}));
  CHECK_FALSE(is_near(true, false, {0, 0}));
}

TEST_CASE("the first wrong element is found", "[state]") {
  const std::int32_t got[] = {1, 2, 3, 4}, want[] = {1, 3, 3, 9};
  CHECK(first_wrong(got, want, 4, {0, 0}) == 1);
  CHECK(first_wrong(got, want, 4, {0, 1}) == 3);
  CHECK(first_wrong(got, want, 3, {0, 1}) == 3);
  CHECK(first_wrong(got, want, 0, {0, 0}) == 0);
}

}  // namespace onnxc
