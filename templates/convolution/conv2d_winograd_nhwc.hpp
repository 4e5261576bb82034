// conv2d_winograd_nhwc.hpp - 3x3 convolution of stride 1 by Winograd's F(4x4, 3x3) (Lavin and Gray,
// "Fast algorithms for convolutional neural networks", 2015).
//
// Six by six inputs give four by four outputs with 36 instead of 144 multiplications. Errors stay
// below 2^-18 times the sum of |input * weight|.
#pragma once

#include <cstddef>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/gemm.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// Floats of the packed form [6 * 6][ceil(out_c / NR)][in_c][NR].
template <int NR>
constexpr Index packed_winograd_size(Index out_c, Index in_c) {
  return 36 * packed_gemm_size<NR>(in_c, out_c);
}

// One axis of the transform of a kernel: three taps, stride apart, to six. In double, as it is done
// once.
inline void winograd_kernel(const double* g, Index stride, double* u, Index u_stride) {
  const double g0 = g[0], g1 = g[stride], g2 = g[2 * stride];
  u[0] = g0 / 4.0;
  u[u_stride] = -(g0 + g1 + g2) / 6.0;
  u[2 * u_stride] = -(g0 - g1 + g2) / 6.0;
  u[3 * u_stride] = (g0 + 2.0 * g1 + 4.0 * g2) / 24.0;
  u[4 * u_stride] = (g0 - 2.0 * g1 + 4.0 * g2) / 24.0;
  u[5 * u_stride] = g2;
}

// w: [out_c, in_c, 3, 3] as ONNX has it.
template <int NR>
void pack_winograd(const float* w, Index out_c, Index in_c, float* packed) {
  const Index plane = packed_gemm_size<NR>(in_c, out_c);
  for (Index i = 0; i < 36 * plane; ++i) packed[i] = 0.0f;
  for (Index o = 0; o < out_c; ++o) {
    for (Index c = 0; c < in_c; ++c) {
      double taps[9], rows[18], u[36];
      for (Index i = 0; i < 9; ++i) taps[i] = static_cast<double>(w[(o * in_c + c) * 9 + i]);
      for (Index j = 0; j < 3; ++j) winograd_kernel(taps + j, 3, rows + j, 3);
      for (Index i = 0; i < 6; ++i) winograd_kernel(rows + 3 * i, 1, u + 6 * i, 1);
      for (Index e = 0; e < 36; ++e) {
        packed[e * plane + (o / NR * in_c + c) * NR + o % NR] = static_cast<float>(u[e]);
      }
    }
  }
}

// Tiles of four by four outputs that are computed together.
template <class S>
constexpr Index winograd_tiles_in_all(const S& s) {
  return s.batch * ((s.out_h + 3) / 4) * ((s.out_w + 3) / 4);
}

// Tiles computed together: the most whose transforms stay in the second-level cache, but enough
// rows to read the weights rarely.
constexpr Index most_winograd_tiles(Index in_c, Index out_c) {
  const Index fitting = 512 * 1024 / (36 * 4) / (in_c + out_c) / 14 * 14;
  const Index least = in_c * out_c >= 256 * 256 ? 56 : 28;
  return fitting < least ? least : fitting > 112 ? 112 : fitting;
}

// Blocks of one image are nearly equal.
constexpr Index winograd_block_size(Index all, Index in_c, Index out_c) {
  const Index most = most_winograd_tiles(in_c, out_c);
  const Index blocks = (all + most - 1) / most;
  return blocks > 0 ? (all + blocks - 1) / blocks : 0;
}

template <class S>
constexpr Index winograd_block(const S& s) {
  return winograd_block_size(winograd_tiles_in_all(s), s.in_c, s.out_c);
}

// Rows of a transform, and its 36 planes, must not lie powers of two apart: they would compete for
// few lines of a cache.
constexpr Index winograd_row(Index channels) {
  return channels % 256 == 0 ? channels + 16 : channels;
}
constexpr Index winograd_plane(Index tiles, Index channels) {
  return tiles * winograd_row(channels) + 16;
}

constexpr Index winograd_scratch_of(Index tiles, Index in_c, Index out_c) {
  return 36 * (winograd_plane(tiles, in_c) + winograd_plane(tiles, out_c));
}

// Floats of scratch that conv2d_winograd_nhwc needs, and that it needs at most for any image.
template <class S>
constexpr Index conv2d_winograd_scratch(const S& s) {
  return winograd_scratch_of(winograd_block(s), s.in_c, s.out_c);
}
constexpr Index most_winograd_scratch(Index in_c, Index out_c) {
  return winograd_scratch_of(most_winograd_tiles(in_c, out_c), in_c, out_c);
}

template <class V>
[[gnu::always_inline]] inline void winograd_input(const V (&d)[6], V (&o)[6]) {
  o[0] = 4.0f * d[0] - 5.0f * d[2] + d[4];
  const V a = d[4] - 4.0f * d[2], b = d[3] - 4.0f * d[1];
  o[1] = a + b;
  o[2] = a - b;
  const V e = d[4] - d[2], f = 2.0f * (d[3] - d[1]);
  o[3] = e + f;
  o[4] = e - f;
  o[5] = 4.0f * d[1] - 5.0f * d[3] + d[5];
}

template <class V>
[[gnu::always_inline]] inline void winograd_output(const V (&d)[6], V (&o)[4]) {
  const V a = d[1] + d[2], b = d[1] - d[2];
  const V e = d[3] + d[4], f = d[3] - d[4];
  o[0] = d[0] + a + e;
  o[1] = b + 2.0f * f;
  o[2] = a + 4.0f * e;
  o[3] = b + 8.0f * f + d[5];
}

// A tile before or after its product. row, column: its first pixel in the image, which may be
// outside; rows, columns: extent of the image; channels: how many from `channel` on; pixel: floats
// from one to the next. Element e of the transform is `plane` floats after element e - 1.
struct WinogradTile {
  Index row, column, rows, columns, channel, channels, pixel, plane, ld_epilogue;
};

alignas(64) constexpr float kNoPixel[kLanes] = {};

// Calls f(c, V{}) for all channels in whole vectors, the last of which may overlap the one before;
// with fewer channels than a vector has, for each.
template <class F>
[[gnu::always_inline]] inline void winograd_channels(Index channels, F f) {
  if (kLanes > 1 && channels < kLanes) {
    for (Index c = 0; c < channels; ++c) f(c, 0.0f);
    return;
  }
  for (Index c = 0; c < channels; c += kLanes)
    f(c + kLanes <= channels ? c : channels - kLanes, vfloat{});
}

// x: an image.  v: the place of the tile in the first plane.
template <bool BORDER>
[[gnu::noinline]] void winograd_input_tile(const WinogradTile& tile, const float* x, float* v) {
  const WinogradTile t = tile;
  winograd_channels(t.channels, [&](Index c, auto lane) {
    using V = decltype(lane);
    const auto pixel = [&](Index i, Index j) {
      const Index row = t.row + i, column = t.column + j;
      const bool outside =
          BORDER && (row < 0 || column < 0 || row >= t.rows || column >= t.columns);
      return load<V>(outside ? kNoPixel : x + (row * t.columns + column) * t.pixel + c);
    };
    V half[6][6];
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      const V d[6] = {pixel(0, j), pixel(1, j), pixel(2, j), pixel(3, j), pixel(4, j), pixel(5, j)};
      V o[6];
      winograd_input(d, o);
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) half[i][j] = o[i];
    }
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      V o[6];
      winograd_input(half[i], o);
#pragma GCC unroll 6
      for (int j = 0; j < 6; ++j) store(v + (i * 6 + j) * t.plane + c, o[j]);
    }
  });
}

// m: the place of the tile in the first plane.  bias, y: from the first channel on.  at: what the
// epilogue calls the first element of y.
template <class Epilogue>
[[gnu::noinline]] void winograd_output_tile(const WinogradTile& tile, const float* m,
                                            const float* bias, float* y, Index at,
                                            const Epilogue& given) {
  // Copies, since the stores might alias references.
  const WinogradTile t = tile;
  const Epilogue epilogue = given;
  const bool inside = t.row + 4 <= t.rows && t.column + 4 <= t.columns;
  winograd_channels(t.channels, [&](Index c, auto lane) {
    using V = decltype(lane);
    V half[4][6];
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      V d[6];
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) d[i] = load<V>(m + (i * 6 + j) * t.plane + c);
      V o[4];
      winograd_output(d, o);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) half[i][j] = o[i];
    }
    const V start = bias != nullptr ? load<V>(bias + c) : V{};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      V o[4];
      winograd_output(half[i], o);
      const Index first = (t.row + i) * t.columns + t.column;
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        if (!inside && (t.row + i >= t.rows || t.column + j >= t.columns)) continue;
        store(y + (first + j) * t.pixel + c,
              epilogue(o[j] + start, at + (first + j) * t.ld_epilogue + c, t.channel + c));
      }
    }
  });
}

// Image, first row and first column of a tile.
struct WinogradPlace {
  Index image, row, column;
};

template <class S>
WinogradPlace winograd_place(const S& s, Index tile) {
  const Index across = (s.out_w + 3) / 4;
  const Index down = (s.out_h + 3) / 4;
  return {tile / (across * down), tile / across % down * 4, tile % across * 4};
}

template <class S>
void winograd_gather(const S& s, const float* x, Index first, Index count, float* v) {
  const Index plane = winograd_plane(count, s.in_c);
  for (Index i = 0; i < count; ++i, v += winograd_row(s.in_c)) {
    const WinogradPlace p = winograd_place(s, first + i);
    const WinogradTile t = {
        p.row - s.pad_top, p.column - s.pad_left, s.in_h, s.in_w, 0, s.in_c, s.ldx, plane, 0};
    const bool inside =
        t.row >= 0 && t.column >= 0 && t.row + 6 <= s.in_h && t.column + 6 <= s.in_w;
    const float* image = x + p.image * s.in_h * s.in_w * s.ldx;
    inside ? winograd_input_tile<false>(t, image, v) : winograd_input_tile<true>(t, image, v);
  }
}

// m: the products of all channels, of which those in `channels` are taken.
template <class S, class Epilogue>
void winograd_scatter(const S& s, const float* m, const float* bias, Index first, Index count,
                      Span channels, float* y, const Epilogue& epilogue) {
  const Index plane = winograd_plane(count, s.out_c), c = channels.begin;
  if (bias != nullptr) bias += c;
  for (Index n = 0; n < count; ++n, m += winograd_row(s.out_c)) {
    const WinogradPlace p = winograd_place(s, first + n);
    const Index image = p.image * s.out_h * s.out_w;
    winograd_output_tile(
        {p.row, p.column, s.out_h, s.out_w, c, channels.size(), s.ldy, plane, s.ld_epilogue}, m + c,
        bias, y + image * s.ldy + c, image * s.ld_epilogue + c, epilogue);
  }
}

struct WinogradProduct {
  Index m, k, n, ldx, ldy;
};

// Tiles [first, first + count) of the channels, which begin with a panel; Fixed: count as a
// constant, or -1.
template <int MR, int NR, Index Fixed, class S, class Epilogue>
void winograd_tiles(const S& s, const float* x, const float* w, const float* bias, float* y,
                    float* scratch, Index first, Index count, Span channels,
                    const Epilogue& epilogue) {
  const Index v_plane = winograd_plane(count, s.in_c);
  const Index m_plane = winograd_plane(count, s.out_c);
  float* v = scratch;
  float* m = scratch + 36 * v_plane;
  winograd_gather(s, x, first, count, v);
  const Index w_plane = packed_gemm_size<NR>(s.in_c, s.out_c);
  const WinogradProduct product = {count, s.in_c, channels.size(), winograd_row(s.in_c),
                                   winograd_row(s.out_c)};
  const Index c = channels.begin;
  for (Index e = 0; e < 36; ++e) {
    gemm_blocked<MR, NR, Fixed, fixed_extent(&S::out_c)>(
        product, v + e * v_plane, w + e * w_plane + c * s.in_c, nullptr, m + e * m_plane + c, 0, 0,
        product.ldy, NoEpilogue{});
  }
  winograd_scatter(s, m, bias, first, count, channels, y, epilogue);
}

// A range of tiles, at most `block` at a time.
template <int MR, int NR, class S, class Epilogue>
void winograd_part(const S& s, const float* x, const float* w, const float* bias, float* y,
                   float* scratch, Index block, const Epilogue& epilogue) {
  constexpr Index kUnit = 4;
  const Index all = winograd_tiles_in_all(s), panels = s.out_c > NR ? s.out_c / NR : 1;
  const auto [units, own_panels] =
      chunk_grid(chunk_of(s), (all + kUnit - 1) / kUnit, kUnit, panels, NR);
  const Span channels = {own_panels.begin * NR,
                         own_panels.end == panels ? s.out_c : own_panels.end * NR};
  const Index begin = units.begin * kUnit, end = units.end * kUnit < all ? units.end * kUnit : all;
  if (channels.size() <= 0 || begin >= end) return;
  const Index blocks = (end - begin + block - 1) / block;
  for (Index i = 0; i < blocks; ++i) {
    const Span tiles = share(i, blocks, end - begin);
    winograd_tiles<MR, NR, -1>(s, x, w, bias, y, scratch, begin + tiles.begin, tiles.size(),
                               channels, epilogue);
  }
}

// winograd_tiles_in_all as a constant, or -1.
template <class S>
constexpr Index fixed_winograd_tiles() {
  constexpr Index n = fixed_extent(&S::batch), h = fixed_extent(&S::out_h),
                  w = fixed_extent(&S::out_w);
  return n < 0 || h < 0 || w < 0 ? -1 : n * ((h + 3) / 4) * ((w + 3) / 4);
}

// winograd_block as a constant, or -1.
template <class S>
constexpr Index winograd_fixed_block() {
  constexpr Index all = fixed_winograd_tiles<S>(), in_c = fixed_extent(&S::in_c),
                  out_c = fixed_extent(&S::out_c);
  return all < 0 || in_c < 0 || out_c < 0 ? -1 : winograd_block_size(all, in_c, out_c);
}

// All tiles from index `start` on, in blocks of constant sizes where the shape has some.
template <int MR, int NR, class S, class Epilogue>
void winograd_blocks(const S& s, const float* x, const float* w, const float* bias, float* y,
                     float* scratch, Index start, const Epilogue& epilogue) {
  const Index all = winograd_tiles_in_all(s), block = winograd_block(s);
  const Span channels = {0, s.out_c};
  constexpr Index fixed_all = fixed_winograd_tiles<S>();
  constexpr Index fixed_block = winograd_fixed_block<S>();
  constexpr Index fixed_rest = fixed_block > 0 ? fixed_all % fixed_block : fixed_block;
  Index first = 0;
  for (; first + block <= all && block > 0; first += block) {
    winograd_tiles<MR, NR, fixed_block>(s, x, w, bias, y, scratch, start + first, block, channels,
                                        epilogue);
  }
  if (first >= all) return;
  winograd_tiles<MR, NR, fixed_rest>(s, x, w, bias, y, scratch, start + first, all - first,
                                     channels, epilogue);
}

// x: [batch, in_h, in_w, in_c].  w: pack_winograd<NR>.  bias: [out_c] or null.  y: [batch, out_h,
// out_w, out_c]. s: batch, in_h, in_w, in_c, out_h, out_w, out_c, pad_top, pad_left, ldx, ldy,
// ld_epilogue as for conv2d_nhwc; the window is 3x3, stride, dilation and group 1. scratch:
// conv2d_winograd_scratch(s) floats, best on a cache line. Divisible.
template <int MR, int NR, class S, class Epilogue = NoEpilogue>
void conv2d_winograd_nhwc(S s, const float* x, const float* w, const float* bias, float* y,
                          float* scratch, Epilogue epilogue = {}) {
  if constexpr (is_chunked<S>) {
    winograd_part<MR, NR>(s, x, w, bias, y, scratch, winograd_block(s), epilogue);
  } else {
    winograd_blocks<MR, NR>(s, x, w, bias, y, scratch, 0, epilogue);
  }
}

// The shape of one image: the batch is the constant 1.
template <class S>
struct OneWinogradImage : S {
  static constexpr Index batch = 1;
  constexpr explicit OneWinogradImage(const S& s) : S(s) {}
};

// The same, image by image: for a dynamic number of images.
// scratch: for one image. Divisible.
template <int MR, int NR, class S, class Epilogue = NoEpilogue>
void conv2d_winograd_each(S s, const float* x, const float* w, const float* bias, float* y,
                          float* scratch, Epilogue epilogue = {}) {
  const OneWinogradImage<S> one(s);
  if constexpr (is_chunked<S>) {
    winograd_part<MR, NR>(s, x, w, bias, y, scratch, winograd_block(one), epilogue);
  } else {
    const Index all = winograd_tiles_in_all(one);
    for (Index start = 0; start < s.batch * all; start += all)
      winograd_blocks<MR, NR>(one, x, w, bias, y, scratch, start, epilogue);
  }
}

}  // namespace onnxc
