// conv_grad_weights.cpp - the tiled kernels, of both layouts, against the definition: groups,
// strides, dilations, pads, more positions than a block, and the same bits in chunks.
#include "templates/convolution/conv_grad_weights.hpp"
#include "templates/convolution/conv_grad_weights_nhwc.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "compiler/kernels/convolution_calls.hpp"

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

ConvShape<Index> image_shape(const ConvGradWeightsShape<Index>& s) {
  ConvShape<Index> image;
  image.in_h = s.in[0], image.in_w = s.in[1], image.out_h = s.out[0], image.out_w = s.out[1];
  image.k_h = s.kernel[0], image.k_w = s.kernel[1];
  image.stride_h = s.stride[0], image.stride_w = s.stride[1];
  image.dilation_h = s.dilation[0], image.dilation_w = s.dilation[1];
  image.pad_top = s.pad[0], image.pad_left = s.pad[1];
  image.batch = s.batch, image.group = s.group;
  image.in_c = image.ldx = s.group * s.in_c;
  image.out_c = image.ldy = image.ld_epilogue = s.group * s.out_c;
  return image;
}

// [batch, channels, positions] with the channels at the end.
std::vector<float> channels_last(const std::vector<float>& plain, Index channels, Index positions) {
  std::vector<float> last(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto at = static_cast<Index>(i);
    const Index image = at / (channels * positions), c = at / positions % channels;
    last[static_cast<std::size_t>((image * positions + at % positions) * channels + c)] = plain[i];
  }
  return last;
}

enum class Form { rows, depthwise, each };

std::vector<float> by_pixels(const ConvGradWeightsShape<Index>& s, Index chunks, Form form) {
  Data d(s);
  const ConvShape<Index> image = image_shape(s);
  const auto x = channels_last(d.x, image.in_c, box_size<kRank>(s.in));
  const auto dy = channels_last(d.dy, image.out_c, box_size<kRank>(s.out));
  const Index width = s.in_c * box_size<kRank>(s.kernel);
  const Index floats = gathered_floats(s.batch * box_size<kRank>(s.out), width);
  std::vector<float> sums(d.dw.size()), gathered(static_cast<std::size_t>(floats));
  for (Index i = 0; i < chunks; ++i) {
    const auto own = with_chunk(image, {i, chunks});
    if (form == Form::depthwise)
      depthwise_grad_weights_nhwc(own, x.data(), dy.data(), d.dw.data(), sums.data());
    else if (form == Form::each)
      conv_grad_weights_each(own, x.data(), dy.data(), d.dw.data());
    else
      conv_grad_weights_nhwc(own, x.data(), dy.data(), d.dw.data(), sums.data(), gathered.data());
  }
  return d.dw;
}

}  // namespace

TEST_CASE("conv_grad_weights agrees with the definition, in any number of chunks") {
  const Extents plain = {{5, 6}, {3, 4}, {3, 3}, {1, 1}, {1, 1}, {0, 0}};
  const Extents distant = {{7, 5}, {4, 3}, {3, 2}, {2, 2}, {1, 2}, {1, 1}};
  const Extents large = {{40, 37}, {40, 37}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Extents point = {{9, 9}, {9, 9}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
  const Extents none = {{5, 6}, {0, 4}, {3, 3}, {1, 1}, {1, 1}, {0, 0}};
  const ConvGradWeightsShape<Index> shapes[] = {
      shape_of(2, 1, 3, 4, plain), shape_of(1, 2, 2, 3, distant), shape_of(2, 3, 1, 1, plain),
      shape_of(2, 1, 2, 7, large), shape_of(3, 1, 9, 13, point),  shape_of(0, 1, 2, 3, plain),
      shape_of(2, 1, 2, 3, none),
  };
  for (const auto& s : shapes) {
    const std::vector<float> want = by_definition(s);
    for (Index chunks : {1, 2, 5}) {
      CHECK(by_tiles(s, chunks) == want);
      CHECK(by_pixels(s, chunks, Form::rows) == want);
      CHECK(by_pixels(s, chunks, Form::each) == want);
    }
  }
}

TEST_CASE("conv_grad_weights_nhwc has rows and columns beyond its blocks") {
  const Extents wide = {{3, 4}, {3, 4}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
  for (const auto& s : {shape_of(2, 1, 130, 37, wide), shape_of(1, 2, 17, 100, wide)}) {
    const std::vector<float> want = by_definition(s);
    for (Index chunks : {1, 3}) CHECK(by_pixels(s, chunks, Form::rows) == want);
  }
}

TEST_CASE("depthwise_grad_weights_nhwc agrees with the definition, in any number of chunks") {
  const Extents near = {{5, 6}, {5, 6}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Extents distant = {{9, 7}, {4, 4}, {3, 2}, {2, 2}, {1, 3}, {0, 2}};
  const Extents outside = {{2, 2}, {6, 6}, {2, 2}, {1, 1}, {1, 1}, {3, 3}};
  for (const Extents& e : {near, distant, outside})
    for (Index channels : {1, 21, 64}) {
      const auto s = shape_of(2, channels, 1, 1, e);
      const std::vector<float> want = by_definition(s);
      for (Index chunks : {1, 2, 5}) CHECK(by_pixels(s, chunks, Form::depthwise) == want);
    }
}
