// conv2d_int8_nhwc.hpp - convolution of channels-last images of 8-bit integers, with weights packed
// at compile time of the model.
//
// Sums are exact. Pads hold the zero point, so every output has all taps: images with pads are
// copied into scratch memory with a border, and so are those of signed integers, which become
// unsigned there (plus 128), and those whose runs end within a word. Everything else is read in
// place.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/convolution/int8_panels.hpp"
#include "templates/convolution/int8_pixel_pairs.hpp"
#include "templates/matmul/int8_tile.hpp"

namespace onnxc {

// An image is read up to this many bytes beyond its end.
constexpr Index kByteSlack = 64;

// The images that the taps read, one after the other.
struct Int8Image {
  const std::uint8_t* x;
  Index width;  // pixels
  Index count;
};

template <class S>
constexpr auto bordered_width(const S& s) {
  return max_extent((s.out_w - 1) * s.stride_w + (s.k_w - 1) * s.dilation_w + 1,
                    s.pad_left + s.in_w);
}

template <class S>
constexpr auto bordered_height(const S& s) {
  return max_extent((s.out_h - 1) * s.stride_h + (s.k_h - 1) * s.dilation_h + 1,
                    s.pad_top + s.in_h);
}

// Bytes of scratch memory for one image.
template <class S>
constexpr auto bordered_size(const S& s) {
  return bordered_width(s) * bordered_height(s) * s.in_c + kByteSlack;
}

// A shape whose zero point is known only at run time.
template <class S>
struct RuntimeZeroPoint : S {
  Index zero;
};

template <class S, class X>
RuntimeZeroPoint<S> with_zero(const S& s, const X* zero) {
  return {s, std::is_signed_v<X> ? *zero + 128 : *zero};
}

// Copies one image into the middle of another full of zero points.
template <class S, class X>
[[gnu::noinline]] void copy_bordered(const S& s, const X* x, std::uint8_t* to) {
  const Index width = bordered_width(s), row = s.in_w * s.in_c;
  const auto fill = [&](Index pixels) {
    std::memset(to, static_cast<int>(s.zero), static_cast<std::size_t>(pixels * s.in_c));
    to += pixels * s.in_c;
  };
  fill(s.pad_top * width + s.pad_left);
  const Index between = width - s.in_w;
  for (Index i = 0; i < s.in_h; ++i, x += row, to += row) {
    if (i > 0) fill(between);
    if constexpr (std::is_signed_v<X>) {
      for (Index j = 0; j < row; ++j)
        to[j] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(x[j]) ^ 0x80u);
    } else {
      std::memcpy(to, x, static_cast<std::size_t>(row));
    }
  }
  fill(between - s.pad_left + (bordered_height(s) - s.pad_top - s.in_h) * width);
}

// Every output reads one pixel, in order: a matrix product of all pixels.
template <class S>
constexpr bool walks_pixels(const S& s) {
  return s.k_h == 1 && s.k_w == 1 && s.stride_h == 1 && s.stride_w == 1 && s.group == 1 &&
         s.out_h == s.in_h && s.out_w == s.in_w;
}

// The rows that tiles pass over one after the other, as a constant, or -1.
template <class S>
constexpr Index fixed_int8_extent() {
  constexpr Index h = fixed_extent(&S::out_h), w = fixed_extent(&S::out_w);
  constexpr bool walks = fixed_extent(&S::k_h) == 1 && fixed_extent(&S::k_w) == 1 &&
                         fixed_extent(&S::stride_h) == 1 && fixed_extent(&S::stride_w) == 1 &&
                         fixed_extent(&S::group) == 1 && fixed_extent(&S::in_h) == h &&
                         fixed_extent(&S::in_w) == w;
  return walks && h > 0 && w > 0 ? h * w : w;
}

// The rows of a tile, as a constant.
template <int NR, class S, class Product = ByteProduct>
constexpr int conv_int8_rows() {
  if constexpr (NR == 1) return 1;
  return even_int8_rows<NR, Product>(fixed_int8_extent<S>());
}

// The rows of a tile for outputs side by side: a constant unless their number is open.
template <int NR, class S, class Product = ByteProduct>
constexpr int conv_int8_rows(Index outputs) {
  constexpr int rows = conv_int8_rows<NR, S, Product>();
  if constexpr (fixed_extent(&S::out_w) < 0) return open_int8_rows<rows, NR>(outputs);
  return rows;
}

// The bytes of a row of taps of all channels, of windows that panels of one column take several of
// at a time, else 0.
template <int NR, class S>
constexpr Index fixed_run() {
  // Shapes of other panels need not have all of this.
  if constexpr (NR != 1) {
    return 0;
  } else {
    constexpr Index k_h = fixed_extent(&S::k_h), k_w = fixed_extent(&S::k_w),
                    in_c = fixed_extent(&S::in_c), out_c = fixed_extent(&S::out_c);
    constexpr bool known = k_h > 0 && k_w > 0 && in_c > 0 && out_c > 0 && out_c % 4 == 0,
                   joined = fixed_extent(&S::group) == 1 && fixed_extent(&S::dilation_w) == 1,
                   whole = fixed_extent(&S::residual_words) == 0;
    return known && joined && whole ? k_w * in_c : 0;
  }
}

// The bytes of the only run of a window if panels of one column may take two rows at a time, else
// 0.
template <int NR, class S>
constexpr int fixed_single_run() {
  constexpr Index bytes = fixed_run<NR, S>();
  if constexpr (bytes == 0) {
    return 0;
  } else {
    return fixed_extent(&S::k_h) == 1 && is_run_of_pairs(bytes) ? static_cast<int>(bytes) : 0;
  }
}

// Bytes of a window whose rows, each of whole words, one after the other are one run, or 0.
template <int NR, class S>
constexpr Index joined_window() {
  constexpr Index k_h = fixed_extent(&S::k_h), k_w = fixed_extent(&S::k_w),
                  in_c = fixed_extent(&S::in_c);
  constexpr bool known = k_h > 1 && k_w > 0 && in_c > 0 && fixed_extent(&S::group) == 1 &&
                         fixed_extent(&S::dilation_w) == 1 && fixed_extent(&S::residual_words) == 0;
  return NR == 1 && known ? k_h * ((k_w * in_c + 3) / 4 * 4) : 0;
}

// The same if panels of one column may take two windows at a time, that lie on the stack.
template <int NR, class S>
constexpr int paired_windows() {
  constexpr Index kMost = 304, window = joined_window<NR, S>();
  constexpr bool pairs = fixed_extent(&S::out_c) > 0 && fixed_extent(&S::out_c) % 4 == 0;
  return pairs && window <= kMost && is_run_of_pairs(window) ? static_cast<int>(window) : 0;
}

// The same if windows should be copied to be one run: two of them take fewer instructions, and
// panels of one column, which read up to kRunBytes at a time, make little use of rows of a few
// bytes.
template <int NR, class S>
constexpr Index one_run_of_window() {
  constexpr Index kRunBytes = 16, kLongest = 256, window = joined_window<NR, S>();
  if constexpr (window == 0 || paired_windows<NR, S>() > 0) return window;
  constexpr Index k_h = fixed_extent(&S::k_h), row = window / (k_h > 0 ? k_h : 1);
  constexpr Index together = (window + kRunBytes - 1) / kRunBytes,
                  alone = k_h * ((row + kRunBytes - 1) / kRunBytes);
  return window <= kLongest && 2 * together <= alone ? window : 0;
}

// Bytes from an output's taps to those of the next one, as a constant, or -1.
template <class S>
constexpr Index fixed_output_step() {
  constexpr Index stride = fixed_extent(&S::stride_w), in_c = fixed_extent(&S::in_c);
  return stride > 0 && in_c > 0 ? stride * in_c : -1;
}

// The bytes of a row of taps if panels of one column take the windows of four outputs at a time, as
// they do those that are too long to be copied; else 0. WORDS: pixels begin at multiples of four.
template <int NR, class S, bool WORDS>
constexpr int run_of_quads() {
  constexpr Index bytes = fixed_run<NR, S>();
  if constexpr (bytes == 0) {
    return 0;
  } else {
    constexpr bool copied = one_run_of_window<NR, S>() > 0, single = fixed_single_run<NR, S>() > 0;
    return !copied && !single && is_run_of_quads(bytes, fixed_output_step<S>(), WORDS)
               ? static_cast<int>(bytes)
               : 0;
  }
}

// Whether images are always copied, and so begin with a word.
template <class S, class = void>
constexpr bool kCopiesImages = false;
template <class S>
constexpr bool kCopiesImages<S, std::void_t<decltype(S::copies)>> = fixed_extent(&S::copies) == 1;

// Outputs of panels of one column, four at a time; the number of them that are done.
template <int NR, class S, bool WORDS, class Y, class Product, class Epilogue>
[[gnu::always_inline]] inline Index conv_int8_quads([[maybe_unused]] const Int8Tile<Y, Product>& t,
                                                    [[maybe_unused]] const Int8Place<Y>& first,
                                                    [[maybe_unused]] Index outputs,
                                                    [[maybe_unused]] const Epilogue& epilogue) {
  constexpr int run = run_of_quads<NR, S, WORDS>();
  if constexpr (run > 0) {
    constexpr int step = fixed_output_step<S>();
    return int8_row_quads<run, step, WORDS>(t, first, outputs, fixed_extent(&S::k_h) * run,
                                            epilogue);
  } else {
    return 0;
  }
}

// Tiles over outputs side by side.  rows: conv_int8_rows(outputs).
template <int NR, class S, class Y, class Product, class Epilogue>
[[gnu::always_inline]] inline void conv_int8_outputs(const Int8Tile<Y, Product>& t,
                                                     const Int8Place<Y>& first, Index outputs,
                                                     int rows, Index panel_size,
                                                     const Epilogue& epilogue) {
  constexpr int most = conv_int8_rows<NR, S, Product>();
  if constexpr (fixed_extent(&S::out_w) < 0) {
    int8_open_rows<most, NR>(t, first, outputs, rows, panel_size, epilogue);
  } else {
    const Index done = conv_int8_quads<NR, S, kCopiesImages<S>>(t, first, outputs, epilogue);
    int8_rows<most, NR, fixed_int8_extent<S>(), fixed_single_run<NR, S>()>(
        t, place_of_row(t, first, done), outputs - done, panel_size, epilogue);
  }
}

// Rows of outputs that parts of a call are made of: tiles of pixels where the convolution walks
// over pixels, of `images` together, else rows of an image.
template <int NR, class S>
constexpr Index int8_units(const S& s, Index images) {
  if (!walks_pixels(s)) return s.out_h;
  const Index tiles = images * s.out_h * s.out_w / conv_int8_rows<NR, S>();
  return tiles > 0 ? tiles : 1;
}

// The rows of taps that count for outputs of row oh: those above and below the image hold zeros if
// the zero point is one. Panels of one column read bytes less 128, and little memory for code has
// more use than for this.
template <int NR, class S>
constexpr TapRange counting_taps(const S& s, Index oh) {
  const bool zeros = s.zero == 0 && s.residual_words == 0;
  return kLanes > 1 && NR > 1 && zeros ? tap_range(vertical_axis(s), oh) : TapRange{0, s.k_h};
}

// Whether a tile is a whole line of pixels, of which the first one and the last one have zeros
// next to them that need not be multiplied.
template <int NR, class S>
constexpr bool tiles_are_lines() {
  constexpr bool same_width = fixed_extent(&S::k_w) == 3 && fixed_extent(&S::stride_w) == 1 &&
                              fixed_extent(&S::dilation_w) == 1 &&
                              fixed_extent(&S::pad_left) == 1 && fixed_extent(&S::in_w) > 1 &&
                              fixed_extent(&S::in_w) == fixed_extent(&S::out_w);
  constexpr bool zeros = fixed_extent(&S::zero) == 0 && fixed_extent(&S::residual_words) == 0;
  constexpr bool words =
      fixed_extent(&S::group) == 1 && fixed_extent(&S::in_c) > 0 && fixed_extent(&S::in_c) % 4 == 0;
  return kLanes > 1 && NR > 1 && same_width && zeros && words &&
         conv_int8_rows<NR, S>() == fixed_extent(&S::out_w);
}

// Some units of one panel, of which the image's first output is at `first`.
template <int NR, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline void conv_int8_panel(const S& s, const Int8Image& image,
                                                   const Int8Tile<Y>& t, const Int8Place<Y>& first,
                                                   Span units, const Epilogue& epilogue) {
  constexpr int rows = conv_int8_rows<NR, S>();
  const Index panel_size = int8_panel_size<NR>(s);
  // Outputs side by side are one row where the convolution walks over pixels. Tiles are expanded
  // once for both.
  const bool walks = walks_pixels(s);
  const bool last = units.end == int8_units<NR>(s, image.count);
  const Index begin = walks ? units.begin * rows : units.begin * s.out_w,
              end = walks && last ? image.count * s.out_h * s.out_w : units.end * rows;
  const Index outputs = walks ? end - begin : s.out_w, lines = walks ? 1 : units.size();
  const int height = conv_int8_rows<NR, S>(outputs);
  const std::uint8_t* const x =
      first.x + (walks ? begin * t.ldx : units.begin * s.stride_h * image.width * s.in_c);
  for (Index i = 0; i < lines; ++i) {
    const TapRange taps = walks ? TapRange{0, 1} : counting_taps<NR>(s, units.begin + i);
    Int8Tile<Y> own = t;
    own.taps_h = taps.count;
    own.w += taps.first * t.taps_w * t.words * NR * 4;
    const Index out = (begin + i * s.out_w) * s.out_c;
    const Int8Place<Y> place = {x + i * s.stride_h * image.width * s.in_c + taps.first * t.x_step_h,
                                first.y + out, first.at + out};
    if constexpr (tiles_are_lines<NR, S>()) {
      int8_tile<rows, NR, true>(own, place, epilogue);
    } else {
      conv_int8_outputs<NR, S>(own, place, outputs, height, panel_size, epilogue);
    }
  }
}

// Blocks of columns: panels, or four of those of one column; numbered through the groups.
template <int NR, class S>
constexpr Index int8_blocks(const S& s) {
  return s.group * ((s.out_c / s.group + int8_width<NR> - 1) / int8_width<NR>);
}

// Block i of all outputs of an image, and the place of the first one.
template <int NR, class S, class Y>
struct Int8Block {
  Int8Tile<Y> tile;
  Int8Place<Y> place;

  [[gnu::always_inline]] Int8Block(const S& s, const Int8Image& image, const Int8Convolution<Y>& c,
                                   Index i) {
    const Index in_group = s.in_c / s.group, out_group = s.out_c / s.group,
                blocks = (out_group + int8_width<NR> - 1) / int8_width<NR>;
    const Index g = i / blocks, j = i % blocks * int8_width<NR>, channel = g * out_group + j;
    const Index panel = NR == 1 ? channel : i;
    tile.ldx = s.stride_w * s.in_c;
    tile.taps_h = s.k_h;
    tile.taps_w = row_runs(s);
    tile.x_step_h = s.dilation_h * image.width * s.in_c;
    tile.x_step_w = s.dilation_w * s.in_c;
    tile.words = run_words(s);
    tile.w = c.w + panel * int8_panel_size<NR>(s);
    tile.start = c.start + panel * NR;
    tile.residual_places = c.residual_places + panel * 3 * s.residual_words;
    tile.residual_words = s.residual_words;
    tile.ldy = tile.ld_epilogue = s.out_c;
    tile.columns = out_group % int8_width<NR> == 0 || out_group - j > int8_width<NR>
                       ? int8_width<NR>
                       : out_group - j;
    tile.channel = channel;
    place = {image.x + g * in_group, c.y + channel, c.at + channel};
  }
};

// All columns of a convolution, or those of some blocks.
template <int NR, class S, class Y>
Int8Pairs<NR, S, Y> int8_pairs_of(const S& s, const Int8Convolution<Y>& c) {
  return {s, c, int8_panel_size<NR>(s), {0, s.out_c}};
}
template <int NR, class S, class Y>
Int8Pairs<NR, S, Y> int8_pairs_of(const S& s, const Int8Convolution<Y>& c, Span blocks) {
  const Index end = blocks.end * NR;
  return {s, c, int8_panel_size<NR>(s), {blocks.begin * NR, end < s.out_c ? end : s.out_c}};
}

// Some units of some blocks, two outputs at a time.
template <int NR, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline void conv_int8_pairs(const S& s, const Int8Image& image,
                                                   const Int8Convolution<Y>& c, Span units,
                                                   Span blocks, const Epilogue& epilogue) {
  constexpr int rows = conv_int8_rows<NR, S>();
  const bool walks = walks_pixels(s), last = units.end == int8_units<NR>(s, image.count);
  const Span pixels = {units.begin * rows,
                       last ? image.count * s.out_h * s.out_w : units.end * rows};
  const Span lines = walks ? Span{0, 1} : units;
  for (Index i = lines.begin; i < lines.end; ++i) {
    const Index count = walks ? pixels.size() : s.out_w, begin = walks ? pixels.begin : i * s.out_w,
                from = walks ? begin : i * s.stride_h * image.width;
    const std::uint8_t* const x = image.x + from * s.in_c;
    const Index done =
        int8_pixel_pairs(int8_pairs_of<NR>(s, c, blocks), x, image.width, begin, count, epilogue);
    if (done == count) continue;
    for (Index b = blocks.begin; b < blocks.end; ++b) {
      const Int8Block<NR, S, Y> block(s, image, c, b);
      const Index out = (begin + done) * s.out_c;
      int8_tile<1, NR>(
          block.tile,
          Int8Place<Y>{x + done * block.tile.ldx, block.place.y + out, block.place.at + out},
          epilogue);
    }
  }
}

// Blocks of `count` outputs side by side, at most two, from joined windows. out: of the first one.
template <int NR, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline void conv_int8_windows(const S& s, const std::uint8_t* windows,
                                                     Index count, const Int8Convolution<Y>& c,
                                                     Index out, Span blocks,
                                                     const Epilogue& epilogue) {
  for (Index i = blocks.begin; i < blocks.end; ++i) {
    const Index channel = i * int8_width<NR>, panel_size = int8_panel_size<NR>(s);
    Int8Tile<Y> t{};
    t.ldx = joined_window<NR, S>();
    t.taps_h = t.taps_w = 1;
    t.words = t.ldx / 4;
    t.w = c.w + channel * panel_size;
    t.start = c.start + channel;
    t.ldy = t.ld_epilogue = s.out_c;
    t.columns = s.out_c % int8_width<NR> == 0 ? int8_width<NR>
                                              : min_extent(s.out_c - channel, int8_width<NR>);
    t.channel = channel;
    const Int8Place<Y> place = {windows, c.y + out + channel, c.at + out + channel};
    int8_rows<1, NR, 2, paired_windows<NR, S>()>(t, place, count, panel_size, epilogue);
  }
}

// Some rows of outputs of some blocks, each window copied to be one run.
template <int NR, class S, class Y, class Epilogue>
[[gnu::always_inline]] inline void conv_int8_gathered(const S& s, const Int8Image& image,
                                                      const Int8Convolution<Y>& c, Span rows,
                                                      Span blocks, const Epilogue& epilogue) {
  constexpr Index size = joined_window<NR, S>(), row = size / fixed_extent(&S::k_h);
  constexpr Index together = paired_windows<NR, S>() > 0 ? 2 : 1;
  constexpr std::size_t bytes = together * size, row_bytes = row;
  alignas(4) std::uint8_t windows[bytes];
  for (Index oh = rows.begin; oh < rows.end; ++oh)
    for (Index ow = 0; ow < s.out_w; ow += together) {
      const Index count = s.out_w - ow < together ? s.out_w - ow : together;
      const Index step = s.dilation_h * image.width * s.in_c;
      for (Index i = 0; i < count; ++i) {
        const std::uint8_t* from =
            image.x + (oh * s.stride_h * image.width + (ow + i) * s.stride_w) * s.in_c;
        for (Index h = 0; h < s.k_h; ++h, from += step)
          std::memcpy(windows + i * size + h * row, from, row_bytes);
      }
      conv_int8_windows<NR>(s, windows, count, c, (oh * s.out_w + ow) * s.out_c, blocks, epilogue);
    }
}

template <int NR, class S, class Y, class Epilogue>
[[gnu::noinline]] void conv_int8_image(const S& s, const Int8Image& image,
                                       const Int8Convolution<Y>& c, Span units, Span own_blocks,
                                       const Epilogue& given) {
  // A copy, since the stores might alias a reference.
  const Epilogue epilogue = given;
  if constexpr (has_pixel_pairs<NR, S>()) {
    conv_int8_pairs<NR>(s, image, c, units, own_blocks, epilogue);
  } else if constexpr (one_run_of_window<NR, S>() > 0) {
    conv_int8_gathered<NR>(s, image, c, units, own_blocks, epilogue);
  } else {
    for (Index i = own_blocks.begin; i < own_blocks.end; ++i) {
      const Int8Block<NR, S, Y> block(s, image, c, i);
      conv_int8_panel<NR>(s, image, block.tile, block.place, units, epilogue);
    }
  }
}

// x: [batch, in_h, in_w, in_c].  w, residual_places: pack_conv2d_int8<NR>.  start: [int8_panels *
// NR], what every sum starts from: the bias less zero * the sum of the weights, or less (zero -
// 128) times that where NR is 1.  y: [batch, out_h,
// out_w, out_c]: int32 for the sums themselves, else what the epilogue makes of them.  scratch:
// bordered_size if `copies`, else null. s: batch, in_h, in_w, in_c, out_h, out_w, out_c, k_h, k_w,
// stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left, group; residual_words: that of the
// function; zero: that of x, plus 128 if x is signed; copies: whether an image has to be copied.
template <int NR, class S, class X, class Y, class Epilogue = NoEpilogue>
[[gnu::noinline]] void conv2d_int8_nhwc(S s, const X* x, const std::int8_t* w,
                                        const std::int32_t* start,
                                        const std::int32_t* residual_places, Y* y,
                                        std::uint8_t* scratch, Epilogue epilogue = {}) {
  const Index in_size = s.in_h * s.in_w * s.in_c, out_size = s.out_h * s.out_w * s.out_c;
  const bool copies = std::is_signed_v<X> || s.copies;
  const Index together = walks_pixels(s) && !copies ? s.batch : 1;
  if (together == 0) return;
  const Index units = int8_units<NR>(s, together),
              row = walks_pixels(s) ? Index{conv_int8_rows<NR, S>()} : s.out_w;
  const auto [own_units, own_blocks] =
      chunk_grid(chunk_of(s), s.batch / together * units, row, int8_blocks<NR>(s), int8_width<NR>);
  for (Index n = 0; n < s.batch; n += together) {
    const Span of_image = rows_of_image(own_units, n / together, units);
    if (of_image.size() <= 0) continue;
    Int8Image image = {scratch, bordered_width(s), together};
    if constexpr (std::is_signed_v<X>) {
      copy_bordered(s, x + n * in_size, scratch);
    } else if (copies) {
      copy_bordered(s, x + n * in_size, scratch);
    } else {
      image = {x + n * in_size, s.in_w, together};
    }
    const Int8Convolution<Y> c = {w, start, residual_places, y + n * out_size, n * out_size};
    conv_int8_image<NR>(s, image, c, of_image, own_blocks, epilogue);
  }
}

// The same with a zero point given at run time; everything else as for conv2d_int8_nhwc.
template <int NR, class S, class X, class... Rest>
void conv2d_int8_nhwc_zero(S s, const X* zero, const X* x, Rest... rest) {
  conv2d_int8_nhwc<NR>(with_zero(s, zero), x, rest...);
}

}  // namespace onnxc
