// grouped_pointwise.cpp - pointwise convolutions of shuffled channels against ShuffleChannels
// before conv2d_nhwc.
#include "templates/convolution/grouped_pointwise.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "compiler/kernels/convolution_calls.hpp"
#include "templates/convolution/conv2d_nhwc.hpp"
#include "templates/convolution/shuffle_channels.hpp"
#include "tests/kernels/conv_reference.hpp"

namespace {

using conv_test::Index;

struct ShuffledShape : conv_test::Shape {
  Index shuffle;
};

template <Index H, Index W, Index CI, Index CO, Index GROUP, Index SHUFFLE>
struct FixedShuffled {
  static constexpr Index batch = 2, in_h = H, in_w = W, in_c = CI, out_h = H, out_w = W, out_c = CO,
                         k_h = 1, k_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1,
                         dilation_w = 1, pad_top = 0, pad_left = 0, group = GROUP,
                         shuffle = SHUFFLE, ldx = CI, ldy = CO, ld_epilogue = CO;
};

using Interleaving = onnxc::ShuffleChannelsShape<onnxc::Index>;

template <class S>
std::vector<float> interleaved(const S& s, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  const Interleaving dense = {s.batch * s.in_h * s.in_w, s.shuffle, s.in_c / s.shuffle, s.in_c,
                              s.in_c};
  onnxc::shuffle_channels(dense, x.data(), y.data());
  return y;
}

// [out_c, in_c / group]: the columns of each group in the order of the channels before they are
// interleaved.
template <class S>
std::vector<float> reordered(const S& s, const std::vector<float>& w) {
  std::vector<float> y;
  const Index each = s.in_c / s.group;
  for (Index o = 0; o < s.out_c; ++o) {
    for (Index c = 0; c < s.in_c; ++c) {
      const Index place = c % (s.in_c / s.shuffle) * s.shuffle + c / (s.in_c / s.shuffle);
      if (place / each == o / (s.out_c / s.group))
        y.push_back(w[static_cast<std::size_t>(o * each + place % each)]);
    }
  }
  return y;
}

template <int MR, int NR, class S>
void check(const S& s) {
  const auto dense = kernel_test::values(s.batch * s.in_h * s.in_w * s.in_c, 1);
  const auto x = conv_test::spread(dense, s.in_c, s.ldx, 99.0f);
  const auto w = kernel_test::values(s.out_c * (s.in_c / s.group), 2);
  const auto bias = kernel_test::values(s.out_c, 3);
  const auto want = conv_test::reference(s, interleaved(s, dense), w, bias);
  std::vector<float> packed(
      static_cast<std::size_t>(onnxc::packed_conv2d_size<NR>(s.out_c, s.in_c, 1, 1, s.group)));
  onnxc::pack_conv2d<NR>(reordered(s, w).data(), s.out_c, s.in_c, 1, 1, s.group, packed.data());
  CAPTURE(MR, NR, s.in_h, s.in_w, s.in_c, s.out_c, s.group, s.shuffle);
  std::vector<float> y(want.size());
  onnxc::shuffled_conv2d_nhwc<MR, NR>(s, x.data(), packed.data(), bias.data(), y.data());
  CHECK(kernel_test::worst_difference(y, want) <= 2e-5);
  for (Index count : {2, 5}) {
    std::vector<float> chunks(want.size());
    for (Index i = count; i-- > 0;) {
      onnxc::shuffled_conv2d_nhwc<MR, NR>(onnxc::with_chunk(s, {i, count}), x.data(), packed.data(),
                                          bias.data(), chunks.data());
    }
    CHECK(chunks == y);
  }
}

ShuffledShape shape(Index h, Index w, Index in_c, Index out_c, Index group, Index shuffle,
                    Index ldx) {
  ShuffledShape s = {conv_test::make_shape(h, w, in_c, out_c, 1, 1, 1, 1, {0, 0, 0, 0}, group, 2),
                     shuffle};
  s.ldx = ldx;
  return s;
}

}  // namespace

TEST_CASE("a group of a shuffled input lies in runs of its groups") {
  // 3 groups of 4: channels 5 to 9 of the result are c * 3 + g = 5, 6, 7, 8, 9.
  const auto run = [](Index g) { return onnxc::shuffled_run(12, 3, 5, 5, g); };
  CHECK(run(0).offset == 2);
  CHECK(run(0).length == 2);
  CHECK(run(1).offset == 6);
  CHECK(run(1).length == 1);
  CHECK(run(2).offset == 9);
  CHECK(run(2).length == 2);
}

TEST_CASE("shuffled_conv2d_nhwc, run-time shapes") {
  for (const auto& s :
       {shape(5, 9, 24, 40, 4, 4, 24), shape(3, 7, 36, 70, 2, 3, 41), shape(4, 4, 12, 6, 3, 2, 12),
        shape(2, 3, 20, 20, 4, 10, 20), shape(1, 1, 32, 8, 2, 16, 32), shape(6, 6, 8, 8, 4, 4, 8),
        shape(1, 30, 6, 4, 2, 1, 6), shape(3, 5, 30, 90, 1, 5, 30),
        shape(2, 9, 480, 330, 2, 4, 480)}) {
    check<14, 32>(s);
    check<9, 48>(s);
    check<4, 24>(s);
    check<4, 8>(s);
    check<2, 1>(s);
  }
}

TEST_CASE("shuffled_conv2d_nhwc, fixed shapes") {
  check<9, 48>(FixedShuffled<9, 10, 136, 136, 4, 4>{});
  check<14, 32>(FixedShuffled<5, 7, 28, 56, 2, 7>{});
  check<28, 16>(FixedShuffled<6, 6, 24, 30, 2, 3>{});
  check<4, 4>(FixedShuffled<3, 3, 8, 12, 2, 4>{});
}
