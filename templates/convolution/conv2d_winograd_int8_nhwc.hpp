// conv2d_winograd_int8_nhwc.hpp - 3x3 convolution of stride 1 of channels-last images of 8-bit
// integers by Winograd's F(2x2, 3x3), exact.
//
// Four by four inputs give two by two outputs with 16 instead of 36 multiplications, of 16-bit
// integers: for targets that sum products of those in pairs, but not of bytes. The transform of a
// kernel has halves, so weights are taken twice along each axis, and outputs are shifted by two
// bits. Sums may wrap on the way: four times an output fits in 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/int8_tile.hpp"

namespace onnxc {

constexpr Index kWinogradElements = 16;  // of the transform of a tile

// Channels of the transformed images, in pairs.
constexpr Index winograd_pairs(Index in_c) { return (in_c + 1) / 2; }

template <int NR>
constexpr Index winograd_columns(Index out_c) {
  return (out_c + NR - 1) / NR * NR;
}

// Integers of 16 bits of the packed form [4 * 4][out_c / NR][in_c / 2][NR][2].
template <int NR>
constexpr Index packed_winograd_int8_size(Index out_c, Index in_c) {
  return kWinogradElements * winograd_columns<NR>(out_c) * 2 * winograd_pairs(in_c);
}

// One axis of the transform of a kernel: three taps, stride apart, to four, twice as large.
inline void winograd_int8_kernel(const std::int32_t* g, Index stride, std::int32_t* u,
                                 Index u_stride) {
  const std::int32_t ends = g[0] + g[2 * stride], middle = g[stride];
  u[0] = 2 * g[0];
  u[u_stride] = ends + middle;
  u[2 * u_stride] = ends - middle;
  u[3 * u_stride] = 2 * g[2 * stride];
}

// w: [out_c, in_c, 3, 3] as ONNX has it; rest: null, or what is added to them.
template <int NR>
void pack_winograd_int8(const std::int8_t* w, const std::int8_t* rest, Index out_c, Index in_c,
                        std::int16_t* packed) {
  const Index plane = packed_winograd_int8_size<NR>(out_c, in_c) / kWinogradElements;
  for (Index i = 0; i < kWinogradElements * plane; ++i) packed[i] = 0;
  for (Index o = 0; o < out_c; ++o) {
    for (Index c = 0; c < in_c; ++c) {
      std::int32_t taps[9], rows[12], u[16];
      for (Index i = 0; i < 9; ++i) {
        const Index at = (o * in_c + c) * 9 + i;
        taps[i] = w[at] + (rest != nullptr ? rest[at] : 0);
      }
      for (Index j = 0; j < 3; ++j) winograd_int8_kernel(taps + j, 3, rows + j, 3);
      for (Index i = 0; i < 4; ++i) winograd_int8_kernel(rows + 3 * i, 1, u + 4 * i, 1);
      std::int16_t* to = packed + (o / NR * winograd_pairs(in_c) + c / 2) * 2 * NR + o % NR * 2;
      for (Index e = 0; e < kWinogradElements; ++e)
        to[e * plane + c % 2] = static_cast<std::int16_t>(u[e]);
    }
  }
}

// Tiles of two by two outputs.
template <class S>
constexpr Index winograd_int8_tiles(const S& s) {
  return s.batch * ((s.out_h + 1) / 2) * ((s.out_w + 1) / 2);
}

// Tiles that are computed together, at most: few enough that their transforms stay near, many
// enough that large weights are read rarely.
template <int NR>
constexpr Index most_winograd_int8_tiles(Index in_c, Index out_c) {
  constexpr Index kBytes = 64 * 1024, kLargeWeights = 256 * 1024, kUnit = 12;
  const Index weights = 2 * packed_winograd_int8_size<NR>(out_c, in_c);
  const Index each =
      kWinogradElements * (4 * winograd_pairs(in_c) + 4 * winograd_columns<NR>(out_c));
  const Index fitting = kBytes / each / kUnit * kUnit;
  const Index least = weights > kLargeWeights ? 4 * kUnit : kUnit;
  return fitting < least ? least : fitting;
}

template <int NR, class S>
constexpr Index winograd_int8_block(const S& s) {
  const Index most = most_winograd_int8_tiles<NR>(s.in_c, s.out_c), all = winograd_int8_tiles(s);
  return all < most ? all : most;
}

// Integers of scratch for so many tiles: 16-bit ones of transformed inputs, and 32-bit ones of
// sums.
constexpr Index winograd_int8_inputs(Index tiles, Index in_c) {
  return kWinogradElements * tiles * 2 * winograd_pairs(in_c);
}
template <int NR>
constexpr Index winograd_int8_sums(Index tiles, Index out_c) {
  return kWinogradElements * tiles * winograd_columns<NR>(out_c);
}

namespace winograd_int8_detail {

template <class T>
[[gnu::always_inline]] inline void transform_input(const T (&d)[4], T (&o)[4]) {
  o[0] = static_cast<T>(d[0] - d[2]);
  o[1] = static_cast<T>(d[1] + d[2]);
  o[2] = static_cast<T>(d[2] - d[1]);
  o[3] = static_cast<T>(d[1] - d[3]);
}

// Where a tile of inputs is: its first pixel, which may be outside of the image.
struct Corner {
  Index row, column;
};

// The transform of N channels of a tile; elements of it are `plane` integers apart.
template <int N, class S, class X>
[[gnu::always_inline]] inline void input_channels(const S& s, const X* x, Corner at, Index c,
                                                  std::int16_t* v, Index plane) {
  using T = halves_of<N>;
  const auto zero = static_cast<std::int16_t>(s.zero - (std::is_signed_v<X> ? 128 : 0));
  T half[4][4];
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    T d[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const Index row = at.row + i, column = at.column + j;
      const bool inside = row >= 0 && row < s.in_h && column >= 0 && column < s.in_w;
      d[i] = inside ? load_halves<N>(x + (row * s.in_w + column) * s.in_c + c, zero) : T{};
    }
    T o[4];
    transform_input(d, o);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) half[i][j] = o[i];
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    T o[4];
    transform_input(half[i], o);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) std::memcpy(v + (4 * i + j) * plane + c, &o[j], sizeof o[j]);
  }
}

// A tile. A last vector of channels may overlap the one before.
template <class S, class X>
[[gnu::noinline]] void input_tile(const S& s, const X* x, Corner at, std::int16_t* v, Index plane) {
  constexpr int n = kHalves;
  Index c = 0;
  if constexpr (n > 1) {
    if (s.in_c >= n)
      for (; c < s.in_c; c += n)
        input_channels<n>(s, x, at, c + n <= s.in_c ? c : s.in_c - n, v, plane);
  }
  for (; c < s.in_c; ++c) input_channels<1>(s, x, at, c, v, plane);
  if (s.in_c % 2 != 0)
    for (Index e = 0; e < kWinogradElements; ++e) v[e * plane + s.in_c] = 0;
}

// ROWS tiles times one panel.
template <int ROWS, int NR>
[[gnu::always_inline]] inline void product_tile(const std::int16_t* v, const std::int16_t* w,
                                                Index pairs, std::int32_t* sums, Index columns) {
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t rows = ROWS, vectors = nv;
  using W = words<n>;
  for (int j0 = 0; j0 < NR; j0 += n * nv) {
    W acc[rows][vectors] = {};
    const std::int16_t *x = v, *b = w + 2 * j0;
#pragma GCC unroll 1
    for (Index k = 0; k < pairs; ++k, x += 2, b += 2 * NR) {
      W right[vectors];
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j)
        right[j] = load_words<W>(static_cast<const void*>(b + 2 * n * j));
#pragma GCC unroll 16
      for (int i = 0; i < ROWS; ++i) {
        std::uint32_t pair;
        std::memcpy(&pair, x + i * 2 * pairs, sizeof pair);
        const W left = W{} + pair;
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) acc[i][j] = dot_pairs(acc[i][j], left, right[j]);
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < nv; ++j) store_words(sums + i * columns + j0 + n * j, acc[i][j]);
    }
  }
}

// `count` tiles of one element of the transform times all panels.
template <int NR>
[[gnu::noinline]] void product(const std::int16_t* v, const std::int16_t* w, Index count,
                               Index pairs, std::int32_t* sums, Index columns) {
  constexpr int fit = (kVectorRegisters - tile_vectors<NR> - 3) / tile_vectors<NR>;
  constexpr int rows = fit < 12 ? fit : 12;
  for (Index j = 0; j < columns; j += NR, w += 2 * NR * pairs) {
    if (count < rows) {
      for (Index i = 0; i < count; ++i)
        product_tile<1, NR>(v + i * 2 * pairs, w, pairs, sums + i * columns + j, columns);
      continue;
    }
    for (Index i = 0; i < count; i += rows) {
      const Index first = i + rows <= count ? i : count - rows;
      product_tile<rows, NR>(v + first * 2 * pairs, w, pairs, sums + first * columns + j, columns);
    }
  }
}

template <class W>
[[gnu::always_inline]] inline void transform_output(const W (&d)[4], W (&o)[2]) {
  o[0] = d[0] + d[1] + d[2];
  o[1] = d[1] - d[2] - d[3];
}

// Two by two outputs of all channels. sums: of the tile, elements `plane` apart.
template <int NR, class S, class Y, class Epilogue>
[[gnu::noinline]] void output_tile(const S& s, const std::int32_t* sums, Index plane,
                                   const std::int32_t* start, Corner at, Y* y, Index first,
                                   const Epilogue& given) {
  constexpr int n = tile_lanes<NR>;
  using W = words<n>;
  // A copy, since the stores might alias a reference.
  const Epilogue epilogue = given;
  for (Index c = 0; c < s.out_c; c += n) {
    W half[2][4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      W d[4], o[2];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) d[i] = load_words<W>(sums + (4 * i + j) * plane + c);
      transform_output(d, o);
      half[0][j] = o[0];
      half[1][j] = o[1];
    }
    const W from = load_words<W>(start + c);
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      W o[2];
      transform_output(half[i], o);
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        if (at.row + i >= s.out_h || at.column + j >= s.out_w) continue;
        const W whole = same_bits<W>(same_bits<numbers_of<n>>(o[j]) >> 2) + from;
        const Index pixel = ((at.row + i) * s.out_w + at.column + j) * s.out_c + c;
        finish_sums<vec<n>>(whole, s.out_c - c, y + pixel, first + pixel, c, epilogue);
      }
    }
  }
}

}  // namespace winograd_int8_detail

// x: [batch, in_h, in_w, in_c].  w: pack_winograd_int8<NR>.  start: [out_c in panels of NR], the
// bias.  y: [batch, out_h, out_w, out_c]: int32 for the sums themselves, else what the epilogue
// makes of them.  inputs, sums: scratch, winograd_int8_inputs and winograd_int8_sums integers for
// winograd_int8_block or more tiles.
// s: batch, in_h, in_w, in_c, out_h, out_w, out_c, pad_top, pad_left; zero: that of x, plus 128 if
// x is signed; the window is 3x3, stride, dilation and group 1. Divisible.
template <int NR, class S, class X, class Y, class Epilogue = NoEpilogue>
void conv2d_winograd_int8_nhwc(S s, const X* x, const std::int16_t* w, const std::int32_t* start,
                               Y* y, std::int16_t* inputs, std::int32_t* sums,
                               Epilogue epilogue = {}) {
  const Index across = (s.out_w + 1) / 2, of_image = (s.out_h + 1) / 2 * across;
  const Index pairs = winograd_pairs(s.in_c), columns = winograd_columns<NR>(s.out_c);
  const Index block = winograd_int8_block<NR>(s);
  const Span own = chunk_range(s, winograd_int8_tiles(s));
  if (own.size() <= 0) return;
  const Index blocks = (own.size() + block - 1) / block;
  const auto corner = [&](Index tile) {
    return winograd_int8_detail::Corner{tile % of_image / across * 2, tile % across * 2};
  };
  for (Index b = 0; b < blocks; ++b) {
    const Span part = share(b, blocks, own.size());
    const Index begin = own.begin + part.begin, count = part.size();
    const Index v_plane = count * 2 * pairs, m_plane = count * columns;
    for (Index i = 0; i < count; ++i) {
      const Index tile = begin + i;
      const winograd_int8_detail::Corner at = corner(tile % of_image);
      winograd_int8_detail::input_tile(s, x + tile / of_image * s.in_h * s.in_w * s.in_c,
                                       {at.row - s.pad_top, at.column - s.pad_left},
                                       inputs + i * 2 * pairs, v_plane);
    }
    for (Index e = 0; e < kWinogradElements; ++e)
      winograd_int8_detail::product<NR>(inputs + e * v_plane, w + e * 2 * pairs * columns, count,
                                        pairs, sums + e * m_plane, columns);
    for (Index i = 0; i < count; ++i) {
      const Index tile = begin + i, image = tile / of_image * s.out_h * s.out_w * s.out_c;
      winograd_int8_detail::output_tile<NR>(s, sums + i * columns, m_plane, start,
                                            corner(tile % of_image), y + image, image, epilogue);
    }
  }
}

}  // namespace onnxc
