// conv2d_pool_nhwc.cpp - convolution and MaxPool by row blocks give what their kernels give one
// after the other.
#include "templates/convolution/conv2d_pool_nhwc.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <vector>

#include "compiler/kernels/movement_calls.hpp"
#include "templates/movement/reorder.hpp"
#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::Index;

struct PooledShape : conv_test::Shape {
  Index pool_out_h, pool_out_w, pool_k_h, pool_k_w, pool_stride_h, pool_stride_w, pool_dilation_h,
      pool_dilation_w, pool_pad_top, pool_pad_left, pool_ldy, row_block, planes;
};

PooledShape pooled(const conv_test::Shape& conv, Index k, Index stride, Index dilation, Index pad,
                   Index row_block) {
  const auto out = [&](Index in) {
    return conv_test::out_extent(in, k, stride, dilation, 2 * pad);
  };
  return {conv, out(conv.out_h), out(conv.out_w), k, k, stride, stride, dilation, dilation, pad,
          pad,  conv.out_c,      row_block,       0};
}

template <Index H, Index W, Index CO, Index K, Index STRIDE, Index PAD, Index ROW_BLOCK,
          Index PLANES>
struct FixedPooled {
  static constexpr Index batch = 2, in_h = H, in_w = W, in_c = 3,
                         out_h = (H + 2 * PAD - K) / STRIDE + 1,
                         out_w = (W + 2 * PAD - K) / STRIDE + 1, out_c = CO, k_h = K, k_w = K,
                         stride_h = STRIDE, stride_w = STRIDE, dilation_h = 1, dilation_w = 1,
                         pad_top = PAD, pad_left = PAD, group = 1, ldx = 3, ldy = CO,
                         ld_epilogue = CO, pool_out_h = (out_h - 1) / 2,
                         pool_out_w = (out_w - 1) / 2, pool_k_h = 3, pool_k_w = 3,
                         pool_stride_h = 2, pool_stride_w = 2, pool_dilation_h = 1,
                         pool_dilation_w = 1, pool_pad_top = 0, pool_pad_left = 0,
                         pool_ldy = CO + 5, row_block = ROW_BLOCK, planes = PLANES;
};

// Reads something at every place that an epilogue may read.
struct AddAt {
  const float* element;
  const float* channels;
  template <class V>
  V operator()(V v, Index at, Index channel) const {
    return v * 0.5f + onnxc::load<V>(element + at) + onnxc::load<V>(channels + channel);
  }
};

using Images = onnxc::ReorderShape<onnxc::Index>;

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

template <int MR, int NR, class S>
void check(const S& s) {
  const auto size = [](Index count) { return static_cast<std::size_t>(count); };
  auto x = kernel_test::values(s.batch * s.in_h * s.in_w * s.in_c, 1);
  x[x.size() / 2] = std::numeric_limits<float>::quiet_NaN();
  const auto w = kernel_test::values(s.out_c * s.in_c / s.group * s.k_h * s.k_w, 2);
  const auto bias = kernel_test::values(s.out_c, 3);
  const Index made = s.batch * s.out_h * s.out_w * s.out_c,
              pixels = s.batch * s.pool_out_h * s.pool_out_w;
  const auto at1 = kernel_test::values(made, 4), at2 = kernel_test::values(pixels * s.out_c, 5);
  const AddAt add1 = {at1.data(), bias.data()}, add2 = {at2.data(), bias.data()};
  std::vector<float> packed(
      size(onnxc::packed_conv2d_size<NR>(s.out_c, s.in_c, s.k_h, s.k_w, s.group)));
  onnxc::pack_conv2d<NR>(w.data(), s.out_c, s.in_c, s.k_h, s.k_w, s.group, packed.data());

  std::vector<float> transposed = x, between(size(made)), want(size(pixels * s.pool_ldy), 77.0f);
  if (s.planes != 0)
    onnxc::reorder(Images{s.batch, s.in_c, s.in_h * s.in_w}, x.data(), transposed.data());
  onnxc::conv2d_nhwc<MR, NR>(s, transposed.data(), packed.data(), bias.data(), between.data(),
                             add1);
  onnxc::max_pool2d_nhwc(onnxc::pool_of(s), between.data(), want.data(), add2);

  CAPTURE(MR, NR, s.in_h, s.in_w, s.in_c, s.out_c, s.k_h, s.stride_h, s.pad_top, s.pool_k_h,
          s.pool_stride_h, s.row_block);
  for (Index count : {1, 3}) {
    std::vector<float> y(want.size(), 77.0f);
    for (Index i = count; i-- > 0;) {
      std::vector<float> scratch(size(onnxc::pooled_row_block(s) + onnxc::nhwc_row_block(s)));
      onnxc::conv2d_max_pool_nhwc<MR, NR>(onnxc::with_chunk(s, {i, count}), x.data(), packed.data(),
                                          bias.data(), add1, y.data(), scratch.data(), add2);
    }
    CHECK(same_bits(y, want));
  }
}

}  // namespace

TEST_CASE("convolution and MaxPool by row blocks, run-time shapes") {
  const auto conv = [](Index k, Index stride, Index dilation, std::vector<Index> pads,
                       Index group) {
    return conv_test::make_shape(19, 17, 4, 36, k, k, stride, dilation, std::move(pads), group, 2);
  };
  for (const auto& c : {conv(3, 2, 1, {0, 0, 0, 0}, 1), conv(3, 1, 1, {1, 1, 1, 1}, 2),
                        conv(7, 2, 1, {3, 3, 3, 3}, 1), conv(3, 1, 2, {2, 2, 2, 2}, 1)}) {
    for (Index row_block : {1, 2, 30}) {
      for (Index planes : {0, 1}) {
        for (auto s : {pooled(c, 3, 2, 1, 0, row_block), pooled(c, 3, 2, 1, 1, row_block),
                       pooled(c, 2, 2, 1, 0, row_block), pooled(c, 2, 3, 2, 0, row_block),
                       pooled(c, 1, 4, 1, 0, row_block)}) {
          s.planes = planes;
          check<14, 32>(s);
        }
      }
    }
  }
}

TEST_CASE("convolution and MaxPool by row blocks, fixed shapes") {
  check<14, 32>(FixedPooled<31, 33, 64, 3, 2, 0, 4, 1>{});
  check<14, 32>(FixedPooled<31, 33, 24, 3, 2, 1, 3, 1>{});
  check<28, 16>(FixedPooled<40, 40, 16, 7, 2, 3, 5, 0>{});
  check<4, 8>(FixedPooled<12, 12, 10, 3, 1, 1, 2, 1>{});
}
