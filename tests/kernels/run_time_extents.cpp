// run_time_extents.cpp - output shapes of kernels whose parameters are inputs.
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "templates/convolution/col2im.hpp"
#include "templates/image/grid_sample.hpp"
#include "templates/image/non_max_suppression.hpp"
#include "templates/image/resize_axis.hpp"
#include "templates/movement/given_extents.hpp"
#include "templates/movement/nonzero.hpp"
#include "templates/movement/pad_widths.hpp"
#include "templates/movement/range.hpp"
#include "templates/movement/shape_extents.hpp"
#include "templates/movement/slice_bounds.hpp"
#include "templates/reduction/reduce_axes.hpp"
#include "templates/signal/dft.hpp"
#include "templates/signal/mel_weights.hpp"
#include "templates/signal/stft.hpp"

using namespace onnxc;

namespace {

using Wide = std::vector<std::int64_t>;
using Extents = std::vector<Index>;
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

// The extents that a kernel reports, or the status alone.
struct Result {
  Status status;
  Extents extents;
  bool operator==(const Extents& want) const { return status == Status::ok && extents == want; }
  bool operator==(Status want) const { return status == want; }
};

template <class F>
Result report(std::size_t count, F f) {
  Extents e(count > 0 ? count : 1);
  const Status s = f(e.data());
  e.resize(count);
  return {s, e};
}

struct ShapeCase {
  Index rank, from[3], count, out_rank;
  bool zero_copies = true;
};

Result reshape(const ShapeCase& s, const Wide& wanted) {
  return report(static_cast<std::size_t>(s.out_rank),
                [&](Index* e) { return reshape_extents(s, wanted.data(), e); });
}
Result expand(const ShapeCase& s, const Wide& wanted) {
  return report(static_cast<std::size_t>(s.out_rank),
                [&](Index* e) { return expand_extents(s, wanted.data(), e); });
}
Result tile(const ShapeCase& s, const Wide& repeats) {
  return report(static_cast<std::size_t>(s.rank),
                [&](Index* e) { return tile_extents(s, repeats.data(), e); });
}
Result squeeze(const ShapeCase& s, const Wide& axes) {
  return report(static_cast<std::size_t>(s.out_rank), [&](Index* e) {
    return squeeze_extents(s, axes.empty() ? nullptr : axes.data(), e);
  });
}
Result unsqueeze(const ShapeCase& s, const Wide& axes) {
  return report(static_cast<std::size_t>(s.out_rank),
                [&](Index* e) { return unsqueeze_extents(s, axes.data(), e); });
}

struct GivenCase {
  Index count, rank, most = -1, total = -1;
};

template <class T>
Result given(const GivenCase& s, const std::vector<T>& values) {
  return report(static_cast<std::size_t>(s.rank),
                [&](Index* e) { return given_extents(s, values.data(), e); });
}

}  // namespace

TEST_CASE("given_extents", "[extents]") {
  CHECK(given<std::int64_t>({2, 2}, {3, 0}) == Extents{3, 0});
  CHECK(given<std::int64_t>({1, 2}, {3}) == Status::bad_shape);
  CHECK(given<std::int64_t>({1, 1}, {-1}) == Status::bad_shape);
  CHECK(given<std::int64_t>({1, 1, 4}, {5}) == Status::bad_shape);
  CHECK(given<std::int64_t>({2, 2, -1, 5}, {2, 3}) == Extents{2, 3});
  CHECK(given<std::int64_t>({2, 2, -1, 5}, {2, 2}) == Status::bad_shape);
  CHECK(given<std::int64_t>({2, 2, -1, 5}, {kHuge, kHuge}) == Status::bad_shape);
  CHECK(given<float>({1, 1}, {3.9f}) == Extents{3});
  CHECK(given<float>({1, 1}, {kNaN}) == Status::bad_shape);
  CHECK(given<float>({1, 1}, {1e20f}) == Status::bad_shape);
  CHECK(given<std::uint64_t>({1, 1}, {std::numeric_limits<std::uint64_t>::max()}) ==
        Status::bad_shape);
  CHECK(given<std::uint8_t>({1, 1}, {255}) == Extents{255});
}

TEST_CASE("reshape_extents", "[extents]") {
  const ShapeCase two{2, {3, 4}, 2, 2};
  CHECK(reshape(two, {4, 3}) == Extents{4, 3});
  CHECK(reshape(two, {-1, 2}) == Extents{6, 2});
  CHECK(reshape(two, {0, -1}) == Extents{3, 4});
  CHECK(reshape(two, {-1, -1}) == Status::bad_shape);
  CHECK(reshape(two, {5, -1}) == Status::bad_shape);
  CHECK(reshape(two, {3, 5}) == Status::bad_shape);
  CHECK(reshape(two, {-2, 6}) == Status::bad_shape);
  CHECK(reshape(two, {kHuge, kHuge}) == Status::bad_shape);
  CHECK(reshape({2, {3, 4}, 1, 2}, {12}) == Status::bad_shape);
  CHECK(reshape({2, {3, 0}, 2, 2}, {0, -1}) == Extents{3, 0});
  CHECK(reshape({2, {3, 0}, 2, 2, false}, {0, -1}) == Status::bad_shape);
  CHECK(reshape({2, {3, 0}, 2, 2, false}, {0, 7}) == Extents{0, 7});
  CHECK(reshape({0, {}, 0, 0}, {}) == Extents{});
}

TEST_CASE("expand_extents and tile_extents", "[extents]") {
  CHECK(expand({2, {3, 1}, 3, 3}, {2, 1, 5}) == Extents{2, 3, 5});
  CHECK(expand({3, {2, 3, 1}, 1, 3}, {4}) == Extents{2, 3, 4});
  CHECK(expand({2, {3, 1}, 2, 2}, {4, 1}) == Status::bad_shape);
  CHECK(expand({2, {3, 1}, 2, 2}, {3, -1}) == Status::bad_shape);
  CHECK(expand({1, {1}, 1, 1}, {0}) == Extents{0});
  CHECK(expand({1, {1}, 2, 1}, {2, 2}) == Status::bad_shape);
  CHECK(tile({2, {3, 4}, 2, 2}, {2, 0}) == Extents{6, 0});
  CHECK(tile({2, {3, 4}, 2, 2}, {2, -1}) == Status::bad_shape);
  CHECK(tile({2, {3, 4}, 1, 2}, {2}) == Status::bad_shape);
  const float tiles = 2, axis = -1, outside = 2;
  const ShapeCase s{2, {3, 4}, 0, 2};
  CHECK(report(2, [&](Index* e) { return tile_axis_extents(s, &tiles, &axis, e); }) ==
        Extents{3, 8});
  CHECK(report(2, [&](Index* e) { return tile_axis_extents(s, &tiles, &outside, e); }) ==
        Status::bad_index);
}

TEST_CASE("squeeze_extents and unsqueeze_extents", "[extents]") {
  CHECK(squeeze({3, {1, 3, 1}, 1, 2}, {-1}) == Extents{1, 3});
  CHECK(squeeze({3, {1, 3, 1}, 0, 1}, {}) == Extents{3});
  CHECK(squeeze({3, {1, 3, 1}, 0, 2}, {}) == Status::bad_shape);
  CHECK(squeeze({3, {1, 3, 1}, 1, 2}, {1}) == Status::bad_shape);
  CHECK(squeeze({3, {1, 3, 1}, 2, 2}, {0, -3}) == Status::bad_shape);
  CHECK(squeeze({3, {1, 3, 1}, 1, 2}, {3}) == Status::bad_index);
  CHECK(unsqueeze({1, {3}, 2, 3}, {0, -1}) == Extents{1, 3, 1});
  CHECK(unsqueeze({1, {3}, 2, 3}, {0, -3}) == Status::bad_index);
  CHECK(unsqueeze({1, {3}, 1, 3}, {0}) == Status::bad_shape);
}

TEST_CASE("slice_extents and pad_extents", "[extents]") {
  struct {
    Index dims[2], source[2], count;
  } const s{{5, 4}, {5, 4}, 1};
  const auto slice = [&](std::int64_t start, std::int64_t end, std::int64_t axis,
                         std::int64_t step) {
    return report(2, [&](Index* e) { return slice_extents<2>(s, &start, &end, &axis, &step, e); });
  };
  CHECK(slice(1, kHuge, -1, 2) == Extents{5, 2});
  CHECK(slice(-1, -kHuge, 0, -2) == Extents{3, 4});
  CHECK(slice(3, 1, 0, 1) == Extents{0, 4});
  CHECK(slice(0, 1, 2, 1) == Status::bad_index);
  CHECK(slice(0, 1, 0, 0) == Status::bad_value);
  const auto pad = [&](std::int64_t before, std::int64_t after, std::int64_t axis) {
    const std::int64_t pads[] = {before, after};
    return report(2, [&](Index* e) { return pad_extents<2>(s, pads, &axis, e); });
  };
  CHECK(pad(1, 2, 0) == Extents{8, 4});
  CHECK(pad(-2, 0, -1) == Extents{5, 2});
  CHECK(pad(-3, -3, 0) == Status::bad_shape);
  CHECK(pad(kHuge, kHuge, 0) == Status::bad_shape);
  CHECK(pad(0, 0, 2) == Status::bad_index);
}

TEST_CASE("reduce_extents", "[extents]") {
  struct Shape {
    Index dims[3], axis_count;
    bool keep, noop;
    Index out_rank;
  };
  const auto reduce = [](const Shape& s, const Wide& axes) {
    return report(static_cast<std::size_t>(s.out_rank),
                  [&](Index* e) { return reduce_extents<3>(s, axes.data(), e); });
  };
  CHECK(reduce({{2, 3, 4}, 1, true, false, 3}, {-2}) == Extents{2, 1, 4});
  CHECK(reduce({{2, 3, 4}, 2, false, false, 1}, {0, 2}) == Extents{3});
  CHECK(reduce({{2, 3, 4}, 0, false, false, 0}, {}) == Extents{});
  CHECK(reduce({{2, 3, 4}, 0, false, true, 3}, {}) == Extents{2, 3, 4});
  CHECK(reduce({{2, 3, 4}, 1, false, false, 1}, {0}) == Status::bad_shape);
  CHECK(reduce({{2, 3, 4}, 1, false, false, 2}, {3}) == Status::bad_index);
}

TEST_CASE("range_extents", "[extents]") {
  const auto count = [](auto start, auto limit, auto delta) {
    return report(1, [&](Index* e) { return range_extents(&start, &limit, &delta, e); });
  };
  CHECK(count(std::int64_t{1}, std::int64_t{10}, std::int64_t{4}) == Extents{3});
  CHECK(count(std::int64_t{10}, std::int64_t{1}, std::int64_t{-3}) == Extents{3});
  CHECK(count(std::int64_t{1}, std::int64_t{1}, std::int64_t{1}) == Extents{0});
  CHECK(count(std::int64_t{1}, std::int64_t{2}, std::int64_t{0}) == Status::bad_value);
  CHECK(count(-kHuge, kHuge, std::int64_t{1}) == Status::bad_shape);
  CHECK(count(std::int16_t{-32768}, std::int16_t{32767}, std::int16_t{32767}) == Extents{3});
  CHECK(count(0.0f, 1.0f, 0.3f) == Extents{4});
  CHECK(count(0.0f, 1.0f, 0.0f) == Status::bad_value);
  CHECK(count(0.0f, kInfinity, 1.0f) == Status::bad_value);
  CHECK(count(0.0f, kNaN, 1.0f) == Status::bad_value);
}

TEST_CASE("nonzero_extents and compress_extents", "[extents]") {
  struct {
    Index size, count, extent;
  } const s{4, 3, 2};
  const float x[] = {0, 1, -0.0f, kNaN};
  Index found = 0;
  nonzero_extents(s, x, &found);
  CHECK(found == 2);
  const bool fits[] = {true, true, false}, beyond[] = {true, true, true};
  CHECK(compress_extents(s, fits, &found) == Status::ok);
  CHECK(found == 2);
  CHECK(compress_extents(s, beyond, &found) == Status::bad_index);
}

TEST_CASE("non_max_suppression reports how many it picked", "[extents]") {
  struct {
    Index batch, classes, count, capacity;
    bool centred;
  } const s{1, 1, 3, 3, false};
  const float boxes[] = {0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 0, 10, 1, 11}, scores[] = {0.9f, 0.8f, 0.7f};
  const std::int64_t most = 5;
  const float iou = 0.5f;
  Wide y(9);
  std::vector<std::int64_t> heap(3);
  Index found = -1;
  CHECK(non_max_suppression(s, boxes, scores, &most, &iou, static_cast<const float*>(nullptr),
                            y.data(), &found, heap.data()) == Status::ok);
  CHECK(found == 2);
  CHECK((y[2] == 0 && y[5] == 2));
}

TEST_CASE("extents of signals and images", "[extents]") {
  struct {
    Index rank, dims[3];
    bool inverse, onesided;
    Index samples, window, rows, count, axes;
  } const s{3, {2, 8, 1}, false, true, 16, -1, 12, 4, 2};
  const std::int64_t eight = 8, five = 5, none = 0, axis = 1, last = 2;
  const std::int64_t* const absent = nullptr;
  const auto dft = [&](const std::int64_t* n, const std::int64_t* a) {
    return report(3, [&](Index* e) { return dft_extents(s, n, a, e); });
  };
  CHECK(dft(&five, &axis) == Extents{2, 3, 2});
  CHECK(dft(absent, absent) == Extents{2, 5, 2});
  CHECK(dft(&none, &axis) == Status::bad_value);
  CHECK(dft(&five, &last) == Status::bad_index);
  const auto stft = [&](std::int64_t step, const std::int64_t* n) {
    return report(2, [&](Index* e) { return stft_extents(s, &step, n, e); });
  };
  CHECK(stft(4, &eight) == Extents{3, 5});
  CHECK(stft(1, absent) == Extents{1, 9});
  CHECK(stft(0, &eight) == Status::bad_value);
  CHECK(stft(1, &kHuge) == Status::bad_value);
  const auto mel = [&](std::int64_t bands, std::int64_t n) {
    return report(2, [&](Index* e) { return mel_extents(&bands, &n, e); });
  };
  CHECK(mel(8, 16) == Extents{9, 8});
  CHECK(mel(-1, 16) == Status::bad_shape);
  struct {
    Index rank, rows;
  } const columns{2, 12};
  const auto col2im = [&](Wide image, Wide block) {
    return report(3,
                  [&](Index* e) { return col2im_extents(columns, image.data(), block.data(), e); });
  };
  CHECK(col2im({5, 6}, {2, 3}) == Extents{2, 5, 6});
  CHECK(col2im({5, 6}, {5, 1}) == Status::bad_shape);
  CHECK(col2im({5, 6}, {0, 1}) == Status::bad_shape);
  CHECK(col2im({-5, 6}, {1, 1}) == Status::bad_shape);
  const auto grid = [&](Wide size) {
    return report(3, [&](Index* e) { return affine_grid_extents(s, size.data(), e); });
  };
  CHECK(grid({1, 3, 4, 5}) == Extents{1, 4, 5});
  CHECK(grid({1, 3, 4, -5}) == Status::bad_shape);
}

TEST_CASE("extents of Resize", "[extents]") {
  struct Shape {
    Index count, in[2], policy;
  };
  const auto scaled = [](const Shape& s, std::vector<float> scales) {
    return report(2, [&](Index* e) { return resize_scaled_extents(s, scales.data(), e); });
  };
  CHECK(scaled({2, {3, 4}, 0}, {1.5f, 0.4f}) == Extents{4, 1});
  CHECK(scaled({2, {3, 4}, 0}, {0, 1}) == Status::bad_value);
  CHECK(scaled({2, {3, 4}, 0}, {kNaN, 1}) == Status::bad_value);
  CHECK(scaled({2, {3, 4}, 0}, {1e30f, 1}) == Status::bad_value);
  const auto sized = [](const Shape& s, Wide sizes) {
    return report(2, [&](Index* e) { return resize_sized_extents(s, sizes.data(), e); });
  };
  CHECK(sized({2, {3, 4}, 0}, {7, 8}) == Extents{7, 8});
  CHECK(sized({2, {2, 4}, 1}, {7, 8}) == Extents{4, 8});
  CHECK(sized({2, {2, 4}, 2}, {7, 8}) == Extents{7, 14});
  CHECK(sized({2, {2, 4}, 0}, {0, 8}) == Status::bad_value);
  CHECK(sized({2, {0, 4}, 0}, {1, 8}) == Status::bad_value);
}
