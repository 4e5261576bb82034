// line_buffered.cpp - line-buffered layers overwrite what they read, as near to it as they may, and
// give what the kernels for whole images give.
#include "templates/convolution/line_buffered.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "templates/convolution/int8_line_buffered.hpp"
#include "templates/convolution/line_buffered_layers.hpp"
#include "templates/fn/quantize.hpp"
#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::Index;
using conv_test::make_shape;

// Where the output may begin, in elements from the beginning of the input: at most the first place
// when rows go forwards, at least the second when they go backwards.
struct Places {
  Index forwards, backwards;
};

template <class S>
Places places(const S& s, Index in_c, Index out_c) {
  Places p = {0, 0};
  for (Index n = 0; n < s.batch; ++n)
    for (Index oh = 0; oh < s.out_h; ++oh) {
      const Index start = oh * s.stride_h - s.pad_top;
      const Index end = start + (s.k_h - 1) * s.dilation_h + 1;
      const auto in = [&](Index row) {
        return (n * s.in_h + std::clamp<Index>(row, 0, s.in_h)) * s.in_w * in_c;
      };
      const Index out = (n * s.out_h + oh) * s.out_w * out_c;
      p.forwards = std::min(p.forwards, in(start)-out - s.out_w * out_c);
      p.backwards = std::max(p.backwards, in(end)-out);
    }
  return p;
}

// Runs layer(x, y) with y across x, in both directions, and compares with `want`.
template <class S, class X, class Y, class MakeLayer>
void check_across(const S& s, Index in_c, Index out_c, const std::vector<X>& x,
                  const std::vector<Y>& want, MakeLayer layer) {
  static_assert(sizeof(X) == sizeof(Y), "");
  const Places p = places(s, in_c, out_c);
  for (const bool backwards : {false, true}) {
    const Index place = backwards ? p.backwards : p.forwards;
    const auto x_at = static_cast<std::size_t>(std::max<Index>(0, -place));
    const auto y_at = static_cast<std::size_t>(std::max<Index>(0, place));
    std::vector<X> memory(std::max(x_at + x.size(), y_at + want.size()));
    std::copy(x.begin(), x.end(), memory.begin() + static_cast<std::ptrdiff_t>(x_at));
    X *const in = memory.data() + x_at, *const out = memory.data() + y_at;
    if (backwards)
      onnxc::run_layer_backwards(layer(in, out));
    else
      onnxc::run_layer(layer(in, out));
    CAPTURE(backwards, place, s.in_h, s.in_w, in_c, out_c, s.k_h, s.stride_h, s.pad_top);
    CHECK(std::memcmp(memory.data() + y_at, want.data(), want.size() * sizeof(Y)) == 0);
  }
}

// Reads something at every place that an epilogue may read.
struct AddAt {
  const float* element;
  template <class V>
  V operator()(V v, Index at, Index) const {
    return v * 0.5f + onnxc::load<V>(element + at);
  }
};

void check_conv(const conv_test::Shape& s) {
  constexpr int MR = 4, NR = 8;
  const auto x = conv_test::values(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const auto w = conv_test::values(s.out_c * s.in_c / s.group * s.k_h * s.k_w, 2);
  const auto bias = conv_test::values(s.out_c, 3);
  const auto other = conv_test::values(s.batch * s.out_h * s.out_w * s.out_c, 4);
  const AddAt add = {other.data()};
  std::vector<float> packed(static_cast<std::size_t>(
      onnxc::packed_conv2d_size<NR>(s.out_c, s.in_c, s.k_h, s.k_w, s.group)));
  onnxc::pack_conv2d<NR>(w.data(), s.out_c, s.in_c, s.k_h, s.k_w, s.group, packed.data());
  std::vector<float> want(other.size());
  onnxc::conv2d_nhwc<MR, NR>(s, x.data(), packed.data(), bias.data(), want.data(), add);
  check_across(s, s.in_c, s.out_c, x, want, [&](float* in, float* out) {
    return onnxc::conv2d_nhwc_line_buffered<MR, NR>(s, in, packed.data(), bias.data(), out, add);
  });
}

void check_depthwise(const conv_test::Shape& s) {
  const auto x = conv_test::values(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const auto w = conv_test::values(s.out_c * s.k_h * s.k_w, 2);
  const auto other = conv_test::values(s.batch * s.out_h * s.out_w * s.out_c, 4);
  const AddAt add = {other.data()};
  std::vector<float> packed(w.size()), want(other.size());
  onnxc::pack_depthwise_conv2d(w.data(), s.out_c, s.k_h, s.k_w, packed.data());
  onnxc::depthwise_conv2d_nhwc(s, x.data(), packed.data(), nullptr, want.data(), add);
  check_across(s, s.in_c, s.out_c, x, want, [&](float* in, float* out) {
    return onnxc::depthwise_conv2d_nhwc_line_buffered(s, in, packed.data(), nullptr, out, add);
  });
}

void check_pools(const conv_test::Shape& shape) {
  const auto s = conv_test::pool_of(shape);
  const Index size = s.batch * s.out_h * s.out_w * s.channels;
  const auto x = conv_test::values(s.batch * s.in_h * s.in_w * s.channels, 1);
  const auto other = conv_test::values(size, 4);
  const AddAt add = {other.data()};
  std::vector<float> want(other.size());
  onnxc::max_pool2d_nhwc(s, x.data(), want.data(), add);
  check_across(s, s.channels, s.channels, x, want, [&](float* in, float* out) {
    return onnxc::max_pool2d_nhwc_line_buffered(s, in, out, add);
  });
  std::vector<std::int8_t> bytes;
  for (float v : x) bytes.push_back(static_cast<std::int8_t>(v * 100));
  std::vector<std::int8_t> most(other.size());
  onnxc::max_pool2d_int8_nhwc(s, bytes.data(), most.data());
  check_across(s, s.channels, s.channels, bytes, most, [&](std::int8_t* in, std::int8_t* out) {
    return onnxc::max_pool2d_int8_nhwc_line_buffered(s, in, out);
  });
}

struct Int8Shape : onnxc::ConvExtents<Index> {
  Index zero, residual_words, sets;
  bool copies;
};

// Adds one byte of another image and takes the result into bytes.
struct AddByte {
  const std::uint8_t* element;
  template <class V>
  V operator()(V v, Index at, Index) const {
    const V sum = v * onnxc::broadcast<V>(0.001f) + onnxc::load<V>(element + at);
    return onnxc::fn::quantize(sum, 1.0f, 1.0f, 3.0f, -3.0f, 252.0f);
  }
};

template <class T>
std::vector<T> integers(Index count, unsigned seed) {
  std::vector<T> v;
  for (float x : conv_test::values(count, seed))
    v.push_back(static_cast<T>(static_cast<int>(x * 128.0f)));
  return v;
}

template <int NR, class X>
void check_int8(const conv_test::Shape& shape) {
  Int8Shape s{};
  static_cast<onnxc::ConvExtents<Index>&>(s) = shape;
  s.zero = 117;
  s.copies = true;
  const auto x = integers<X>(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const auto w = integers<std::int8_t>(s.out_c * s.in_c / s.group * s.k_h * s.k_w, 2);
  const auto start = integers<std::int32_t>(onnxc::int8_panels<NR>(s) * NR, 3);
  const auto other = integers<std::uint8_t>(s.batch * s.out_h * s.out_w * s.out_c, 4);
  const AddByte add = {other.data()};
  std::vector<std::int8_t> packed(
      static_cast<std::size_t>(onnxc::int8_panels<NR>(s) * onnxc::int8_panel_size<NR>(s)));
  onnxc::pack_conv2d_int8<NR>(s, w.data(), nullptr, packed.data(), nullptr);
  std::vector<std::uint8_t> scratch(static_cast<std::size_t>(onnxc::bordered_size(s)));
  std::vector<std::uint8_t> want(other.size());
  onnxc::conv2d_int8_nhwc<NR>(s, x.data(), packed.data(), start.data(), nullptr, want.data(),
                              scratch.data(), add);
  const bool in_words = s.in_c / s.group % 4 == 0 && !std::is_signed_v<X>;
  for (const bool gathers : {false, true}) {
    if (!gathers && !in_words) continue;
    s.copies = gathers;
    std::vector<std::uint8_t> window(static_cast<std::size_t>(onnxc::gathered_size(s)));
    check_across(s, s.in_c, s.out_c, x, want, [&](X* in, X* out) {
      return onnxc::conv2d_int8_nhwc_line_buffered<NR>(s, in, packed.data(), start.data(), nullptr,
                                                       reinterpret_cast<std::uint8_t*>(out),
                                                       window.data(), add);
    });
  }
}

template <class X>
void check_int8_depthwise(const conv_test::Shape& shape) {
  Int8Shape s{};
  static_cast<onnxc::ConvExtents<Index>&>(s) = shape;
  s.zero = 117;
  s.copies = true;
  s.sets = 2;
  const auto x = integers<X>(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const auto w = integers<std::int8_t>(2 * onnxc::depthwise_set_size(s), 2);
  const auto start = integers<std::int32_t>(s.in_c, 3);
  const auto other = integers<std::uint8_t>(s.batch * s.out_h * s.out_w * s.out_c, 4);
  const AddByte add = {other.data()};
  std::vector<std::int8_t> packed(w.size());
  for (Index set = 0; set < 2; ++set)
    onnxc::pack_depthwise_int8(s, w.data() + set * s.in_c * s.k_h * s.k_w,
                               packed.data() + set * onnxc::depthwise_set_size(s));
  std::vector<std::uint8_t> scratch(static_cast<std::size_t>(onnxc::bordered_size(s)));
  std::vector<std::uint8_t> want(other.size());
  onnxc::depthwise_conv2d_int8_nhwc(s, x.data(), packed.data(), start.data(), want.data(),
                                    scratch.data(), add);
  check_across(s, s.in_c, s.out_c, x, want, [&](X* in, X* out) {
    return onnxc::depthwise_conv2d_int8_nhwc_line_buffered(
        s, in, packed.data(), start.data(), reinterpret_cast<std::uint8_t*>(out), nullptr, add);
  });
  for (Index set = 0; set < 2; ++set)
    onnxc::pack_depthwise_int8_taps(s, w.data() + set * s.in_c * s.k_h * s.k_w,
                                    packed.data() + set * onnxc::depthwise_taps_size(s));
  check_across(s, s.in_c, s.out_c, x, want, [&](X* in, X* out) {
    return onnxc::depthwise_conv2d_int8_taps_nhwc_line_buffered(
        s, in, packed.data(), start.data(), reinterpret_cast<std::uint8_t*>(out), nullptr, add);
  });
}

// A convolution, a depthwise one and a pool that run together, with line buffers of three rows and
// of two, and one after the other.
void check_together() {
  constexpr int MR = 4, NR = 8;
  const conv_test::Shape c = make_shape(10, 9, 3, 8, 3, 3, 2, 1, {0, 0, 1, 1}, 1, 1);
  const conv_test::Shape d = make_shape(c.out_h, c.out_w, 8, 8, 3, 3, 1, 1, {1, 1, 1, 1}, 8, 1);
  const conv_test::Pool p =
      conv_test::pool_of(make_shape(d.out_h, d.out_w, 8, 8, 2, 2, 1, 1, {0, 0, 0, 0}, 8, 1));
  const auto x = conv_test::values(c.in_h * c.in_w * c.in_c, 1);
  const auto w = conv_test::values(c.out_c * c.in_c * 9, 2), v = conv_test::values(d.out_c * 9, 3);
  std::vector<float> packed(static_cast<std::size_t>(
      onnxc::packed_conv2d_size<NR>(c.out_c, c.in_c, c.k_h, c.k_w, c.group)));
  onnxc::pack_conv2d<NR>(w.data(), c.out_c, c.in_c, c.k_h, c.k_w, c.group, packed.data());
  std::vector<float> taps(v.size());
  onnxc::pack_depthwise_conv2d(v.data(), d.out_c, d.k_h, d.k_w, taps.data());
  const auto rows = [](Index count, const auto& s) {
    return std::vector<float>(static_cast<std::size_t>(count * s.in_w * 8));
  };
  std::vector<float> filtered = rows(d.in_h, d), pooled = rows(p.in_h, p);
  std::vector<float> want(static_cast<std::size_t>(p.out_h * p.out_w * 8)), got(want.size());
  onnxc::conv2d_nhwc<MR, NR>(c, x.data(), packed.data(), nullptr, filtered.data());
  onnxc::depthwise_conv2d_nhwc(d, filtered.data(), taps.data(), nullptr, pooled.data());
  onnxc::max_pool2d_nhwc(p, pooled.data(), want.data());
  filtered = rows(3, d);
  pooled = rows(2, p);
  const float* const image = x.data();
  onnxc::run_line_buffered(
      [&] {
        return onnxc::conv2d_nhwc_line_buffered<MR, NR>(c, image, packed.data(), nullptr,
                                                        filtered.data());
      },
      [&] {
        return onnxc::depthwise_conv2d_nhwc_line_buffered(d, filtered.data(), taps.data(), nullptr,
                                                          pooled.data());
      },
      [&] { return onnxc::max_pool2d_nhwc_line_buffered(p, pooled.data(), got.data()); });
  CHECK(std::memcmp(got.data(), want.data(), want.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("convolutions across their input", "[line_buffered]") {
  for (const Index batch : {1, 2}) {
    check_conv(make_shape(9, 7, 5, 5, 3, 3, 1, 1, {1, 1, 1, 1}, 1, batch));
    check_conv(make_shape(9, 8, 4, 10, 3, 3, 2, 1, {0, 0, 1, 1}, 1, batch));
    check_conv(make_shape(10, 6, 4, 20, 1, 1, 1, 1, {0, 0, 0, 0}, 2, batch));
    check_conv(make_shape(10, 6, 12, 3, 1, 1, 1, 1, {0, 0, 0, 0}, 1, batch));
    check_conv(make_shape(7, 9, 12, 3, 1, 1, 1, 1, {0, 0, 0, 0}, 1, batch));
    check_conv(make_shape(7, 2, 3, 12, 1, 1, 1, 1, {0, 0, 0, 0}, 1, batch));
    check_conv(make_shape(8, 9, 3, 6, 5, 3, 1, 2, {4, 2, 4, 2}, 3, batch));
    check_conv(make_shape(4, 4, 3, 4, 1, 1, 1, 1, {2, 2, 2, 2}, 1, batch));
  }
}

TEST_CASE("depthwise convolutions and pools across their input", "[line_buffered]") {
  for (const Index batch : {1, 2}) {
    for (const auto& s : {make_shape(9, 7, 6, 6, 3, 3, 1, 1, {1, 1, 1, 1}, 6, batch),
                          make_shape(10, 8, 16, 16, 3, 3, 2, 1, {0, 0, 1, 1}, 16, batch),
                          make_shape(11, 9, 21, 21, 2, 2, 2, 1, {0, 0, 0, 0}, 21, batch),
                          make_shape(8, 8, 3, 3, 3, 3, 1, 2, {2, 2, 2, 2}, 3, batch)}) {
      check_depthwise(s);
      check_pools(s);
    }
  }
}

TEST_CASE("convolutions of 8-bit integers across their input", "[line_buffered]") {
  for (const Index batch : {1, 2}) {
    for (const auto& s : {make_shape(9, 7, 8, 5, 3, 3, 1, 1, {1, 1, 1, 1}, 1, batch),
                          make_shape(9, 8, 4, 20, 3, 3, 2, 1, {0, 0, 1, 1}, 1, batch),
                          make_shape(10, 6, 16, 20, 1, 1, 1, 1, {0, 0, 0, 0}, 1, batch),
                          make_shape(12, 9, 3, 6, 5, 3, 1, 2, {4, 2, 4, 2}, 1, batch),
                          make_shape(9, 8, 8, 6, 3, 3, 1, 2, {2, 2, 2, 2}, 2, batch),
                          make_shape(9, 8, 6, 4, 3, 5, 2, 1, {1, 2, 1, 2}, 2, batch),
                          make_shape(4, 4, 4, 4, 1, 1, 1, 1, {2, 2, 2, 2}, 1, batch)}) {
      check_int8<8, std::uint8_t>(s);
      check_int8<8, std::int8_t>(s);
      check_int8<1, std::uint8_t>(s);
      check_int8<1, std::int8_t>(s);
    }
    for (const auto& s : {make_shape(9, 7, 6, 6, 3, 3, 1, 1, {1, 1, 1, 1}, 6, batch),
                          make_shape(10, 8, 16, 16, 3, 3, 2, 1, {0, 0, 1, 1}, 16, batch),
                          make_shape(12, 9, 21, 21, 6, 2, 2, 1, {2, 0, 2, 0}, 21, batch),
                          make_shape(8, 8, 3, 3, 3, 3, 1, 2, {2, 2, 2, 2}, 3, batch)}) {
      check_int8_depthwise<std::uint8_t>(s);
      check_int8_depthwise<std::int8_t>(s);
    }
  }
}

TEST_CASE("layers that run together", "[line_buffered]") { check_together(); }
