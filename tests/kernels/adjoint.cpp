// adjoint.cpp - kernels of derivatives of linear operators: <A v, w> = <v, A' w> for the forward
// kernel A and its derivative A', and the same bits in chunks.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "templates/image/resize_axis.hpp"
#include "templates/pooling/average_pool_nd.hpp"
#include "templates/pooling/max_pool2d_grad_nhwc.hpp"
#include "templates/pooling/max_pool_nd.hpp"
#include "templates/pooling/roi.hpp"

using namespace onnxc;

namespace {

constexpr auto kKeep = [](auto v, Index, Index) { return v; };

std::vector<double> numbers(std::size_t count, int seed) {
  std::vector<double> v(count);
  for (double& x : v) {
    seed = (seed * 31 + 7) % 101;
    x = static_cast<double>(seed) / 10 - 5;
  }
  return v;
}

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void check_adjoint(const std::vector<double>& v, const std::vector<double>& av,
                   const std::vector<double>& w, const std::vector<double>& aw) {
  CHECK(dot_of(av, w) == Approx(dot_of(v, aw)).epsilon(1e-13));
}

struct Pool {
  Index batch = 2, channels = 3;
  Index in[2] = {5, 4}, out[2] = {3, 3}, kernel[2] = {3, 2}, stride[2] = {2, 2};
  Index dilation[2] = {1, 2}, pad[2] = {1, 2}, pad_end[2] = {1, 1};
  bool column_order = false, channels_last = false, count_pad = false;
};
constexpr std::size_t kPoolIn = 2 * 3 * 20, kPoolOut = 2 * 3 * 9;

struct Axis {
  Index outer = 2, in = 4, out = 3, inner = 2, max_taps = 2;
  float extrapolation = 0;
};

struct Roi {
  Index batch = 2, channels = 3, height = 5, width = 6, count = 2, out_h = 2, out_w = 3;
  Index samples = 2;
  float scale = 0.5f;
  bool half_pixel = true, largest = false;
};

}  // namespace

TEST_CASE("average_pool_grad_nd is the adjoint of average_pool_nd") {
  for (bool count_pad : {false, true}) {
    Pool s;
    s.count_pad = count_pad;
    const auto v = numbers(kPoolIn, 3), w = numbers(kPoolOut, 5);
    std::vector<double> av(kPoolOut), aw(kPoolIn), in_chunks(kPoolIn);
    average_pool_nd<2>(s, v.data(), av.data(), kKeep);
    average_pool_grad_nd<2>(s, w.data(), aw.data());
    check_adjoint(v, av, w, aw);
    for (Index i = 0; i < 4; ++i)
      average_pool_grad_nd<2>(with_chunk(s, {i, 4}), w.data(), in_chunks.data());
    CHECK(in_chunks == aw);
  }
}

TEST_CASE("max_pool_grad_nd adds to the elements that the indices name") {
  const Pool s;
  auto v = numbers(kPoolIn, 3);
  v[7] = v[8];  // the first of equal elements counts
  const auto w = numbers(kPoolOut, 5);
  std::vector<double> y(kPoolOut), aw(kPoolIn), want(kPoolIn), in_chunks(kPoolIn);
  std::vector<std::int64_t> at(kPoolOut);
  max_pool_nd<2>(s, v.data(), y.data(), at.data(), kKeep);
  for (std::size_t i = 0; i < kPoolOut; ++i)
    if (at[i] >= 0) want[static_cast<std::size_t>(at[i])] += w[i];
  max_pool_grad_nd<2>(s, w.data(), v.data(), aw.data(), kKeep);
  CHECK(aw == want);
  for (Index i = 0; i < 4; ++i)
    max_pool_grad_nd<2>(with_chunk(s, {i, 4}), w.data(), v.data(), in_chunks.data(), kKeep);
  CHECK(in_chunks == aw);
}

namespace {

// [batch, channels, positions] with the channels at the end, as floats.
std::vector<float> channels_last(const std::vector<double>& plain, Index channels,
                                 Index positions) {
  std::vector<float> last(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto at = static_cast<Index>(i);
    const Index image = at / (channels * positions), c = at / positions % channels;
    last[static_cast<std::size_t>((image * positions + at % positions) * channels + c)] =
        static_cast<float>(plain[i]);
  }
  return last;
}

struct ImagePool {
  Index batch, in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left, ldx, ldy;
};

}  // namespace

TEST_CASE("max_pool2d_grad_nhwc gives what the plain layout gives, in chunks too") {
  constexpr Index channels = 21;
  const ImagePool distant = {2, 5, 4, channels, 3, 3, 3, 2, 2, 2, 1, 2, 1, 2, channels, channels};
  const ImagePool tiles = {2, 4, 6, channels, 2, 3, 2, 2, 2, 2, 1, 1, 0, 0, channels, channels};
  for (const ImagePool& image : {distant, tiles}) {
    Pool s;
    s.channels = channels;
    s.in[0] = image.in_h, s.in[1] = image.in_w, s.out[0] = image.out_h, s.out[1] = image.out_w;
    s.kernel[0] = image.k_h, s.kernel[1] = image.k_w;
    s.dilation[1] = image.dilation_w, s.pad[0] = image.pad_top, s.pad[1] = image.pad_left;
    const Index in = s.in[0] * s.in[1], out = s.out[0] * s.out[1];
    auto x = numbers(static_cast<std::size_t>(2 * channels * in), 3);
    x[7] = x[8], x[40] = NAN;
    auto dy = numbers(static_cast<std::size_t>(2 * channels * out), 5);
    for (double& v : dy) v = std::round(v * 10);  // sums are exact
    std::vector<double> dx(x.size());
    max_pool_grad_nd<2>(s, dy.data(), x.data(), dx.data(), kKeep);
    const auto want = channels_last(dx, channels, in);
    const auto pixels = channels_last(x, channels, in), by = channels_last(dy, channels, out);
    for (Index chunks : {1, 2, 5}) {
      std::vector<float> got(x.size(), 99.0f), twice(x.size(), 99.0f);
      for (Index i = 0; i < chunks; ++i) {
        const auto own = with_chunk(image, {i, chunks});
        max_pool2d_grad_nhwc(own, by.data(), pixels.data(), got.data());
        max_pool2d_grad_nhwc(own, by.data(), pixels.data(), twice.data(),
                             [](auto v, Index, Index) { return v + v; });
      }
      CHECK(got == want);
      for (float& v : got) v += v;
      CHECK(twice == got);
    }
  }
}

TEST_CASE("max_pool_argmax_nd and its derivative give what max_pool_nd gives") {
  auto x = numbers(kPoolIn, 3);
  x[7] = x[8], x[12] = x[13] = NAN, x[30] = -INFINITY;
  const auto dy = numbers(kPoolOut, 5);
  for (Index pad : {1, 7}) {  // the second has windows without data
    Pool s;
    s.pad[0] = pad;
    std::vector<double> y(kPoolOut), dx(kPoolIn);
    max_pool_nd<2>(s, x.data(), y.data(), static_cast<std::int64_t*>(nullptr), kKeep);
    max_pool_grad_nd<2>(s, dy.data(), x.data(), dx.data(), kKeep);
    for (bool last : {false, true}) {
      s.channels_last = last;
      const auto stored = [&](const std::vector<double>& v, Index positions) {
        const auto floats = channels_last(v, s.channels, positions);
        return last ? std::vector<double>(floats.begin(), floats.end()) : v;
      };
      const auto from = stored(x, 20), by = stored(dy, 9);
      std::vector<double> got(kPoolOut, 99), got_dx(kPoolIn, 99);
      std::vector<std::uint8_t> argmax(kPoolOut);
      for (Index i = 0; i < 4; ++i)
        max_pool_argmax_nd<2>(with_chunk(s, {i, 4}), from.data(), got.data(), argmax.data(), kKeep);
      for (Index i = 0; i < 4; ++i)
        max_pool_grad_argmax_nd<2>(with_chunk(s, {i, 4}), by.data(), argmax.data(), got_dx.data(),
                                   [](auto v, Index, Index) { return v + v; });
      const auto want = stored(y, 9), want_dx = stored(dx, 20);
      for (std::size_t i = 0; i < want.size(); ++i)
        CHECK((got[i] == Approx(want[i]) || (got[i] != got[i] && want[i] != want[i]) ||
               got[i] == want[i]));
      for (std::size_t i = 0; i < want_dx.size(); ++i)
        CHECK(got_dx[i] == Approx(2 * want_dx[i]).epsilon(1e-6));
    }
  }
}

TEST_CASE("resize_axis_grad is the adjoint of resize_axis") {
  const Axis s;
  const std::int64_t taps[] = {0, 1, 1, 3, -1, 0};  // the last position is outside
  const float weights[] = {0.25f, 0.75f, 0.5f, 0.5f, 0, 0};
  const auto v = numbers(16, 3), w = numbers(12, 5);
  std::vector<double> av(12), aw(16), in_chunks(16);
  resize_axis(s, v.data(), taps, weights, av.data());
  resize_axis_grad(s, w.data(), taps, weights, aw.data());
  check_adjoint(v, av, w, aw);
  for (Index i = 0; i < 2; ++i)
    resize_axis_grad(with_chunk(s, {i, 2}), w.data(), taps, weights, in_chunks.data());
  CHECK(in_chunks == aw);
}

TEST_CASE("roi_align_grad is the adjoint of roi_align; bad regions are refused") {
  const Roi s;
  const std::vector<double> rois = {0.4, 0.2, 7.1, 6.6, -3, 2, 14, 12};
  std::vector<std::int64_t> batch_of = {1, 0};
  const auto v = numbers(180, 3), w = numbers(36, 5);
  std::vector<double> av(36), aw(180);
  REQUIRE(roi_align(s, v.data(), rois.data(), batch_of.data(), av.data()) == Status::ok);
  REQUIRE(roi_align_grad(s, w.data(), v.data(), rois.data(), batch_of.data(), aw.data()) ==
          Status::ok);
  check_adjoint(v, av, w, aw);
  batch_of[1] = 2;
  CHECK(roi_align_grad(s, w.data(), v.data(), rois.data(), batch_of.data(), aw.data()) ==
        Status::bad_index);
}

TEST_CASE("max_roi_pool_indices names the elements that max_roi_pool returns") {
  const Roi s;
  const std::vector<double> rois = {1, 0.4, 0.2, 7.1, 6.6, 0, 30, 30, 40, 40};
  const auto v = numbers(180, 3);
  std::vector<double> y(36);
  std::vector<std::int64_t> at(36);
  REQUIRE(max_roi_pool(s, v.data(), rois.data(), y.data()) == Status::ok);
  REQUIRE(max_roi_pool_indices(s, v.data(), rois.data(), at.data()) == Status::ok);
  for (std::size_t i = 0; i < y.size(); ++i)
    CHECK(y[i] == (at[i] < 0 ? 0 : v[static_cast<std::size_t>(at[i])]));
  CHECK(at.back() == -1);
}
