// pool_nd.cpp - pooling in both layouts, with padding, dilation and indices.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "templates/pooling/average_pool_nd.hpp"
#include "templates/pooling/global_pool.hpp"
#include "templates/pooling/lp_pool_nd.hpp"
#include "templates/pooling/max_pool_nd.hpp"
#include "templates/pooling/max_unpool.hpp"

using onnxc::Index;

namespace {

struct Shape {
  Index batch = 1, channels = 1;
  Index in[2] = {3, 3}, out[2] = {2, 2}, kernel[2] = {2, 2}, stride[2] = {2, 2};
  Index dilation[2] = {1, 1}, pad[2] = {1, 1}, pad_end[2] = {0, 0};
  bool column_order = false, channels_last = false, count_pad = false;
  Index p = 2;
};

const std::vector<float> kImage = {1, 2, 3, 4, 5, 6, 7, 8, 9};
constexpr auto kKeep = [](auto v, Index, Index) { return v; };

}  // namespace

TEST_CASE("largest elements and their indices") {
  Shape s;
  std::vector<float> y(4);
  std::vector<std::int64_t> at(4);
  onnxc::max_pool_nd<2>(s, kImage.data(), y.data(), at.data(), kKeep);
  CHECK(y == std::vector<float>{1, 3, 7, 9});
  CHECK(at == std::vector<std::int64_t>{0, 2, 6, 8});
  s.column_order = true;
  onnxc::max_pool_nd<2>(s, kImage.data(), y.data(), at.data(), kKeep);
  CHECK(at == std::vector<std::int64_t>{0, 6, 2, 8});
}

TEST_CASE("largest elements go back to where they came from") {
  struct {
    Index count = 4;
    Index grid[2] = {3, 3}, out[2] = {3, 3};
  } s;
  const std::vector<float> x = {1, 3, 7, 9};
  std::vector<float> y(9, -1.0f);
  std::vector<std::int64_t> at = {0, 2, 6, 8};
  CHECK(onnxc::max_unpool<2>(s, x.data(), at.data(), y.data()) == onnxc::Status::ok);
  CHECK(y == std::vector<float>{1, 0, 3, 0, 0, 0, 7, 0, 9});
  // Indices count in the grid. A box of other extents has the same corner.
  s.out[0] = 2, s.out[1] = 4;
  y.assign(8, -1.0f);
  at = {4, 1, 8, 3};
  CHECK(onnxc::max_unpool<2>(s, x.data(), at.data(), y.data()) == onnxc::Status::ok);
  CHECK(y == std::vector<float>{0, 3, 0, 0, 9, 1, 0, 0});
  for (const std::int64_t wrong : {-1, 9}) {
    at[2] = wrong;
    CHECK(onnxc::max_unpool<2>(s, x.data(), at.data(), y.data()) == onnxc::Status::bad_index);
  }
}

TEST_CASE("a window of padding alone, and NaN") {
  Shape s;
  s.pad[0] = s.pad[1] = 2;
  std::vector<float> y(4);
  std::vector<std::int64_t> at(4);
  onnxc::max_pool_nd<2>(s, kImage.data(), y.data(), at.data(), kKeep);
  CHECK(y[0] == -std::numeric_limits<float>::infinity());
  CHECK(at[0] == -1);
  auto image = kImage;
  image[0] = std::numeric_limits<float>::quiet_NaN();
  onnxc::max_pool_nd<2>(s, image.data(), y.data(), at.data(), kKeep);
  CHECK(y[3] != y[3]);
}

TEST_CASE("means with and without the padding") {
  Shape s;
  std::vector<float> y(4);
  onnxc::average_pool_nd<2>(s, kImage.data(), y.data(), kKeep);
  CHECK(y == std::vector<float>{1, 2.5f, 5.5f, 7});
  s.count_pad = true;
  onnxc::average_pool_nd<2>(s, kImage.data(), y.data(), kKeep);
  CHECK(y == std::vector<float>{0.25f, 1.25f, 2.75f, 7});
}

namespace {

// A volume with windows of all kinds: beyond the edges, with gaps, of padding alone.
struct Volume {
  Index batch = 1, channels = 2;
  Index in[3], out[3], kernel[3], stride[3], dilation[3], pad[3], pad_end[3] = {1, 1, 1};
  bool column_order = false, channels_last = false, count_pad = false;
};

Volume random_volume(std::mt19937& random) {
  Volume s;
  for (int i = 0; i < 3; ++i) {
    const auto upto = [&](unsigned n) { return static_cast<Index>(random() % n); };
    s.in[i] = 1 + upto(i == 2 ? 900 : 5);
    s.kernel[i] = 1 + upto(4), s.stride[i] = 1 + upto(3), s.dilation[i] = 1 + upto(3);
    s.pad[i] = upto(5);
    const Index extent = (s.kernel[i] - 1) * s.dilation[i] + 1;
    const Index rest = s.in[i] + 2 * s.pad[i] - extent;
    s.out[i] = rest < 0 ? 1 : rest / s.stride[i] + 1;
    s.pad_end[i] = s.pad[i];
  }
  return s;
}

}  // namespace

TEST_CASE("rows of results are those of single windows") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const Volume s = random_volume(random);
    const Index in_size = onnxc::box_size<3>(s.in), out_size = onnxc::box_size<3>(s.out);
    std::vector<float> x(static_cast<std::size_t>(2 * in_size));
    for (float& v : x) v = static_cast<float>(random() % 1000) - 500.0f;
    if (round % 4 == 0) x[0] = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> y(static_cast<std::size_t>(2 * out_size)), expected = y;
    std::vector<std::int64_t> at(y.size());
    onnxc::max_pool_nd<3>(s, x.data(), expected.data(), at.data(), kKeep);
    onnxc::max_pool_nd<3>(s, x.data(), y.data(), nullptr, kKeep);
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK((y[i] == expected[i] || (y[i] != y[i] && expected[i] != expected[i])));
    if (round % 4 == 0) continue;
    onnxc::average_pool_nd<3>(s, x.data(), y.data(), kKeep);
    std::size_t i = 0;
    for (const float* plane : {x.data(), x.data() + in_size}) {
      onnxc::Position<3> out;
      do {
        float sum = 0, count = 0;
        onnxc::for_taps<3>(s, out, [&](Index offset) { sum += plane[offset], ++count; });
        CHECK(y[i++] == (count > 0 ? sum / count : 0));
      } while (out.next(s.out));
    }
  }
}

TEST_CASE("norms") {
  const Shape s;
  std::vector<float> y(4);
  onnxc::lp_pool_nd<2>(s, kImage.data(), y.data());
  CHECK(y[0] == Approx(1.0f));
  CHECK(y[1] == Approx(std::sqrt(13.0f)));
}

TEST_CASE("global pools in both layouts") {
  struct {
    Index batch, channels, positions;
    bool channels_last;
    Index p;
  } s{2, 37, 21, false, 2};
  std::vector<float> plain(2 * 37 * 21), last(plain.size()), a(74), b(74);
  for (Index n = 0; n < 2; ++n)
    for (Index c = 0; c < 37; ++c)
      for (Index p = 0; p < 21; ++p) {
        const float v = static_cast<float>((n * 13 + c * 7 + p * 5) % 29);
        plain[static_cast<std::size_t>((n * 37 + c) * 21 + p)] = v;
        last[static_cast<std::size_t>((n * 21 + p) * 37 + c)] = v;
      }
  const auto both = [&](auto pool) {
    s.channels_last = false;
    pool(plain.data(), a.data());
    s.channels_last = true;
    pool(last.data(), b.data());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]));
  };
  both([&](const float* x, float* y) { onnxc::global_average_pool(s, x, y, kKeep); });
  both([&](const float* x, float* y) { onnxc::global_max_pool(s, x, y, kKeep); });
  CHECK(a[0] <= 28.0f);
  both([&](const float* x, float* y) { onnxc::global_lp_pool(s, x, y); });
}
