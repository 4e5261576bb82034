// grouped_pointwise.hpp - convolutions that read one pixel for each output: a matrix product for
// every group of channels.
//
// A group reads neighbouring channels, or those that interleaving the channels would bring
// together: these lie in runs, one for each interleaved group, so that nothing is moved.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

struct PixelRows {
  Index m, k, n, ldx, ldy;
};

// m pixels of in_c and out_c channels in `group` groups; pixels are ldx and ldy floats apart, and
// ld_epilogue for the epilogue. shuffle: groups of the interleaving of x that is left out, or 1.
struct GroupedPixels {
  Index m, in_c, out_c, group, shuffle, ldx, ldy, ld_epilogue;
};

constexpr Index kMaxShuffled = 16;

// The runs in which the channels of a group lie.
struct TapRuns {
  const TapRun* first;
  Index count;
};

// Where the channels are that come to [first, first + count) when `shuffle` groups are interleaved,
// of which this is group g: channel c of group g comes to c * shuffle + g.
constexpr TapRun shuffled_run(Index channels, Index shuffle, Index first, Index count, Index g) {
  const Index begin = (first - g + shuffle - 1) / shuffle,
              end = (first + count - g + shuffle - 1) / shuffle;
  return {g * (channels / shuffle) + begin, end - begin};
}

// One group whose input consists of runs. x: the first pixel. bias: of the group. Weights that fit
// the first-level cache pass by every tile of rows, others one panel at a time.
template <int MR, int NR, Index FixedM, Index FixedN, class Epilogue>
void gemm_of_runs(const PixelRows& s, const float* x, TapRuns runs, const float* w,
                  const float* bias, const TileResult& group, const Epilogue& epilogue,
                  Chunk chunk) {
  const RowTiles<MR, NR, FixedM, FixedN> tiles(s.m);
  const Index panels = (s.n + NR - 1) / NR;
  const auto [own_tiles, own_panels] = chunk_grid(chunk, tiles.split.tiles, tiles.most, panels, NR);
  const Index at_once = panels * NR * s.k <= 6 * 1024 ? panels : 1;
  for (Index p0 = own_panels.begin; p0 < own_panels.end; p0 += at_once) {
    const Index p1 = p0 + at_once < own_panels.end ? p0 + at_once : own_panels.end;
    for (Index i = own_tiles.begin; i < own_tiles.end; ++i) {
      const Index row = tiles.first_row(i);
      for (Index p = p0; p < p1; ++p) {
        const Index j = p * NR, columns = s.n - j < NR ? s.n - j : NR;
        const TileResult result = {group.y + row * s.ldy + j,
                                   s.ldy,
                                   columns,
                                   group.at + row * group.ld_epilogue + j,
                                   group.ld_epilogue,
                                   group.channel + j};
        TileOperands t =
            matrix_tile<NR>(tiles.rows(i), x + row * s.ldx, s.ldx, s.k, w + j * s.k, result);
        t.bias = bias != nullptr ? bias + j : nullptr;
        t.taps_w = runs.count;
        t.runs = runs.first;
        tiles.run(tiles.rows(i), t, epilogue);
      }
    }
  }
}

// w: pack_conv2d<NR>, for a shuffled input in the order of its runs.  bias: [out_c] or null.  at:
// what the epilogue calls y[0].  FixedM: the number of pixels, FixedN: the output channels of a
// group, as constants or -1. Without Shuffled s.shuffle is 1.
template <int MR, int NR, Index FixedM, Index FixedN, bool Shuffled, class Epilogue,
          class C = AllWork>
void grouped_pointwise(const GroupedPixels& s, const float* x, const float* w, const float* bias,
                       float* y, Index at, const Epilogue& epilogue, C chunk = {}) {
  const Index in_group = s.in_c / s.group, out_group = s.out_c / s.group;
  const PixelRows rows = {s.m, in_group, out_group, s.ldx, s.ldy};
  // Parts of all channels of some pixels, unless there are too few.
  const bool by_group = s.group >= chunk.count && s.m < 2 * chunk.count * tile_rows<MR, NR>;
  const Span groups = by_group ? share(chunk.index, chunk.count, s.group) : Span{0, s.group};
  C of_group = chunk;
  if (by_group) of_group = {};
  for (Index g = groups.begin; g < groups.end; ++g) {
    const Index channel = g * out_group;
    const float* panels = w + g * packed_gemm_size<NR>(in_group, out_group);
    const float* start = bias != nullptr ? bias + channel : nullptr;
    if constexpr (Shuffled) {
      TapRun runs[kMaxShuffled];
      for (Index i = 0; i < s.shuffle; ++i)
        runs[i] = shuffled_run(s.in_c, s.shuffle, g * in_group, in_group, i);
      gemm_of_runs<MR, NR, FixedM, FixedN>(
          rows, x, {runs, s.shuffle}, panels, start,
          {y + channel, s.ldy, out_group, at + channel, s.ld_epilogue, channel}, epilogue,
          of_group);
    } else {
      gemm_blocked<MR, NR, FixedM, FixedN>(rows, x + g * in_group, panels, start, y + channel,
                                           at + channel, channel, s.ld_epilogue, epilogue,
                                           of_group);
    }
  }
}

// Output channels of one group as a constant, or -1.
template <class S>
constexpr Index fixed_group_channels() {
  constexpr Index channels = fixed_extent(&S::out_c), groups = fixed_extent(&S::group);
  return channels < 0 || groups <= 0 ? -1 : channels / groups;
}

template <class S>
constexpr Index fixed_pixels() {
  constexpr Index n = fixed_extent(&S::batch), h = fixed_extent(&S::out_h),
                  w = fixed_extent(&S::out_w);
  return n < 0 || h < 0 || w < 0 ? -1 : n * h * w;
}

// The pointwise convolution of m pixels of a convolution of shape S, without `shuffle`.
template <int MR, int NR, Index FixedM, class S, class Epilogue, class C = AllWork>
void pointwise_pixels(const S& s, Index m, const float* x, const float* w, const float* bias,
                      float* y, Index at, const Epilogue& epilogue, C chunk = {}) {
  constexpr Index columns = fixed_group_channels<S>();
  if constexpr (kLittleCode && fixed_extent(&S::group) == 1) {
    const PixelRows rows = {m, s.in_c, s.out_c, s.ldx, s.ldy};
    gemm_blocked<MR, NR, FixedM, columns>(rows, x, w, bias, y, at, 0, s.ld_epilogue, epilogue,
                                          chunk);
  } else {
    const GroupedPixels pixels = {m, s.in_c, s.out_c, s.group, 1, s.ldx, s.ldy, s.ld_epilogue};
    grouped_pointwise<MR, NR, FixedM, columns, false>(pixels, x, w, bias, y, at, epilogue, chunk);
  }
}

// The pointwise convolution of x with its channels interleaved.  x: [batch, out_h, out_w, shuffle,
// in_c / shuffle]. w: pack_conv2d<NR>, the input channels of each group in the order in which x has
// them.  bias: [out_c] or null. y: [batch, out_h, out_w, out_c].  s: batch, out_h, out_w, in_c,
// out_c, group; shuffle: at most kMaxShuffled; ldx, ldy, ld_epilogue: floats from one pixel to the
// next of x, of y and of what the epilogue reads at `at`. Divisible.
template <int MR, int NR, class S, class Epilogue = NoEpilogue>
void shuffled_conv2d_nhwc(S s, const float* x, const float* w, const float* bias, float* y,
                          Epilogue epilogue = {}) {
  const GroupedPixels pixels = {s.batch * s.out_h * s.out_w,
                                s.in_c,
                                s.out_c,
                                s.group,
                                s.shuffle,
                                s.ldx,
                                s.ldy,
                                s.ld_epilogue};
  grouped_pointwise<MR, NR, fixed_pixels<S>(), fixed_group_channels<S>(), true>(
      pixels, x, w, bias, y, 0, epilogue, chunk_of(s));
}

}  // namespace onnxc
