// depthwise_block_nhwc.cpp - blocks around depthwise convolutions give what their kernels give one
// after the other.
#include "templates/convolution/depthwise_block_nhwc.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/convolution/conv2d_nhwc.hpp"
#include "templates/convolution/grouped_pointwise.hpp"
#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::Index;

// The depthwise convolution is that of conv_test::Shape.
struct BlockShape : conv_test::Shape {
  Index x_c, y_c, row_block;
  Index x_group = 1, x_shuffle = 1, y_group = 1, y_shuffle = 1;
};

template <Index H, Index W, Index XC, Index C, Index YC, Index K, Index STRIDE, Index PAD,
          Index ROW_BLOCK, Index GROUP = 1, Index SHUFFLE = 1>
struct FixedBlock {
  static constexpr Index batch = 2, in_h = H, in_w = W, in_c = C,
                         out_h = (H + 2 * PAD - K) / STRIDE + 1,
                         out_w = (W + 2 * PAD - K) / STRIDE + 1, out_c = C, k_h = K, k_w = K,
                         stride_h = STRIDE, stride_w = STRIDE, dilation_h = 1, dilation_w = 1,
                         pad_top = PAD, pad_left = PAD, group = C, ldx = XC, ldy = YC,
                         ld_epilogue = YC, x_c = XC, y_c = YC, row_block = ROW_BLOCK,
                         x_group = GROUP, x_shuffle = 1, y_group = GROUP, y_shuffle = SHUFFLE;
};

struct Pointwise : conv_test::Shape {
  Index shuffle;
};

Pointwise pointwise(Index batch, Index h, Index w, Index in_c, Index out_c, Index group,
                    Index shuffle) {
  return {conv_test::make_shape(h, w, in_c, out_c, 1, 1, 1, 1, {0, 0, 0, 0}, group, batch),
          shuffle};
}

template <int NR>
std::vector<float> packed_pointwise(Index in_c, Index out_c, Index group, unsigned seed) {
  const auto w = kernel_test::values(in_c / group * out_c, seed);
  std::vector<float> packed(
      static_cast<std::size_t>(onnxc::packed_conv2d_size<NR>(out_c, in_c, 1, 1, group)));
  onnxc::pack_conv2d<NR>(w.data(), out_c, in_c, 1, 1, group, packed.data());
  return packed;
}

// Reads something at every place that an epilogue may read.
struct AddAt {
  const float* element;
  const float* channels;
  template <class V>
  V operator()(V v, Index at, Index channel) const {
    return v * 0.5f + onnxc::load<V>(element + at) + onnxc::load<V>(channels + channel);
  }
};

struct Tensors {
  std::vector<float> x, expanded, filtered, y, w1, w2, w3, bias1, bias2, at1, at2, at3;
};

template <int NR, class S>
Tensors tensors_of(const S& s) {
  const auto size = [](Index count) { return static_cast<std::size_t>(count); };
  Tensors t;
  t.x = kernel_test::values(s.batch * s.in_h * s.in_w * s.x_c, 1);
  t.expanded.resize(size(s.batch * s.in_h * s.in_w * s.in_c));
  t.filtered.resize(size(s.batch * s.out_h * s.out_w * s.out_c));
  t.y.resize(size(s.batch * s.out_h * s.out_w * s.y_c));
  t.w1 = packed_pointwise<NR>(s.x_c, s.in_c, s.x_group, 2);
  t.w2 = kernel_test::values(s.in_c * s.k_h * s.k_w, 3);
  t.w3 = packed_pointwise<NR>(s.out_c, s.y_c, s.y_group, 4);
  t.bias1 = kernel_test::values(s.in_c + s.y_c, 5);
  t.bias2 = kernel_test::values(s.in_c, 6);
  t.at1 = kernel_test::values(static_cast<Index>(t.expanded.size()), 7);
  t.at2 = kernel_test::values(static_cast<Index>(t.filtered.size()), 8);
  t.at3 = kernel_test::values(static_cast<Index>(t.y.size()), 9);
  return t;
}

template <int MR, int NR, class S>
void check_parts(const S& s, Tensors t) {
  const AddAt add1 = {t.at1.data(), t.bias2.data()}, add2 = {t.at2.data(), t.bias1.data()},
              add3 = {t.at3.data(), t.bias1.data()};
  onnxc::shuffled_conv2d_nhwc<MR, NR>(
      pointwise(s.batch, s.in_h, s.in_w, s.x_c, s.in_c, s.x_group, s.x_shuffle), t.x.data(),
      t.w1.data(), t.bias1.data(), t.expanded.data(), add1);
  onnxc::depthwise_conv2d_nhwc(s, t.expanded.data(), t.w2.data(), t.bias2.data(), t.filtered.data(),
                               add2);
  onnxc::shuffled_conv2d_nhwc<MR, NR>(
      pointwise(s.batch, s.out_h, s.out_w, s.out_c, s.y_c, s.y_group, s.y_shuffle),
      t.filtered.data(), t.w3.data(), nullptr, t.y.data(), add3);
  std::vector<float> y(t.y.size()), filtered(t.filtered.size());
  std::vector<float> scratch(
      static_cast<std::size_t>(onnxc::expanded_row_block(s) + onnxc::filtered_row_block(s)));
  CAPTURE(MR, NR, s.in_h, s.in_w, s.in_c, s.out_h, s.out_w, s.k_h, s.stride_h, s.dilation_h,
          s.pad_top, s.row_block);
  onnxc::expand_depthwise_project_nhwc<MR, NR, MR, NR>(
      s, t.x.data(), onnxc::BlockStage{t.w1.data(), t.bias1.data(), add1},
      onnxc::BlockStage{t.w2.data(), t.bias2.data(), add2},
      onnxc::BlockStage{t.w3.data(), nullptr, add3}, y.data(), scratch.data());
  CHECK(y == t.y);
  onnxc::expand_depthwise_nhwc<MR, NR>(
      s, t.x.data(), onnxc::BlockStage{t.w1.data(), t.bias1.data(), add1},
      onnxc::BlockStage{t.w2.data(), t.bias2.data(), add2}, filtered.data(), scratch.data());
  CHECK(filtered == t.filtered);
  y.assign(y.size(), 0.0f);
  onnxc::depthwise_project_nhwc<MR, NR>(
      s, t.expanded.data(), onnxc::BlockStage{t.w2.data(), t.bias2.data(), add2},
      onnxc::BlockStage{t.w3.data(), nullptr, add3}, y.data(), scratch.data());
  CHECK(y == t.y);
}

template <int MR, int NR, class S>
void check(const S& s) {
  check_parts<MR, NR>(s, tensors_of<NR>(s));
}

// The row blocks of a part of the rows.
void check_shares(const BlockShape& s) {
  Tensors t = tensors_of<32>(s);
  const onnxc::NoEpilogue none;
  std::vector<float> scratch(static_cast<std::size_t>(3 * onnxc::expanded_row_block(s)));
  std::vector<float> whole(t.filtered.size()), parts(t.filtered.size());
  for (Index count : {1, 3}) {
    for (Index i = 0; i < count; ++i) {
      onnxc::expand_depthwise_nhwc<14, 32>(onnxc::with_chunk(s, {i, count, i}), t.x.data(),
                                           onnxc::BlockStage{t.w1.data(), nullptr, none},
                                           onnxc::BlockStage{t.w2.data(), nullptr, none},
                                           (count == 1 ? whole : parts).data(), scratch.data());
    }
  }
  CHECK(whole == parts);
}

BlockShape block(conv_test::Shape depthwise, Index x_c, Index y_c, Index row_block) {
  BlockShape s = {depthwise, x_c, y_c, row_block};
  s.ldx = x_c;
  s.ldy = s.ld_epilogue = y_c;
  return s;
}

}  // namespace

TEST_CASE("blocks around depthwise convolutions, run-time shapes") {
  for (Index row_block : {1, 2, 5, 40}) {
    for (Index c : {6, 40}) {
      const auto dw = [&](Index k, Index stride, Index dilation, std::vector<Index> pads) {
        return conv_test::make_shape(11, 9, c, c, k, k, stride, dilation, std::move(pads), c, 2);
      };
      for (const auto& s :
           {dw(3, 1, 1, {1, 1, 1, 1}), dw(3, 2, 1, {0, 1, 1, 0}), dw(5, 2, 1, {2, 2, 2, 2}),
            dw(1, 3, 1, {0, 0, 0, 0}), dw(3, 1, 2, {2, 2, 2, 2}), dw(2, 1, 1, {4, 1, 4, 1})}) {
        check<14, 32>(block(s, 5, 7, row_block));
        check_shares(block(s, 5, 7, row_block));
      }
    }
  }
}

TEST_CASE("blocks of grouped convolutions that read shuffled channels") {
  BlockShape s =
      block(conv_test::make_shape(9, 7, 24, 24, 3, 3, 1, 1, {1, 1, 1, 1}, 24, 2), 20, 30, 4);
  s.x_group = s.x_shuffle = 2;
  s.y_group = 3;
  s.y_shuffle = 4;
  check<14, 32>(s);
  check_shares(s);
  check<9, 48>(FixedBlock<14, 14, 24, 112, 112, 3, 2, 1, 4, 4, 4>{});
  check<4, 24>(FixedBlock<14, 14, 24, 112, 112, 3, 2, 1, 4, 4, 4>{});
  check<14, 32>(FixedBlock<7, 7, 12, 60, 36, 3, 1, 1, 3, 4, 6>{});
}

TEST_CASE("blocks around depthwise convolutions, fixed shapes") {
  check<14, 32>(FixedBlock<14, 14, 8, 40, 24, 3, 1, 1, 4>{});
  check<9, 48>(FixedBlock<15, 20, 16, 34, 50, 3, 2, 1, 3>{});
  check<6, 16>(FixedBlock<9, 9, 8, 32, 8, 5, 1, 2, 2>{});
  check<4, 8>(FixedBlock<7, 7, 8, 12, 6, 3, 2, 1, 2>{});
}
