// conv_grad_weights.cpp - the tiled kernel against the definition: groups, strides, dilations,
// pads, more positions than a block, and the same bits in chunks.
#include "templates/convolution/conv_grad_weights.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "templates/convolution/convolution_calls.hpp"

using namespace onnxc;

namespace {

constexpr std::size_t kRank = 2;
constexpr int kRows = 6, kPanel = 8;

struct Extents {
  Index in[kRank], out[kRank], kernel[kRank], stride[kRank], dilation[kRank], pad[kRank];
};

ConvGradWeightsShape<Index> shape_of(Index batch, Index group, Index in_c, Index out_c,
                                     const Extents& e) {
  return {batch, group, in_c, out_c, e.in, e.out, e.kernel, e.stride, e.dilation, e.pad};
}

// Small whole numbers: sums are exact in any order.
std::vector<float> whole_numbers(Index count, int seed) {
  std::vector<float> v(static_cast<std::size_t>(count));
  for (float& x : v) {
    seed = (seed * 31 + 7) % 101;
    x = static_cast<float>(seed % 11 - 5);
  }
  return v;
}

struct Data {
  std::vector<float> x, dy, dw, scratch;

  explicit Data(const ConvGradWeightsShape<Index>& s)
      : x(whole_numbers(s.batch * s.group * s.in_c * box_size<kRank>(s.in), 3)),
        dy(whole_numbers(s.batch * s.group * s.out_c * box_size<kRank>(s.out), 5)),
        dw(static_cast<std::size_t>(s.group * s.out_c * s.in_c * box_size<kRank>(s.kernel)), 99),
        scratch(
            static_cast<std::size_t>(conv_grad_weights_scratch(box_size<kRank>(s.out), kPanel))) {}
};

std::vector<float> by_definition(const ConvGradWeightsShape<Index>& s) {
  Data d(s);
  conv_grad_weights_nd<kRank>(s, d.x.data(), d.dy.data(), d.dw.data());
  return d.dw;
}

std::vector<float> by_tiles(const ConvGradWeightsShape<Index>& s, Index chunks) {
  Data d(s);
  for (Index i = 0; i < chunks; ++i)
    conv_grad_weights<kRank, kRows, kPanel>(with_chunk(s, {i, chunks}), d.x.data(), d.dy.data(),
                                            d.dw.data(), d.scratch.data());
  return d.dw;
}

}  // namespace

TEST_CASE("conv_grad_weights agrees with the definition, in any number of chunks") {
  const Extents plain = {{5, 6}, {3, 4}, {3, 3}, {1, 1}, {1, 1}, {0, 0}};
  const Extents apart = {{7, 5}, {4, 3}, {3, 2}, {2, 2}, {1, 2}, {1, 1}};
  const Extents large = {{40, 37}, {40, 37}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Extents point = {{9, 9}, {9, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
  const Extents none = {{5, 6}, {0, 4}, {3, 3}, {1, 1}, {1, 1}, {0, 0}};
  const ConvGradWeightsShape<Index> shapes[] = {
      shape_of(2, 1, 3, 4, plain), shape_of(1, 2, 2, 3, apart),  shape_of(2, 3, 1, 1, plain),
      shape_of(2, 1, 2, 7, large), shape_of(3, 1, 9, 13, point), shape_of(0, 1, 2, 3, plain),
      shape_of(2, 1, 2, 3, none),
  };
  for (const auto& s : shapes) {
    const std::vector<float> want = by_definition(s);
    for (Index chunks : {1, 2, 5}) CHECK(by_tiles(s, chunks) == want);
  }
}
