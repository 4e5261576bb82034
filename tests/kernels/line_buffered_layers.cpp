// line_buffered_layers.cpp - layers that run line-buffered together: the values of whole images, in
// memory for no more rows than the windows read.
#include "templates/convolution/line_buffered_layers.hpp"
#include "templates/convolution/int8_line_buffered.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "templates/fn/quantize.hpp"
#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::Index;
using conv_test::make_shape;
using conv_test::Pool;
using conv_test::pool_of;
using conv_test::reference;
using conv_test::values;
using kernel_test::at;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr int MR = 4, NR = 8;

// Memory for the rows that a layer's window reads, and not an element more.
template <class X, class S>
std::vector<X> window_rows(const S& s, Index row) {
  const Index rows = std::min((s.k_h - 1) * s.dilation_h + 1, s.in_h);
  return std::vector<X>(static_cast<std::size_t>(rows * row));
}

Floats rounded(const Doubles& x) { return {x.begin(), x.end()}; }

// Weights of a convolution, as they are and packed.
struct Weights {
  Floats w, bias, packed;
  Weights(const conv_test::Shape& s, unsigned seed)
      : w(values(s.out_c * (s.in_c / s.group) * s.k_h * s.k_w, seed)),
        bias(values(s.out_c, seed + 1)) {
    if (s.group == s.in_c && s.group > 1) {
      packed.resize(w.size());
      onnxc::pack_depthwise_conv2d(w.data(), s.out_c, s.k_h, s.k_w, packed.data());
    } else {
      packed.resize(static_cast<std::size_t>(
          onnxc::packed_conv2d_size<NR>(s.out_c, s.in_c, s.k_h, s.k_w, s.group)));
      onnxc::pack_conv2d<NR>(w.data(), s.out_c, s.in_c, s.k_h, s.k_w, s.group, packed.data());
    }
  }
};

// The largest elements of windows of one image.
Doubles largest(const Pool& s, const Floats& x) {
  Doubles y;
  for (Index oh = 0; oh < s.out_h; ++oh)
    for (Index ow = 0; ow < s.out_w; ++ow)
      for (Index c = 0; c < s.channels; ++c) {
        double most = -1e30;
        for (Index i = 0; i < s.k_h; ++i)
          for (Index j = 0; j < s.k_w; ++j) {
            const Index h = oh * s.stride_h - s.pad_top + i * s.dilation_h;
            const Index w = ow * s.stride_w - s.pad_left + j * s.dilation_w;
            if (h >= 0 && h < s.in_h && w >= 0 && w < s.in_w)
              most = std::fmax(most, at(x, (h * s.in_w + w) * s.channels + c));
          }
        y.push_back(most);
      }
  return y;
}

// All rows of an image, one after another.
template <class S>
onnxc::PooledRowsShape<Index> all_rows(const S& before) {
  onnxc::PooledRowsShape<Index> s{};
  s.in_h = s.out_h = before.out_h;
  s.in_w = before.out_w;
  s.out_w = s.k_h = s.k_w = s.stride_h = s.stride_w = s.dilation_h = s.dilation_w = 1;
  s.channels = before.out_c;
  return s;
}

// Planes, pixels or whatever the distances say.
onnxc::RowsShape<Index> rows_of(const conv_test::Shape& next, Index pixel, Index plane, Index row) {
  onnxc::RowsShape<Index> s{};
  s.in_h = s.out_h = next.in_h;
  s.in_w = s.out_w = next.in_w;
  s.k_h = s.k_w = s.stride_h = s.stride_w = s.dilation_h = s.dilation_w = 1;
  s.channels = next.in_c;
  s.pixel = pixel, s.plane = plane, s.row = row;
  return s;
}

struct Half {
  template <class V>
  V operator()(V v, Index, Index) const {
    return v * 0.5f;
  }
};

// A convolution, a depthwise one, a pool, a convolution and the mean of its results, from planes.
struct FloatLayers {
  conv_test::Shape first, depthwise, pooled, last;
  Floats planes = values(first.in_c * first.in_h * first.in_w, 1);
  Weights w1{first, 2}, w2{depthwise, 4}, w3{last, 6};

  Doubles mean() const {
    Floats x(planes.size());
    const Index pixels = first.in_h * first.in_w;
    for (Index p = 0; p < pixels; ++p)
      for (Index c = 0; c < first.in_c; ++c)
        x[static_cast<std::size_t>(p * first.in_c + c)] =
            planes[static_cast<std::size_t>(c * pixels + p)];
    const Floats a = rounded(reference(first, x, w1.w, w1.bias));
    const Floats b = rounded(reference(depthwise, a, w2.w, w2.bias));
    const Floats c = rounded(largest(pool_of(pooled), b));
    const Doubles d = reference(last, c, w3.w, w3.bias);
    Doubles y(static_cast<std::size_t>(last.out_c));
    for (std::size_t i = 0; i < d.size(); ++i) y[i % y.size()] += d[i];
    for (double& v : y) v *= 0.5 / static_cast<double>(last.out_h * last.out_w);
    return y;
  }

  Floats line_buffered() const {
    const Pool pool = pool_of(pooled);
    auto x1 = window_rows<float>(first, first.in_w * first.in_c);
    auto x2 = window_rows<float>(depthwise, depthwise.in_w * depthwise.in_c);
    auto x3 = window_rows<float>(pool, pool.in_w * pool.channels);
    auto x4 = window_rows<float>(last, last.in_w * last.in_c);
    const auto rows = all_rows(last);
    auto x5 = window_rows<float>(rows, rows.in_w * rows.channels);
    const auto from = rows_of(first, 1, first.in_h * first.in_w, first.in_w);
    Floats y(static_cast<std::size_t>(last.out_c));
    onnxc::run_line_buffered(
        [&] { return onnxc::reorder_line_buffered(from, planes.data(), x1.data()); },
        [&] {
          return onnxc::conv2d_nhwc_line_buffered<MR, NR>(first, x1.data(), w1.packed.data(),
                                                          w1.bias.data(), x2.data());
        },
        [&] {
          return onnxc::depthwise_conv2d_nhwc_line_buffered(depthwise, x2.data(), w2.packed.data(),
                                                            w2.bias.data(), x3.data());
        },
        [&] { return onnxc::max_pool2d_nhwc_line_buffered(pool, x3.data(), x4.data()); },
        [&] {
          return onnxc::conv2d_nhwc_line_buffered<MR, NR>(last, x4.data(), w3.packed.data(),
                                                          w3.bias.data(), x5.data());
        },
        [&] {
          return onnxc::global_average_pool_line_buffered(rows, x5.data(), y.data(), Half{});
        });
    return y;
  }
};

// Doubles the elements of a row.
struct Twice {
  template <class V>
  V operator()(V v) const {
    return v + v;
  }
};

}  // namespace

TEST_CASE("float layers give what whole images give", "[line_buffered]") {
  const FloatLayers chains[] = {
      {make_shape(15, 11, 3, 8, 3, 3, 2, 1, {1, 1, 1, 1}),
       make_shape(8, 6, 8, 8, 3, 3, 1, 1, {1, 1, 1, 1}, 8),
       make_shape(8, 6, 8, 8, 2, 2, 2, 1, {0, 0, 0, 0}),
       make_shape(4, 3, 8, 12, 1, 1, 1, 1, {0, 0, 0, 0})},
      // Windows with dilation, more padding than rows, an even window.
      {make_shape(9, 10, 2, 9, 3, 2, 1, 2, {2, 1, 2, 1}),
       make_shape(9, 10, 9, 9, 5, 5, 2, 1, {2, 2, 2, 2}, 9),
       make_shape(5, 5, 9, 9, 3, 3, 1, 1, {1, 1, 1, 1}),
       make_shape(5, 5, 9, 4, 5, 3, 1, 1, {4, 1, 4, 1})},
      {make_shape(1, 4, 2, 4, 1, 1, 1, 1, {0, 0, 0, 0}),
       make_shape(1, 4, 4, 4, 3, 3, 1, 1, {1, 1, 1, 1}, 4),
       make_shape(1, 4, 4, 4, 1, 2, 1, 1, {0, 0, 0, 0}),
       make_shape(1, 3, 4, 4, 1, 1, 1, 1, {0, 0, 0, 0})},
  };
  for (const FloatLayers& chain : chains) {
    CAPTURE(chain.first.in_h, chain.first.k_h);
    CHECK(kernel_test::worst_difference(chain.line_buffered(), chain.mean()) < 1e-4);
  }
}

TEST_CASE("an element-wise layer reads planes or pixels", "[line_buffered]") {
  const auto next = make_shape(5, 4, 3, 2, 2, 1, 1, 1, {0, 0, 0, 0});
  const Weights w(next, 3);
  const Floats planes = values(60, 1);
  Floats doubled(60), pixels(60);
  for (std::size_t p = 0; p < 20; ++p)
    for (std::size_t c = 0; c < 3; ++c) {
      pixels[p * 3 + c] = planes[c * 20 + p];
      doubled[p * 3 + c] = 2 * planes[c * 20 + p];
    }
  const Doubles want = reference(next, doubled, w.w, w.bias);
  const auto from_rows = [&](const onnxc::RowsShape<Index>& s, const float* x) {
    auto rows = window_rows<float>(next, 12);
    Floats y(want.size());
    onnxc::run_line_buffered(
        [&] { return onnxc::map_line_buffered<2, false>(s, Twice{}, rows.data(), x); },
        [&] {
          return onnxc::conv2d_nhwc_line_buffered<MR, NR>(next, rows.data(), w.packed.data(),
                                                          w.bias.data(), y.data());
        });
    return y;
  };
  using kernel_test::worst_difference;
  CHECK(worst_difference(from_rows(rows_of(next, 1, 20, 4), planes.data()), want) < 1e-5);
  CHECK(worst_difference(from_rows(rows_of(next, 3, 1, 12), pixels.data()), want) < 1e-5);
}

TEST_CASE("an element-wise layer reads constants of one element or of one for each channel",
          "[line_buffered]") {
  const auto next = make_shape(5, 4, 3, 2, 2, 1, 1, 1, {0, 0, 0, 0});
  const Weights w(next, 3);
  const Floats planes = values(60, 1), mean = {0.5f, -1.0f, 2.0f}, scale = {3.0f};
  Floats scaled(60);
  for (std::size_t p = 0; p < 20; ++p)
    for (std::size_t c = 0; c < 3; ++c) scaled[p * 3 + c] = (planes[c * 20 + p] - mean[c]) * 3.0f;
  struct Shape : onnxc::RowsShape<Index> {
    Index channel_strides[2];
  };
  Shape s{rows_of(next, 1, 20, 4), {1, 0}};
  auto rows = window_rows<float>(next, 12);
  const Doubles want = reference(next, scaled, w.w, w.bias);
  Floats y(want.size());
  const auto scale_and_shift = [](auto x, auto m, auto k) { return (x - m) * k; };
  onnxc::run_line_buffered(
      [&] {
        return onnxc::map_line_buffered<2, false>(s, scale_and_shift, rows.data(), planes.data(),
                                                  mean.data(), scale.data());
      },
      [&] {
        return onnxc::conv2d_nhwc_line_buffered<MR, NR>(next, rows.data(), w.packed.data(),
                                                        w.bias.data(), y.data());
      });
  CHECK(kernel_test::worst_difference(y, want) < 1e-4);
}

TEST_CASE("rows come from the caller, until there are no more", "[line_buffered]") {
  struct Camera {
    const float* picture;
    std::uint32_t asked, last;
  };
  struct Source {
    int (*next_rows)(void*, std::uint32_t, std::uint32_t, void*);
    void* context;
  };
  const auto take = [](void* context, std::uint32_t first, std::uint32_t count, void* to) {
    auto& camera = *static_cast<Camera*>(context);
    if (first != camera.asked || count != 1) return 2;  // out of order
    ++camera.asked;
    std::memcpy(to, camera.picture + first * 12, 12 * sizeof(float));
    return first < camera.last ? 0 : 1;
  };
  const auto s = make_shape(6, 4, 3, 5, 3, 3, 1, 1, {1, 1, 1, 1});
  const Weights w(s, 3);
  const Floats x = values(72, 1);
  const Doubles want = reference(s, x, w.w, w.bias);
  const auto run = [&](Camera& camera, Floats& y) {
    onnxc::CallerRows<Source> rows = {{take, &camera}, true};
    auto window = window_rows<float>(s, 12);
    onnxc::run_line_buffered_while(
        rows.more, [&] { return onnxc::row_source(rows_of(s, 3, 1, 12), rows, window.data()); },
        [&] {
          return onnxc::conv2d_nhwc_line_buffered<MR, NR>(s, window.data(), w.packed.data(),
                                                          w.bias.data(), y.data());
        });
    return rows.more;
  };
  Floats y(want.size(), 7.0f);
  Camera whole = {x.data(), 0, 100};
  CHECK(run(whole, y));
  CHECK(whole.asked == 6);
  CHECK(kernel_test::worst_difference(y, want) < 1e-5);
  // Row 3 fails: of the results, those that wait for it are not there.
  std::fill(y.begin(), y.end(), 7.0f);
  Camera broken = {x.data(), 0, 3};
  CHECK_FALSE(run(broken, y));
  CHECK(broken.asked == 4);
  CHECK(y[2 * 20] == 7.0f);
  CHECK(y[2 * 20 - 1] != 7.0f);
}

namespace {

struct Int8Shape : onnxc::ConvExtents<Index> {
  Index zero, residual_words, sets;
  bool copies;
};
Int8Shape int8_shape(const conv_test::Shape& shape) {
  Int8Shape s{};
  static_cast<onnxc::ConvExtents<Index>&>(s) = shape;
  s.zero = 117;
  s.sets = 1;
  s.copies = true;
  return s;
}

template <class T>
std::vector<T> integers(Index count, unsigned seed) {
  std::vector<T> v;
  for (const float x : values(count, seed))
    v.push_back(static_cast<T>(static_cast<int>(x * 128.0f)));
  return v;
}

// A sum as a byte.
struct ToByte {
  template <class V>
  auto operator()(V v, Index, Index) const {
    return onnxc::fn::quantize(v * onnxc::broadcast<V>(0.01f), 1.0f, 1.0f, 128.0f, -128.0f, 127.0f);
  }
};

}  // namespace

TEST_CASE("layers of bytes give what whole images give", "[line_buffered]") {
  const auto s1 = int8_shape(make_shape(11, 9, 4, 8, 3, 3, 2, 1, {1, 1, 1, 1}));
  const auto s2 = int8_shape(make_shape(6, 5, 8, 8, 3, 3, 1, 1, {1, 1, 1, 1}, 8));
  const Pool s3 = pool_of(make_shape(6, 5, 8, 8, 2, 2, 1, 1, {0, 0, 0, 0}));
  const auto x = integers<std::uint8_t>(11 * 9 * 4, 1);
  const auto w1 = integers<std::int8_t>(8 * 4 * 9, 2), w2 = integers<std::int8_t>(8 * 9, 3);
  const auto start1 = integers<std::int32_t>(onnxc::int8_panels<8>(s1) * 8, 4);
  const auto start2 = integers<std::int32_t>(8, 5);
  std::vector<std::int8_t> p1(
      static_cast<std::size_t>(onnxc::int8_panels<8>(s1) * onnxc::int8_panel_size<8>(s1)));
  onnxc::pack_conv2d_int8<8>(s1, w1.data(), nullptr, p1.data(), nullptr);
  std::vector<std::int8_t> p2(static_cast<std::size_t>(onnxc::depthwise_set_size(s2)));
  onnxc::pack_depthwise_int8(s2, w2.data(), p2.data());

  using Bytes = std::vector<std::uint8_t>;
  Bytes a(6 * 5 * 8), b(a.size()), c(5 * 4 * 8), scratch(4096);
  onnxc::conv2d_int8_nhwc<8>(s1, x.data(), p1.data(), start1.data(), nullptr, a.data(),
                             scratch.data(), ToByte{});
  onnxc::depthwise_conv2d_int8_nhwc(s2, a.data(), p2.data(), start2.data(), b.data(),
                                    scratch.data(), ToByte{});
  onnxc::max_pool2d_int8_nhwc(s3, b.data(), c.data());
  // Sums of bytes are exact.
  std::vector<double> mean(8);
  for (std::size_t i = 0; i < c.size(); ++i) mean[i % 8] += (c[i] - 3.0) * 0.5 / 20.0;

  onnxc::PooledInt8RowsShape<Index> s4{};
  static_cast<onnxc::PooledRowsShape<Index>&>(s4) =
      all_rows(make_shape(5, 4, 8, 8, 1, 1, 1, 1, {0, 0, 0, 0}));
  s4.zero = 3;
  s4.step = 0.5f;
  auto x2 = window_rows<std::uint8_t>(s2, 5 * 8), x3 = window_rows<std::uint8_t>(s3, 5 * 8),
       x4 = window_rows<std::uint8_t>(s4, 4 * 8);
  Bytes window(static_cast<std::size_t>(onnxc::gathered_size(s1)));
  std::int32_t sums[8];
  Floats y(8);
  const auto keep = [](float v, Index, Index) { return v; };
  onnxc::run_line_buffered(
      [&] {
        return onnxc::conv2d_int8_nhwc_line_buffered<8>(
            s1, x.data(), p1.data(), start1.data(), nullptr, x2.data(), window.data(), ToByte{});
      },
      [&] {
        return onnxc::depthwise_conv2d_int8_nhwc_line_buffered(
            s2, x2.data(), p2.data(), start2.data(), x3.data(), nullptr, ToByte{});
      },
      [&] { return onnxc::max_pool2d_int8_nhwc_line_buffered(s3, x3.data(), x4.data()); },
      [&] {
        return onnxc::global_average_pool_int8_line_buffered(s4, x4.data(), y.data(), keep, sums);
      });
  CHECK(kernel_test::worst_difference(y, mean) < 1e-4);
  CHECK(*std::max_element(c.begin(), c.end()) > *std::min_element(c.begin(), c.end()));
}
