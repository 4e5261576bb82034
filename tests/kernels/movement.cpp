// movement.cpp - kernels that copy, transpose, pad and crop, against naive indices.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "templates/convolution/shuffle_channels.hpp"
#include "templates/movement/center_crop_pad.hpp"
#include "templates/movement/copy_constant.hpp"
#include "templates/movement/extents.hpp"
#include "templates/movement/fill.hpp"
#include "templates/movement/gather.hpp"
#include "templates/movement/pad.hpp"
#include "templates/movement/range.hpp"
#include "templates/movement/reorder.hpp"
#include "templates/movement/strided_copy.hpp"
#include "templates/movement/transpose.hpp"

using namespace onnxc;

namespace {

struct Reversed {
  static constexpr Index dims[2] = {2, 3}, from[2] = {4, -1}, to[2] = {3, 1};
  static constexpr Index from_offset = 6, to_offset = 0;
};

std::vector<int> counting(Index n) {
  std::vector<int> v;
  for (Index i = 0; i < n; ++i) v.push_back(static_cast<int>(i));
  return v;
}

}  // namespace

TEST_CASE("copy_constant", "[movement]") {
  const std::vector<float> x = {1.5f, -2, 0, 7};
  std::vector<float> y(4, -1);
  struct {
    Index count;
  } const three{3};
  copy_constant(three, x.data(), y.data());
  CHECK(y == std::vector<float>{1.5f, -2, 0, -1});
}

TEST_CASE("strided_copy", "[movement]") {
  const auto x = counting(12);
  std::vector<int> y(6, -1);
  constexpr Reversed reversed{};
  strided_copy<2>(reversed, x.data(), y.data());
  CHECK(y == std::vector<int>{6, 5, 4, 10, 9, 8});
  struct {
    Index dims[1], from[1], to[1], from_offset, to_offset;
  } const part{{2}, {1}, {1}, 3, 1};
  strided_copy<1>(part, x.data(), y.data());
  CHECK(y == std::vector<int>{6, 3, 4, 10, 9, 8});
}

namespace {

template <class T>
void check_planes(Index batch, Index rows, Index cols) {
  CAPTURE(batch, rows, cols, sizeof(T));
  std::vector<T> x;
  for (int v : counting(batch * rows * cols)) x.push_back(static_cast<T>(v * 7));
  std::vector<T> y(x.size() + 1), z(x.size() + 1);
  struct {
    Index dims[3], from[3], to[3];
  } const s{{batch, cols, rows}, {rows * cols, 1, cols}, {rows * cols, rows, 1}};
  transpose<3, 1>(s, x.data(), y.data());
  struct {
    Index batch, rows, cols;
  } const planes{batch, rows, cols};
  reorder(planes, x.data(), z.data());
  CHECK(y == z);
  CHECK(y.back() == T{});
  for (Index b = 0; b < batch; ++b)
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < cols; ++k)
        REQUIRE(y[static_cast<std::size_t>((b * cols + k) * rows + r)] ==
                x[static_cast<std::size_t>((b * rows + r) * cols + k)]);
}

}  // namespace

TEST_CASE("transpose and reorder swap planes of any size", "[movement]") {
  struct {
    Index batch, rows, cols;
  } const cases[] = {{1, 1, 1},  {2, 3, 5},   {1, 16, 16}, {3, 17, 33},
                     {1, 40, 7}, {1, 3, 100}, {2, 100, 3}, {1, 31, 18}};
  for (const auto& c : cases) {
    check_planes<int>(c.batch, c.rows, c.cols);
    check_planes<double>(c.batch, c.rows, c.cols);
    check_planes<std::uint8_t>(c.batch, c.rows, c.cols);
    check_planes<std::uint16_t>(c.batch, c.rows, c.cols);
  }
}

TEST_CASE("gather takes negative indices and refuses others", "[movement]") {
  struct {
    Index outer, extent, inner, count;
  } const s{2, 3, 2, 2};
  const auto x = counting(12);
  std::vector<int> y(8, -1);
  const std::int64_t good[] = {-1, 0}, bad[] = {0, 3}, low[] = {-4, 0};
  CHECK(gather(s, x.data(), good, y.data()) == Status::ok);
  CHECK(y == std::vector<int>{4, 5, 0, 1, 10, 11, 6, 7});
  CHECK(gather(s, x.data(), bad, y.data()) == Status::bad_index);
  CHECK(gather(s, x.data(), low, y.data()) == Status::bad_index);
}

TEST_CASE("pad in every mode", "[movement]") {
  struct {
    Index dims[2], extent[2], before[2], from[2], inner[2], from_offset;
  } const s{{3, 7}, {2, 3}, {1, 2}, {3, 1}, {7, 1}, 0};
  const auto x = counting(6);
  const int value = 9;
  std::vector<int> y(21);
  pad<2, PadMode::constant>(s, x.data(), &value, y.data());
  CHECK(y == std::vector<int>{9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 1, 2, 9, 9, 9, 9, 3, 4, 5, 9, 9});
  pad<2, PadMode::reflect>(s, x.data(), &value, y.data());
  CHECK(y == std::vector<int>{5, 4, 3, 4, 5, 4, 3, 2, 1, 0, 1, 2, 1, 0, 5, 4, 3, 4, 5, 4, 3});
  pad<2, PadMode::edge>(s, x.data(), &value, y.data());
  CHECK(y == std::vector<int>{0, 0, 0, 1, 2, 2, 2, 0, 0, 0, 1, 2, 2, 2, 3, 3, 3, 4, 5, 5, 5});
  pad<2, PadMode::wrap>(s, x.data(), &value, y.data());
  CHECK(y == std::vector<int>{4, 5, 3, 4, 5, 3, 4, 1, 2, 0, 1, 2, 0, 1, 4, 5, 3, 4, 5, 3, 4});
}

TEST_CASE("fill, range and extents", "[movement]") {
  struct {
    Index count, values[3];
  } const s{3, {4, 5, 6}};
  const float start = 1, delta = -0.5f;
  float y[3];
  fill(s, &start, y);
  CHECK((y[0] == 1 && y[2] == 1));
  range(s, &start, &delta, y);
  CHECK((y[0] == 1 && y[1] == 0.5f && y[2] == 0));
  std::int64_t e[3];
  extents(s, e);
  CHECK((e[0] == 4 && e[2] == 6));
}

template <Index GROUPS>
struct ShuffleShape {
  static constexpr Index groups = GROUPS;
  Index pixels, each, ldx, ldy;
};

template <Index GROUPS>
void check_shuffle(Index each) {
  const ShuffleShape<GROUPS> s{3, each, GROUPS * each + 1, GROUPS * each + 2};
  std::vector<float> x, y(static_cast<std::size_t>(s.pixels * s.ldy), -1.0f);
  for (Index i = 0; i < s.pixels * s.ldx; ++i) x.push_back(static_cast<float>(i));
  std::vector<float> want = y;
  for (Index p = 0; p < s.pixels; ++p) {
    for (Index i = 0; i < GROUPS * each; ++i) {
      want[static_cast<std::size_t>(p * s.ldy + i)] =
          static_cast<float>(p * s.ldx + i % GROUPS * each + i / GROUPS);
    }
  }
  shuffle_channels(s, x.data(), y.data());
  CHECK(y == want);
}

TEST_CASE("shuffle_channels by vectors", "[movement]") {
  for (Index each : {1, 5, 16, 23, 48}) {
    check_shuffle<2>(each);
    check_shuffle<3>(each);
    check_shuffle<4>(each);
  }
}

TEST_CASE("shuffle_channels", "[movement]") {
  struct {
    Index pixels, groups, each, ldx, ldy;
  } const s{2, 2, 3, 7, 8};
  const auto x = counting(14);
  std::vector<int> y(16, -1);
  shuffle_channels(s, x.data(), y.data());
  CHECK(y == std::vector<int>{0, 3, 1, 4, 2, 5, -1, -1, 7, 10, 8, 11, 9, 12, -1, -1});
}

TEST_CASE("center_crop_pad", "[movement]") {
  struct {
    Index in[2], out[2];
  } const shapes[] = {{{5, 4}, {2, 7}}, {{4, 4}, {1, 3}}, {{1, 2}, {4, 2}}, {{3, 0}, {2, 2}}};
  for (const auto& s : shapes) {
    const std::vector<int> x = counting(s.in[0] * s.in[1] + 1);
    std::vector<int> y(static_cast<std::size_t>(s.out[0] * s.out[1]), -1);
    onnxc::center_crop_pad<2>(s, x.data() + 1, y.data());
    // Of the larger extent the middle one, rounded down, meets the smaller one.
    const auto source = [](Index in, Index out, Index at) {
      const Index from = in > out ? at + (in - out) / 2 : at - (out - in) / 2;
      return from >= 0 && from < in ? from : -1;
    };
    for (Index i = 0; i < s.out[0] * s.out[1]; ++i) {
      const Index row = source(s.in[0], s.out[0], i / s.out[1]);
      const Index column = source(s.in[1], s.out[1], i % s.out[1]);
      const Index want = row < 0 || column < 0 ? 0 : row * s.in[1] + column + 1;
      CHECK(y[static_cast<std::size_t>(i)] == static_cast<int>(want));
    }
  }
}
