// conv2d_int8_pairs_nhwc.hpp - convolution of channels-last images of 8-bit integers as products of
// 16-bit integers, exact: for targets that sum products of those in pairs, but not of bytes.
//
// Inputs are widened once for all columns, less their zero point, some rows of the image at a time;
// borders are zeros. Weights are widened at compile time of the model.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd_int8.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv2d_int8_nhwc.hpp"
#include "templates/matmul/int8_tile.hpp"

namespace onnxc {

// Words of one run.
template <class S>
constexpr Index run_pairs(const S& s) {
  return ((merges_taps(s) ? s.k_w * s.in_c : s.in_c / s.group) + 1) / 2;
}

// 16-bit integers of one packed panel: [k_h][runs][words][NR][2].
template <int NR, class S>
constexpr Index int8_pairs_panel_size(const S& s) {
  return s.k_h * row_runs(s) * run_pairs(s) * NR * 2;
}

// packed: [int8_panels][int8_pairs_panel_size].  w: [out_c, in_c / group, k_h, k_w]; rest: null, or
// what is added to them.
template <int NR, class S>
void pack_conv2d_int8_pairs(const S& s, const std::int8_t* w, const std::int8_t* rest,
                            std::int16_t* packed) {
  const Int8Weights<S> first_part = {s, w}, second_part = {s, rest};
  const auto weight = [&](Index o, Index h, Index run, Index i) {
    const int sum = first_part.at(o, h, run, i) + (rest ? second_part.at(o, h, run, i) : 0);
    return static_cast<std::int16_t>(sum);
  };
  each_int8_panel<NR>(s, [&](Index, Index first, Index columns) {
    for (Index h = 0; h < s.k_h; ++h)
      for (Index run = 0; run < row_runs(s); ++run)
        for (Index k = 0; k < run_pairs(s); ++k)
          for (Index j = 0; j < NR; ++j)
            for (Index b = 0; b < 2; ++b)
              *packed++ = j < columns ? weight(first + j, h, run, 2 * k + b) : std::int16_t{0};
  });
}

// What is widened together stays in the first-level cache, but for images whose windows do not.
constexpr Index kWidenedIntegers = 12 * 1024, kFewestWidenedPixels = 24;

// Rows of outputs, or pixels where the convolution walks over them, whose inputs are widened
// together.
template <class S>
constexpr Index widened_rows(const S& s) {
  if (walks_pixels(s)) {
    const Index pixels = kWidenedIntegers / s.in_c;
    return pixels < kFewestWidenedPixels ? kFewestWidenedPixels : pixels;
  }
  const Index window = (s.k_h - 1) * s.dilation_h + 1, row = bordered_width(s) * s.in_c;
  const Index fitting = (kWidenedIntegers / row - window) / s.stride_h + 1;
  return fitting < 1 ? 1 : fitting < s.out_h ? fitting : s.out_h;
}

// 16-bit integers of scratch. The last word of a run may reach one beyond what is widened.
template <class S>
constexpr Index int8_pairs_scratch(const S& s) {
  if (walks_pixels(s)) return widened_rows(s) * s.in_c + 1;
  const Index rows = (widened_rows(s) - 1) * s.stride_h + (s.k_h - 1) * s.dilation_h + 1;
  return rows * bordered_width(s) * s.in_c + 1;
}

// At least that, for images of open sizes.
template <class S>
constexpr auto most_int8_pairs_scratch(const S& s) {
  const auto window = ((s.k_h - 1) * s.dilation_h + 1) * bordered_width(s) * s.in_c;
  return max_extent(max_extent(window, s.in_c * kFewestWidenedPixels), kWidenedIntegers) + 1;
}

namespace int8_pairs_detail {

template <class X>
[[gnu::always_inline]] inline std::int16_t* widen_integers(const X* x, Index count,
                                                           std::int16_t zero, std::int16_t* to) {
  Index i = 0;
  for (; i + kHalves <= count; i += kHalves) {
    const halves_of<kHalves> wide = load_halves<kHalves>(x + i, zero);
    std::memcpy(to + i, &wide, sizeof wide);
  }
  // Two bounds: without the constant one GCC 12 warns of overflow where the loop never runs.
  for (int u = 0; u < kHalves - 1 && i < count; ++u, ++i)
    to[i] = static_cast<std::int16_t>(x[i] - zero);
  return to + count;
}

inline std::int16_t* fill_zeros(Index count, std::int16_t* to) {
  std::memset(to, 0, static_cast<std::size_t>(count) * sizeof *to);
  return to + count;
}

// Rows [begin, end) of the image x with its border.
template <class S, class X>
[[gnu::noinline]] void widen_rows(const S& s, const X* x, std::int16_t zero, Span rows,
                                  std::int16_t* to) {
  const Index row = s.in_w * s.in_c, left = s.pad_left * s.in_c, whole = bordered_width(s) * s.in_c;
  for (Index i = rows.begin - s.pad_top; i < rows.end - s.pad_top; ++i) {
    if (i < 0 || i >= s.in_h) {
      to = fill_zeros(whole, to);
    } else {
      to = widen_integers(x + i * row, row, zero, fill_zeros(left, to));
      to = fill_zeros(whole - left - row, to);
    }
  }
  *to = 0;
}

template <class Y>
struct Operands {
  const std::int16_t* w;
  const std::int32_t* start;
  std::int16_t* scratch;
  Y* y;
};

// The tile of a block of columns, and the place of the first output: at `out` of y, with the input
// at the beginning of what is widened.
template <int NR, class S, class Y>
struct Block {
  Int8Tile<Y, PairProduct> tile;
  Int8Place<Y> place;

  Block(const S& s, const Operands<Y>& o, Index index, Index width, Index out) {
    constexpr Index kSize = sizeof(std::int16_t);
    const Index in_group = s.in_c / s.group, out_group = s.out_c / s.group;
    const Index blocks = (out_group + NR - 1) / NR;
    const Index g = index / blocks, j = index % blocks * NR, channel = g * out_group + j;
    tile.ldx = s.stride_w * s.in_c * kSize;
    tile.taps_h = s.k_h;
    tile.taps_w = row_runs(s);
    tile.x_step_h = s.dilation_h * width * s.in_c * kSize;
    tile.x_step_w = s.dilation_w * s.in_c * kSize;
    tile.words = run_pairs(s);
    tile.w = reinterpret_cast<const std::int8_t*>(o.w + index * int8_pairs_panel_size<NR>(s));
    tile.start = o.start + index * NR;
    tile.residual_places = nullptr;
    tile.residual_words = 0;
    tile.ldy = tile.ld_epilogue = s.out_c;
    tile.columns = out_group % NR == 0 || out_group - j > NR ? NR : out_group - j;
    tile.channel = channel;
    place = {reinterpret_cast<const std::uint8_t*>(o.scratch + g * in_group), o.y + out + channel,
             out + channel};
  }
};

// Pixels [own.begin, own.end) of all images, each of which makes one output.
template <int NR, class S, class X, class Y, class Epilogue>
[[gnu::noinline]] void pixels(const S& s, const X* x, std::int16_t zero, const Operands<Y>& o,
                              Span own, Span blocks, const Epilogue& given) {
  // A copy, since the stores might alias a reference.
  const Epilogue epilogue = given;
  constexpr int rows = conv_int8_rows<NR, S, PairProduct>();
  // Whole tiles at a time, so that none overlaps the one before; one is left at the end.
  const Index most = widened_rows(s) / rows * rows;
  for (Index first = own.begin, count; first < own.end; first += count) {
    const Index left = own.end - first;
    count = left <= most ? left : left < most + rows && most > rows ? most - rows : most;
    *widen_integers(x + first * s.in_c, count * s.in_c, zero, o.scratch) = 0;
    for (Index b = blocks.begin; b < blocks.end; ++b) {
      const Block<NR, S, Y> block(s, o, b, 0, first * s.out_c);
      int8_rows<rows, NR>(block.tile, block.place, count, 0, epilogue);
    }
  }
}

// Rows [own.begin, own.end) of the outputs of one image, of which the first element is at `out`.
template <int NR, class S, class X, class Y, class Epilogue>
[[gnu::noinline]] void image_rows(const S& s, const X* x, std::int16_t zero, const Operands<Y>& o,
                                  Index out, Span own, Span blocks, const Epilogue& given) {
  const Epilogue epilogue = given;
  const Index most = widened_rows(s), strips = (own.size() + most - 1) / most,
              width = bordered_width(s);
  const int height = conv_int8_rows<NR, S, PairProduct>(s.out_w);
  for (Index i = 0; i < strips; ++i) {
    const Span part = share(i, strips, own.size());
    const Index first = own.begin + part.begin;
    widen_rows(s, x, zero,
               {first * s.stride_h,
                (first + part.size() - 1) * s.stride_h + (s.k_h - 1) * s.dilation_h + 1},
               o.scratch);
    for (Index b = blocks.begin; b < blocks.end; ++b) {
      const Block<NR, S, Y> block(s, o, b, width, out + first * s.out_w * s.out_c);
      for (Index r = 0; r < part.size(); ++r) {
        // Rows of zeros need not be multiplied.
        const TapRange taps = tap_range(vertical_axis(s), first + r);
        Int8Tile<Y, PairProduct> tile = block.tile;
        tile.taps_h = taps.count;
        tile.w += taps.first * tile.taps_w * tile.words * NR * 4;
        const Index before = r * s.out_w * s.out_c;
        const Int8Place<Y> place = {
            block.place.x + r * s.stride_h * width * s.in_c * 2 + taps.first * tile.x_step_h,
            block.place.y + before, block.place.at + before};
        conv_int8_outputs<NR, S>(tile, place, s.out_w, height, 0, epilogue);
      }
    }
  }
}

}  // namespace int8_pairs_detail

// x: [batch, in_h, in_w, in_c].  w: pack_conv2d_int8_pairs<NR>.  start: [int8_panels * NR], the
// bias.  y: [batch, out_h, out_w, out_c]: int32 for the sums themselves, else what the epilogue
// makes of them.  scratch: int8_pairs_scratch integers.  s: batch, in_h, in_w, in_c, out_h, out_w,
// out_c, k_h, k_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left, group; zero: that
// of x, plus 128 if x is signed. Divisible.
template <int NR, class S, class X, class Y, class Epilogue = NoEpilogue>
void conv2d_int8_pairs_nhwc(S s, const X* x, const std::int16_t* w, const std::int32_t* start, Y* y,
                            std::int16_t* scratch, Epilogue epilogue = {}) {
  const auto zero = static_cast<std::int16_t>(s.zero - (std::is_signed_v<X> ? 128 : 0));
  const int8_pairs_detail::Operands<Y> o = {w, start, scratch, y};
  const Index image = s.out_h * s.out_w, panels = int8_panels<NR>(s);
  if (image <= 0) return;
  if (walks_pixels(s)) {
    constexpr int rows = conv_int8_rows<NR, S, PairProduct>();
    const Index all = s.batch * image, tiles = all > rows ? all / rows : 1;
    const auto [own, blocks] = chunk_grid(chunk_of(s), tiles, rows, panels, NR);
    const Span own_pixels = {own.begin * rows, own.end == tiles ? all : own.end * rows};
    return int8_pairs_detail::pixels<NR>(s, x, zero, o, own_pixels, blocks, epilogue);
  }
  const auto [own, blocks] = chunk_grid(chunk_of(s), s.batch * s.out_h, s.out_w, panels, NR);
  for (Index n = 0; n < s.batch; ++n) {
    const Span of_image = rows_of_image(own, n, s.out_h);
    if (of_image.size() <= 0) continue;
    int8_pairs_detail::image_rows<NR>(s, x + n * s.in_h * s.in_w * s.in_c, zero, o,
                                      n * image * s.out_c, of_image, blocks, epilogue);
  }
}

// The same with a zero point given at run time; everything else as for conv2d_int8_pairs_nhwc.
template <int NR, class S, class X, class... Rest>
void conv2d_int8_pairs_nhwc_zero(S s, const X* zero, const X* x, Rest... rest) {
  conv2d_int8_pairs_nhwc<NR>(with_zero(s, zero), x, rest...);
}

}  // namespace onnxc
