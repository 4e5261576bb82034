// chunks.cpp - the chunks of a divisible kernel together write what the whole call writes, bit for
// bit.
#include "runtime_min/chunk.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "compiler/kernels/attention_calls.hpp"
#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/kernels/shape_struct.hpp"
#include "templates/attention/split_heads.hpp"
#include "templates/convolution/conv2d_nhwc.hpp"
#include "templates/convolution/conv2d_winograd_nhwc.hpp"
#include "templates/convolution/depthwise_conv2d_nhwc.hpp"
#include "templates/convolution/shuffle_channels.hpp"
#include "templates/elementwise/map.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/matmul/gemm_dynamic.hpp"
#include "templates/movement/copy.hpp"
#include "templates/movement/reorder.hpp"
#include "templates/movement/strided_copy.hpp"
#include "templates/movement/transpose.hpp"
#include "templates/normalization/layer_norm.hpp"
#include "templates/normalization/softmax.hpp"
#include "templates/pooling/pool2d_nhwc.hpp"
#include "tests/kernels/test_data.hpp"

using onnxc::Index;

namespace {

using kernel_test::values;
// call(s, y) computes `size` outputs; chunks go in the reverse order, so that none may lean on an
// earlier one.
template <class T = float, class S, class Call>
void check_parts(const S& s, Index size, Call call) {
  const auto bytes = static_cast<std::size_t>(size) * sizeof(T);
  std::vector<T> whole(static_cast<std::size_t>(size));
  std::memset(whole.data(), 0x5a, bytes);
  std::vector<T> untouched = whole;
  call(s, whole.data());
  for (Index count : {2, 3, 7, 16}) {
    std::vector<T> chunks = untouched;
    for (Index i = count; i-- > 0;) call(onnxc::with_chunk(s, {i, count}), chunks.data());
    INFO("chunks: " << count);
    REQUIRE(std::memcmp(whole.data(), chunks.data(), bytes) == 0);
  }
}

struct Twice {
  const float* term;
  template <class V>
  V operator()(V v, Index at, Index) const {
    return v + onnxc::load<V>(term + at);
  }
};

using Product = onnxc::GemmShape<onnxc::Index>;

template <Index M, Index K, Index N>
struct FixedProduct {
  static constexpr Index m = M, k = K, n = N, ldx = K, ldy = N;
};

template <class S>
void check_gemm(S s) {
  constexpr int nr = 2 * onnxc::kLanes;
  const auto x = values(s.m * s.ldx, 1), b = values(s.k * s.n, 2), bias = values(s.n, 3),
             term = values(s.m * s.ldy, 4);
  std::vector<float> w(static_cast<std::size_t>(onnxc::packed_gemm_size<nr>(s.k, s.n)));
  onnxc::pack_gemm_b<nr>(b.data(), s.k, s.n, s.n, false, w.data());
  check_parts(s, s.m * s.ldy, [&](auto p, float* y) {
    onnxc::gemm<14, nr>(p, x.data(), w.data(), bias.data(), y, Twice{term.data()});
  });
}

struct Window {
  Index batch, in_h, in_w, in_c, out_h, out_w, out_c, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left, group, ldx, ldy, ld_epilogue;
};

// Same padding.
Window window(Index batch, Index side, Index in_c, Index out_c, Index k, Index stride,
              Index group) {
  const Index out = (side + stride - 1) / stride;
  return {batch,  side, side, in_c,  out,   out,   out_c, k,     k,    stride,
          stride, 1,    1,    k / 2, k / 2, group, in_c,  out_c, out_c};
}

void check_conv(const Window& s) {
  constexpr int nr = onnxc::kLanes;
  const auto x = values(s.batch * s.in_h * s.in_w * s.in_c, 1), bias = values(s.out_c, 3);
  const auto given = values(s.out_c * s.in_c / s.group * s.k_h * s.k_w, 2);
  const Index size = s.batch * s.out_h * s.out_w * s.out_c;
  const auto term = values(size, 4);
  std::vector<float> w(static_cast<std::size_t>(
      onnxc::packed_conv2d_size<nr>(s.out_c, s.in_c, s.k_h, s.k_w, s.group)));
  onnxc::pack_conv2d<nr>(given.data(), s.out_c, s.in_c, s.k_h, s.k_w, s.group, w.data());
  check_parts(s, size, [&](auto p, float* y) {
    onnxc::conv2d_nhwc<6, nr>(p, x.data(), w.data(), bias.data(), y, Twice{term.data()});
  });
}

template <bool EACH>
void check_winograd(const Window& s) {
  constexpr int nr = onnxc::kLanes;
  const auto x = values(s.batch * s.in_h * s.in_w * s.in_c, 1), bias = values(s.out_c, 3);
  const auto given = values(s.out_c * s.in_c * 9, 2);
  const Index size = s.batch * s.out_h * s.out_w * s.out_c;
  const auto term = values(size, 4);
  std::vector<float> w(static_cast<std::size_t>(onnxc::packed_winograd_size<nr>(s.out_c, s.in_c)));
  onnxc::pack_winograd<nr>(given.data(), s.out_c, s.in_c, w.data());
  Window one = s;
  if (EACH) one.batch = 1;
  // Exactly as much as is needed, so that the sanitizers see a byte too many.
  std::vector<float> scratch(static_cast<std::size_t>(onnxc::conv2d_winograd_scratch(one)));
  check_parts(s, size, [&](auto p, float* y) {
    const Twice epilogue = {term.data()};
    if constexpr (EACH) {
      onnxc::conv2d_winograd_each<6, nr>(p, x.data(), w.data(), bias.data(), y, scratch.data(),
                                         epilogue);
    } else {
      onnxc::conv2d_winograd_nhwc<6, nr>(p, x.data(), w.data(), bias.data(), y, scratch.data(),
                                         epilogue);
    }
  });
}

void check_depthwise(const Window& s) {
  const auto x = values(s.batch * s.in_h * s.in_w * s.in_c, 1), bias = values(s.out_c, 3);
  const auto w = values(s.out_c * s.k_h * s.k_w, 2);
  const Index size = s.batch * s.out_h * s.out_w * s.out_c;
  const auto term = values(size, 4);
  check_parts(s, size, [&](auto p, float* y) {
    onnxc::depthwise_conv2d_nhwc(p, x.data(), w.data(), bias.data(), y, Twice{term.data()});
  });
}

struct Pool {
  Index batch, in_h, in_w, channels, out_h, out_w, k_h, k_w, stride_h, stride_w, dilation_h,
      dilation_w, pad_top, pad_left, ldx, ldy, pad_bottom, pad_right;
  bool count_include_pad;
};

struct Positions {
  Index batch, positions, channels;
};

template <std::size_t RANK>
struct MapBox {
  Index dims[RANK], strides[2 * RANK];
};

template <std::size_t RANK>
struct CopyBox {
  Index dims[RANK], from[RANK], to[RANK];
  Index from_offset = 3, to_offset = 2;
};

using Planes = onnxc::ReorderShape<onnxc::Index>;

using Pixels = onnxc::ShuffleChannelsShape<onnxc::Index>;

using Slices = onnxc::SoftmaxShape<onnxc::Index>;

struct Rows {
  Index rows, size;
  float epsilon = 1e-5f;
};

using Heads = onnxc::SplitHeadsShape<onnxc::Index>;

using Count = onnxc::CountShape<onnxc::Index>;

using DynamicProduct = onnxc::DynamicGemmShape<onnxc::Index>;

void check_dynamic(Index batch, Index m, Index k, Index n, bool transposed, bool same_b) {
  constexpr int nr = onnxc::kLanes;
  const DynamicProduct s = {
      batch, m,          k,    n,        k, transposed ? k : n, n, m * k, same_b ? 0 : k * n,
      m * n, transposed, 0.5f, 64 * 1024};
  const auto a = values(batch * m * k, 1), b = values(batch * k * n, 2),
             term = values(batch * m * n, 3);
  std::vector<float> scratch(static_cast<std::size_t>(onnxc::gemm_dynamic_scratch(s, nr)));
  check_parts(s, batch * m * n, [&](auto p, float* y) {
    onnxc::gemm_dynamic<6, nr>(p, a.data(), b.data(), y, scratch.data(), Twice{term.data()});
  });
}

template <std::size_t RANK>
void check_map(const MapBox<RANK>& s) {
  constexpr int rank = RANK;
  Index size = 1;
  for (const Index d : s.dims) size *= d;
  const auto a = values(size, 1), b = values(size, 2);
  const auto add = [](auto x, auto y) { return x + y * 2.0f; };
  check_parts(s, size,
              [&](auto p, float* y) { onnxc::map<rank, true>(p, add, y, a.data(), b.data()); });
  check_parts(s, size,
              [&](auto p, float* y) { onnxc::map<rank, false>(p, add, y, a.data(), b.data()); });
}

}  // namespace

TEST_CASE("chunks of gemm", "[chunks]") {
  check_gemm(Product{1, 70, 333, 70, 340});
  check_gemm(Product{50, 33, 100, 33, 100});
  check_gemm(Product{3, 600, 257, 600, 257});
  check_gemm(FixedProduct<1, 64, 96>{});
  check_gemm(FixedProduct<128, 40, 70>{});
}

TEST_CASE("chunks of conv2d_nhwc", "[chunks]") {
  check_conv(window(2, 9, 5, 40, 3, 1, 1));
  check_conv(window(1, 12, 8, 20, 3, 2, 2));
  check_conv(window(3, 5, 16, 33, 1, 1, 1));
  check_conv(window(1, 3, 4, 70, 5, 1, 1));
  check_conv(window(1, 7, 12, 24, 1, 1, 4));
  check_conv(window(1, 4, 80, 40, 1, 1, 20));
  check_conv(window(1, 2, 3, 9, 5, 1, 1));
}

TEST_CASE("chunks of conv2d_winograd_nhwc", "[chunks]") {
  check_winograd<false>(window(1, 30, 16, 40, 3, 1, 1));
  check_winograd<false>(window(2, 9, 20, 100, 3, 1, 1));
  check_winograd<false>(window(1, 6, 3, 5, 3, 1, 1));
  check_winograd<true>(window(3, 13, 16, 24, 3, 1, 1));
}

TEST_CASE("chunks of depthwise_conv2d_nhwc", "[chunks]") {
  check_depthwise(window(2, 11, 300, 300, 3, 1, 300));
  check_depthwise(window(1, 14, 20, 20, 5, 2, 20));
  check_depthwise(window(2, 5, 6, 12, 3, 1, 6));
}

TEST_CASE("chunks of pooling", "[chunks]") {
  const Pool s = {2, 9, 10, 37, 5, 5, 3, 3, 2, 2, 1, 1, 1, 1, 37, 40, 1, 1, false};
  const auto x = values(s.batch * s.in_h * s.in_w * s.ldx, 1);
  const Index size = s.batch * s.out_h * s.out_w * s.ldy;
  const auto term = values(size, 4);
  check_parts(s, size, [&](auto p, float* y) {
    onnxc::max_pool2d_nhwc(p, x.data(), y, Twice{term.data()});
  });
  check_parts(s, size, [&](auto p, float* y) {
    onnxc::average_pool2d_nhwc(p, x.data(), y, Twice{term.data()});
  });
  for (Index channels : {7, 64, 333}) {
    const Positions g = {2, 10, channels};
    const auto in = values(g.batch * g.positions * channels, 5);
    check_parts(g, g.batch * channels, [&](auto p, float* y) {
      onnxc::global_average_pool_nhwc(p, in.data(), y, Twice{term.data()});
    });
  }
}

TEST_CASE("chunks of gemm_dynamic", "[chunks]") {
  for (const bool transposed : {false, true})
    for (const bool same_b : {false, true}) {
      check_dynamic(12, 40, 16, 50, transposed, same_b);
      check_dynamic(1, 9, 300, 500, transposed, same_b);
      check_dynamic(3, 1, 20, 200, transposed, same_b);
    }
}

TEST_CASE("chunks of map", "[chunks]") {
  check_map<1>({{1000}, {1, 1}});
  check_map<1>({{5}, {1, 0}});
  check_map<2>({{3, 700}, {700, 1, 0, 1}});
  check_map<3>({{1, 20, 33}, {660, 33, 1, 0, 1, 0}});
  check_map<3>({{2, 3, 5}, {15, 5, 1, 15, 5, 1}});
}

TEST_CASE("chunks of copies", "[chunks]") {
  const auto x = values(8000, 1);
  check_parts(CopyBox<2>{{30, 40}, {40, 1}, {50, 1}}, 1600,
              [&](auto p, float* y) { onnxc::strided_copy<2>(p, x.data(), y); });
  check_parts(CopyBox<3>{{1, 3, 400}, {0, 400, 2}, {1200, 400, 1}}, 1300,
              [&](auto p, float* y) { onnxc::strided_copy<3>(p, x.data(), y); });
  check_parts(Count{1001}, 1001, [&](auto p, float* y) { onnxc::copy(p, x.data(), y); });
  check_parts(CopyBox<3>{{4, 30, 50}, {30, 1, 120}, {1500, 50, 1}}, 6000,
              [&](auto p, float* y) { onnxc::transpose<3, 1>(p, x.data(), y); });
  check_parts(Planes{1, 5, 999}, 4995, [&](auto p, float* y) { onnxc::reorder(p, x.data(), y); });
  check_parts(Planes{20, 9, 40}, 7200, [&](auto p, float* y) { onnxc::reorder(p, x.data(), y); });
  check_parts(Pixels{50, 3, 8, 24, 30}, 1500,
              [&](auto p, float* y) { onnxc::shuffle_channels(p, x.data(), y); });
  const Heads heads = {2, 10, 4, 3, 1, 16, 5};
  check_parts(heads, 1280, [&](auto p, float* y) { onnxc::split_heads(p, x.data(), x.data(), y); });
}

TEST_CASE("chunks of rows", "[chunks]") {
  const auto x = values(9000, 1);
  check_parts(Rows{30, 77}, 30 * 77, [&](auto p, float* y) {
    onnxc::layer_norm(p, x.data(), x.data(), x.data() + 100, y, Twice{x.data()});
  });
  for (const bool logarithm : {false, true}) {
    check_parts(Slices{50, 70, 1, logarithm}, 3500,
                [&](auto p, float* y) { onnxc::softmax(p, x.data(), y); });
    check_parts(Slices{1, 8, 1000, logarithm}, 8000,
                [&](auto p, float* y) { onnxc::softmax(p, x.data(), y); });
    check_parts(Slices{9, 10, 99, logarithm}, 8910,
                [&](auto p, float* y) { onnxc::softmax(p, x.data(), y); });
  }
}
