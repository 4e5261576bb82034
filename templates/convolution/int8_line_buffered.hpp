// int8_line_buffered.hpp - convolutions of 8-bit integers as layers of line_buffered.hpp.
//
// Nothing is copied with a border: outputs whose window is inside the image read it in place, those
// at the edges take zero points for the taps outside. Where words cannot be read in place (runs
// that end within a word, signed integers) the window of one output at a time is gathered.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv2d_int8_nhwc.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/convolution/depthwise_conv2d_int8_nhwc.hpp"
#include "templates/convolution/depthwise_conv2d_int8_taps_nhwc.hpp"
#include "templates/convolution/int8_pixel_pairs.hpp"
#include "templates/convolution/line_buffered.hpp"
#include "templates/matmul/int8_tile.hpp"

namespace onnxc {

// Bytes of a gathered window: rows of taps that begin with a word, and what is read past them.
template <class S>
constexpr Index gathered_row(const S& s) {
  return (s.k_w * s.in_c + 3) / 4 * 4;
}
template <class S>
constexpr Index gathered_size(const S& s) {
  return s.k_h * gathered_row(s) + 4;
}

// Copies bytes, as unsigned integers.
template <class X>
void copy_unsigned(const X* x, Index count, std::uint8_t* to) {
  if constexpr (std::is_signed_v<X>) {
    for (Index i = 0; i < count; ++i)
      to[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(x[i]) ^ 0x80u);
  } else {
    std::memcpy(to, x, static_cast<std::size_t>(count));
  }
}

// Copies one window, as unsigned integers, with zero points for the taps outside.
template <class S, class X>
[[gnu::noinline]] void gather_window(const S& s, const X* x, const WindowTaps& taps,
                                     std::uint8_t* to) {
  const Index row = s.dilation_h * s.in_w * s.in_c, step = s.dilation_w * s.in_c;
  const bool whole = taps.h.count == s.k_w && taps.v.count == s.k_h;
  if (!whole)
    std::memset(to, static_cast<int>(s.zero), static_cast<std::size_t>(s.k_h * gathered_row(s)));
  to += taps.v.first * gathered_row(s) + taps.h.first * s.in_c;
  Index from = taps.first + taps.v.first * row + taps.h.first * step;
  for (Index i = 0; i < taps.v.count; ++i, from += row, to += gathered_row(s)) {
    if (s.dilation_w == 1) {
      copy_unsigned(x + from, taps.h.count * s.in_c, to);
    } else {
      for (Index j = 0; j < taps.h.count; ++j)
        copy_unsigned(x + from + j * step, s.in_c, to + j * s.in_c);
    }
  }
}

// Row `i` of the taps of one window, in bytes of scratch memory that begin with a word.
template <class S, class X>
[[gnu::noinline]] void gather_taps_row(const S& s, const X* x, const WindowTaps& taps, Index i,
                                       std::uint8_t* to) {
  const bool inside = taps.v.first <= i && i < taps.v.first + taps.v.count;
  const Index count = inside ? taps.h.count : 0;
  if (count < s.k_w)
    std::memset(to, static_cast<int>(s.zero), static_cast<std::size_t>(gathered_row(s)));
  const Index row = s.dilation_h * s.in_w * s.in_c;
  if (count > 0)
    copy_unsigned(x + (taps.first + i * row + taps.h.first * s.in_c), count * s.in_c,
                  to + taps.h.first * s.in_c);
}

// Row `i` of the taps of two windows as half words; windows of whole words inside of the image are
// read in place.  scratch: a gathered row.
template <class S, class X>
[[gnu::always_inline]] inline void split_taps(const S& s, const X* x, const WindowTaps& first,
                                              const WindowTaps& second, Index i,
                                              std::uint8_t* scratch, std::uint32_t* to) {
  constexpr std::uint32_t flip = std::is_signed_v<X> ? 0x80808080u : 0u;
  constexpr Index words = known_run_words<S>();
  const bool whole = first.h.count == s.k_w && second.h.count == s.k_w && s.k_w * s.in_c % 4 == 0 &&
                     first.v.first <= i && i < first.v.first + first.v.count;
  if (whole) {
    const Index row = i * s.dilation_h * s.in_w * s.in_c;
    const auto* const from = reinterpret_cast<const std::uint8_t*>(x);
    split_row_pair<flip>(from + (first.first + row), from + (second.first + row), words, to);
  } else {
    gather_taps_row(s, x, first, i, scratch);
    split_row_of_pair(scratch, words, to);
    gather_taps_row(s, x, second, i, scratch);
    split_row_of_pair(scratch, words, to + 2);
  }
}

// Zero points that taps outside of the image read: a word, or more where runs are read at once.
template <int NR>
constexpr Index zero_points = NR == 1 ? 64 : 4;

// One output of which some taps are outside of the image: these read `zeros`, zero_points of them.
// words: of one tap, which t.x_step_h and t.x_step_w separate. place.x: of the image.
template <int NR, class Y, class Epilogue>
[[gnu::noinline]] void int8_edge_tile(const Int8Tile<Y>& t, const Int8Place<Y>& place,
                                      const WindowTaps& taps, Index taps_w, Index words,
                                      const std::uint8_t* zeros, const Epilogue& given) {
  // A copy, since the stores might alias a reference.
  const Epilogue epilogue = given;
  constexpr int n = tile_lanes<NR>, nv = tile_vectors<NR>;
  constexpr std::size_t vectors = nv;
  using W = onnxc::words<n>;
  for (int j0 = 0; j0 < NR && j0 < t.columns; j0 += n * nv) {
    W sums[1][vectors];
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) sums[0][j] = load_words<W>(t.start + j0 + n * j);
    const std::int8_t* w = t.w + j0 * 4;
    for (Index i = 0; i < t.taps_h; ++i) {
      for (Index j = 0; j < taps_w; ++j) {
        const bool inside = taps.inside(i, j);
        const std::uint8_t* from =
            inside ? place.x + (taps.first + i * t.x_step_h + j * t.x_step_w) : zeros;
#pragma GCC unroll 1
        for (Index k = 0; k < words; ++k, from += inside ? 4 : 0, w += NR * 4)
          add_word<NR>(sums, from, 0, w);
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) {
      const Index column = j0 + n * j;
      if (t.columns <= column) break;
      finish_sums<vec<n>>(sums[0][j], t.columns - column, place.y + column, place.at + column,
                          t.channel + column, epilogue);
    }
  }
}

// The same with panels of one column.
template <class Y, class Epilogue>
[[gnu::noinline]] void int8_edge_columns(const Int8Tile<Y>& t, const Int8Place<Y>& place,
                                         const WindowTaps& taps, Index taps_w, Index words,
                                         const std::uint8_t* zeros, Index panel_size,
                                         const Epilogue& given) {
  const Epilogue epilogue = given;
  SingleColumns sums = start_columns(t, panel_size);
  const std::int8_t* w = t.w;
  for (Index i = 0; i < t.taps_h; ++i) {
    for (Index j = 0; j < taps_w; ++j) {
      const bool inside = taps.inside(i, j);
      const std::uint8_t* from =
          inside ? place.x + (taps.first + i * t.x_step_h + j * t.x_step_w) : zeros;
      const Index most = inside ? 4 * words : zero_points<1>;
      for (Index left = 4 * words, count; left > 0; left -= count, w += count) {
        count = left < most ? left : most;
        add_row_products(sums.sums, from, w, sums.row, count);
      }
    }
  }
  finish_columns(t, place, sums, epilogue);
}

// Block i of a row of outputs, without what it reads.
template <int NR, class S, class Y>
[[gnu::always_inline]] inline Int8Tile<Y> int8_row_panel(const S& s, const Int8Convolution<Y>& c,
                                                         Index i) {
  constexpr Index width = int8_width<NR>;
  const Index out_group = s.out_c / s.group, blocks = (out_group + width - 1) / width,
              j = i % blocks * width;
  Int8Tile<Y> t{};
  t.channel = i / blocks * out_group + j;
  const Index panel = NR == 1 ? t.channel : i;
  t.taps_h = s.k_h;
  t.taps_w = row_runs(s);
  t.words = run_words(s);
  t.w = c.w + panel * int8_panel_size<NR>(s);
  t.start = c.start + panel * NR;
  t.ldy = t.ld_epilogue = s.out_c;
  t.columns = out_group % width == 0 || out_group - j > width ? width : out_group - j;
  return t;
}

// The channel of x that the group of a block begins with.
template <int NR, class S>
Index group_begin(const S& s, Index block) {
  return block / (int8_blocks<NR>(s) / s.group) * (s.in_c / s.group);
}

// A row of outputs that all read gathered windows.
template <int NR, class S, class X, class Y, class Epilogue>
[[gnu::noinline]] void gathered_int8_row(const S& s, const X* x, Index oh,
                                         const Int8Convolution<Y>& c, std::uint8_t* scratch,
                                         const Epilogue& given) {
  const Epilogue epilogue = given;
  Index ow = 0;
  if constexpr (has_pixel_pairs<NR, S>()) {
    for (; ow + 2 <= s.out_w; ow += 2) {
      const WindowTaps first = window_taps(s, oh, ow), second = window_taps(s, oh, ow + 1);
      int8_pixel_pair(int8_pairs_of<NR>(s, c), ow, epilogue, [&](Index row, std::uint32_t* to) {
        split_taps(s, x, first, second, row, scratch, to);
      });
    }
  }
  for (; ow < s.out_w; ++ow) {
    gather_window(s, x, window_taps(s, oh, ow), scratch);
    for (Index i = 0; i < int8_blocks<NR>(s); ++i) {
      Int8Tile<Y> t = int8_row_panel<NR>(s, c, i);
      t.x_step_h = gathered_row(s);
      t.x_step_w = s.in_c;
      if (merges_taps(s)) {
        // Its rows are one run, too.
        t.words *= t.taps_h;
        t.taps_h = 1;
      }
      const Index out = ow * s.out_c + t.channel;
      int8_rows<1, NR>(t, Int8Place<Y>{scratch + group_begin<NR>(s, i), c.y + out, c.at + out}, 1,
                       int8_panel_size<NR>(s), epilogue);
    }
  }
}

// Outputs `inner` of a row, which have all their taps in the image x.
template <int NR, class S, class Y, class Epilogue>
[[gnu::noinline]] void inner_int8_row(const S& s, const std::uint8_t* x, Index oh, Span inner,
                                      const Int8Convolution<Y>& c, const Epilogue& given) {
  const Epilogue epilogue = given;
  constexpr int rows = even_int8_rows<NR>(fixed_interior_width<S>());
  const std::uint8_t* from = x + window_taps(s, oh, inner.begin).first;
  if constexpr (has_pixel_pairs<NR, S>()) {
    inner.begin += int8_pixel_pairs(int8_pairs_of<NR>(s, c), from, s.in_w, inner.begin,
                                    inner.size(), epilogue);
    if (inner.size() == 0) return;
    from = x + window_taps(s, oh, inner.begin).first;
  }
  for (Index i = 0; i < int8_blocks<NR>(s); ++i) {
    Int8Tile<Y> t = int8_row_panel<NR>(s, c, i);
    t.x_step_h = s.dilation_h * s.in_w * s.in_c;
    t.x_step_w = s.dilation_w * s.in_c;
    t.ldx = s.stride_w * s.in_c;
    const Index out = inner.begin * s.out_c + t.channel;
    const Int8Place<Y> first = {from + group_begin<NR>(s, i), c.y + out, c.at + out};
    // A constant where nothing is done yet.
    const bool all = is_known_pointwise<S> && !has_pixel_pairs<NR, S>();
    const Index outputs = all ? s.out_w : inner.size();
    const Index done = conv_int8_quads<NR, S, false>(t, first, outputs, epilogue);
    int8_rows<rows, NR, -1, fixed_single_run<NR, S>()>(
        t, place_of_row(t, first, done), outputs - done, int8_panel_size<NR>(s), epilogue);
  }
}

// The other outputs of the row.
template <int NR, class S, class Y, class Epilogue>
[[gnu::noinline]] void outer_int8_row(const S& s, const std::uint8_t* x, Index oh, Span inner,
                                      const Int8Convolution<Y>& c, const Epilogue& epilogue) {
  std::uint8_t zeros[zero_points<NR>];
  std::memset(zeros, static_cast<int>(s.zero), sizeof zeros);
  const Index words = s.in_c / s.group / 4;
  for (Index ow = 0; ow < s.out_w; ++ow) {
    if (inner.contains(ow)) ow = inner.end;
    if (ow == s.out_w) break;
    const WindowTaps taps = window_taps(s, oh, ow);
    for (Index i = 0; i < int8_blocks<NR>(s); ++i) {
      Int8Tile<Y> t = int8_row_panel<NR>(s, c, i);
      t.x_step_h = s.dilation_h * s.in_w * s.in_c;
      t.x_step_w = s.dilation_w * s.in_c;
      const Index out = ow * s.out_c + t.channel;
      const Int8Place<Y> place = {x + group_begin<NR>(s, i), c.y + out, c.at + out};
      if constexpr (NR == 1) {
        int8_edge_columns(t, place, taps, s.k_w, words, zeros, int8_panel_size<NR>(s), epilogue);
      } else {
        int8_edge_tile<NR>(t, place, taps, s.k_w, words, zeros, epilogue);
      }
    }
  }
}

// A row of outputs of which two windows are gathered at a time.
template <int NR, class S, class X, class Y, class Epilogue>
[[gnu::noinline]] void paired_int8_row(const S& s, const X* x, Index oh,
                                       const Int8Convolution<Y>& c, const Epilogue& given) {
  const Epilogue epilogue = given;
  constexpr std::size_t size = paired_windows<NR, S>();
  // A window is copied with what is read past it.
  alignas(4) std::uint8_t windows[2 * size + 4];
  for (Index ow = 0; ow < s.out_w; ow += 2) {
    const Index count = s.out_w - ow < 2 ? s.out_w - ow : 2;
    for (Index i = 0; i < count; ++i)
      gather_window(s, x, window_taps(s, oh, ow + i), windows + i * Index{size});
    conv_int8_windows<NR>(s, windows, count, c, ow * s.out_c, {0, int8_blocks<NR>(s)}, epilogue);
  }
}

// Outputs of row oh whose whole window is inside the image.
template <class S>
constexpr Span whole_windows(const S& s, Index oh) {
  return interior(vertical_axis(s)).contains(oh) ? interior(horizontal_axis(s)) : Span{0, 0};
}

// Row oh of outputs of the image x.
template <int NR, class S, class X, class Y, class Epilogue>
void conv_int8_row(const S& s, const X* x, Index oh, const Int8Convolution<Y>& c,
                   std::uint8_t* scratch, const Epilogue& epilogue) {
  // Windows of short rows take as long to gather as to multiply.
  constexpr Index kShortRow = 16;
  if constexpr (paired_windows<NR, S>() >= kShortRow * fixed_extent(&S::k_h) &&
                fixed_extent(&S::k_h) > 0) {
    paired_int8_row<NR>(s, x, oh, c, epilogue);
    return;
  }
  if constexpr (!std::is_signed_v<X>) {
    if (!s.copies) {
      const Span inner = whole_windows(s, oh);
      if (inner.size() > 0) inner_int8_row<NR>(s, x, oh, inner, c, epilogue);
      if (inner.size() < s.out_w) outer_int8_row<NR>(s, x, oh, inner, c, epilogue);
      return;
    }
  }
  gathered_int8_row<NR>(s, x, oh, c, scratch, epilogue);
}

// Everything as for conv2d_int8_nhwc, without residual words. s.copies: whether windows are
// gathered, as they are of signed integers and of groups whose channels do not fill words. scratch:
// gathered_size if `copies`, else null.
template <int NR, class S, class X, class Y, class Epilogue>
struct LineBufferedConvInt8 : ConvLayer<S, X, Y> {
  const std::int8_t* w;
  const std::int32_t* start;
  std::uint8_t* scratch;
  Epilogue epilogue;
  void make(const RowOfImage& r, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    const Int8Convolution<Y> c = {w, start, nullptr, to, output_pixels(s, r) * s.out_c};
    // Without code for edges.
    if constexpr (is_known_pointwise<S> && !std::is_signed_v<X>) {
      if (!s.copies) return inner_int8_row<NR>(s, from, 0, {0, s.out_w}, c, epilogue);
    }
    conv_int8_row<NR>(OneRow<S>(s, r), from, 0, c, scratch, epilogue);
  }
};
template <int NR, class S, class X, class Y, class Epilogue = NoEpilogue>
LineBufferedConvInt8<NR, S, X, Y, Epilogue> conv2d_int8_nhwc_line_buffered(
    S s, X* x, const std::int8_t* w, const std::int32_t* start, const std::int32_t*, Y* y,
    std::uint8_t* scratch, Epilogue epilogue = {}) {
  return {{{s, x, y}}, w, start, scratch, epilogue};
}

// The rows of taps that share a word: those of them that are inside the image, and zero points in
// the bytes of the others.
struct WordRows {
  Index first, count;
  std::uint32_t others;
};

constexpr WordRows word_rows(const TapRange& v, Index top, std::uint32_t zero) {
  const Index first = v.first > top ? v.first - top : 0,
              end = v.first + v.count < top + 4 ? v.first + v.count - top : 4;
  std::uint32_t others = 0;
  for (Index i = 0; i < 4; ++i)
    if (i < first || i >= end) others |= zero << (8 * i);
  return {first, end > first ? end - first : 0, others};
}

// Adds the products of a window at an edge, or of signed integers, to the sums of n channels, whose
// first one is that of x, the image, and of w. flip: makes unsigned bytes of signed ones.
template <int n, class S>
[[gnu::always_inline]] inline void add_edge_words(const S& s, words<n>& sums, const std::uint8_t* x,
                                                  std::uint32_t flip, const WindowTaps& taps,
                                                  const std::int8_t* weights) {
  using W = words<n>;
  const auto zero = static_cast<std::uint32_t>(s.zero) ^ (flip & 0xffu);
  const Index row = s.dilation_h * s.in_w * s.in_c, step = s.dilation_w * s.in_c;
  for (Index word = 0; word < s.sets * tap_words(s); ++word) {
    const Index top = 4 * (word % tap_words(s));
    const WordRows rows = word_rows(taps.v, top, zero);
    const std::int8_t* w = weights + word * s.k_w * s.in_c * 4;
    for (Index q = 0; q < s.k_w; ++q) {
      W column = W{} + zero * 0x01010101u;
      if (taps.h.first <= q && q < taps.h.first + taps.h.count) {
        const Index at = taps.first + (top + rows.first) * row + q * step;
        column = W{} + rows.others;
        if (rows.count > 0) column |= join_rows<W>(x + at, row, rows.count) << (8 * rows.first);
      } else if (zero == 0 && flip == 0) {
        continue;
      }
      sums = dot_int8(sums, static_cast<W>(column ^ flip), load_words<W>(w + q * s.in_c * 4));
    }
  }
}

// The same where products of bytes are as fast one after the other.
template <int n, class S>
[[gnu::always_inline]] inline void add_edge_bytes(const S& s, words<n>& sums, const std::uint8_t* x,
                                                  std::uint32_t flip, const WindowTaps& taps,
                                                  const std::int8_t* weights) {
  const Index row = s.dilation_h * s.in_w * s.in_c, step = s.dilation_w * s.in_c;
  for (Index set = 0; set < s.sets; ++set) {
    const std::int8_t* w = weights + set * depthwise_set_size(s);
    const auto weight = [&](Index h, Index q) {
      const Index word = s.k_h <= 4 ? 0 : h / 4;
      return signed_bytes<words<n>>(w + (word * s.k_w + q) * s.in_c * 4, h - 4 * word);
    };
    for (Index i = 0; i < taps.v.count; ++i) {
      const Index h = taps.v.first + i, at = taps.first + h * row + taps.h.first * step;
      for (Index j = 0; j < taps.h.count; ++j)
        sums += weight(h, taps.h.first + j) * (widen<n>(x + at + j * step) ^ (flip & 0xffu));
    }
    if (s.zero == 0) continue;
    for (Index h = 0; h < s.k_h; ++h)
      for (Index q = 0; q < s.k_w; ++q)
        if (!taps.inside(h, q)) sums += weight(h, q) * static_cast<std::uint32_t>(s.zero);
  }
}

// Channels from c on of an output at an edge, or of signed integers, in one vector V.
template <class V, class S, class X, class Y, class Epilogue>
[[gnu::always_inline]] inline void depthwise_edge_channels(const S& s, const X* x,
                                                           const WindowTaps& taps,
                                                           const DepthwiseInt8Tile<Y>& t, Index c,
                                                           const Epilogue& epilogue) {
  constexpr int n = lanes<V>;
  constexpr std::uint32_t flip = std::is_signed_v<X> ? 0x80808080u : 0u;
  const auto* const from = reinterpret_cast<const std::uint8_t*>(x) + c;
  auto sums = load_words<words<n>>(t.start + c);
  if constexpr (kPlainDepthwise<n>)
    add_edge_bytes<n>(s, sums, from, flip, taps, t.w + c * 4);
  else
    add_edge_words<n>(s, sums, from, flip, taps, t.w + c * 4);
  finish_sums<V>(sums, n, t.y + c, t.at + c, c, epilogue);
}

template <class S, class X, class Y, class Epilogue>
[[gnu::noinline]] void depthwise_edge_tile(const S& s, const X* x, const WindowTaps& given_taps,
                                           const DepthwiseInt8Tile<Y>& given_tile,
                                           const Epilogue& given) {
  // Copies, since the stores might alias references.
  const WindowTaps taps = given_taps;
  const DepthwiseInt8Tile<Y> t = given_tile;
  const Epilogue epilogue = given;
  Index c = 0;
  for (; c + kLanes <= s.in_c; c += kLanes)
    depthwise_edge_channels<vfloat>(s, x, taps, t, c, epilogue);
  if constexpr (kLanes > 1) {
    for (Index u = 0; u < kLanes - 1 && c < s.in_c; ++u, ++c)
      depthwise_edge_channels<float>(s, x, taps, t, c, epilogue);
  }
}

// The outputs of a row whose windows are inside the image x, as tiles of which the last one ends
// where they end. first: of output 0.
template <int TW, class S, class Y, class Epilogue>
[[gnu::noinline]] void depthwise_inner_row(const S& s, const std::uint8_t* x, Index oh, Span inner,
                                           const DepthwiseInt8Tile<Y>& given_tile,
                                           const Epilogue& given) {
  constexpr Index k = fixed_extent(&S::k_w), stride = fixed_extent(&S::stride_w);
  constexpr bool unrolls =
      fixed_extent(&S::dilation_w) == 1 && k > 0 && k <= 7 && stride > 0 && stride <= 2;
  constexpr int KW = unrolls ? static_cast<int>(k) : 0, SW = unrolls ? static_cast<int>(stride) : 0;
  const DepthwiseInt8Tile<Y> first = given_tile;
  const Epilogue epilogue = given;
  const std::uint8_t* const from = x + window_taps(s, oh, inner.begin).first;
  for (Index i = 0; i < inner.size(); i += TW) {
    const Index at = i + TW <= inner.size() ? i : inner.size() - TW,
                out = (inner.begin + at) * s.in_c;
    const DepthwiseInt8Tile<Y> t = {from + at * s.stride_w * s.in_c, first.w, first.start,
                                    first.y + out, first.at + out};
    depthwise_int8_tile<TW, KW, SW>(s, t, s.in_w, epilogue);
  }
}

// Outputs side by side in the interior of a row.
template <class S>
constexpr int depthwise_inner_outputs() {
  constexpr Index inner = fixed_interior_width<S>();
  constexpr int most = kPlainDepthwise<kLanes> ? 4 : depthwise_int8_outputs<S>();
  return inner > 0 && inner < most ? static_cast<int>(inner) : most;
}

template <class S, class X, class Y, class Epilogue>
void depthwise_int8_row_of_image(const S& s, const X* x, Index oh,
                                 const DepthwiseInt8Tile<Y>& first, const Epilogue& epilogue) {
  Span inner = {0, 0};
  if constexpr (!std::is_signed_v<X>) {
    constexpr int TW = depthwise_inner_outputs<S>();
    inner = whole_windows(s, oh);
    if (inner.size() >= TW)
      depthwise_inner_row<TW>(s, x, oh, inner, first, epilogue);
    else
      inner = {0, 0};
  }
  for (Index ow = 0; ow < s.out_w; ++ow) {
    if (inner.contains(ow)) ow = inner.end;
    if (ow == s.out_w) break;
    const Index at = ow * s.in_c;
    depthwise_edge_tile(
        s, x, window_taps(s, oh, ow),
        DepthwiseInt8Tile<Y>{nullptr, first.w, first.start, first.y + at, first.at + at}, epilogue);
  }
}

// Everything as for depthwise_conv2d_int8_nhwc; scratch is not used.
template <class S, class X, class Y, class Epilogue>
struct LineBufferedDepthwiseInt8 : ConvLayer<S, X, Y> {
  const std::int8_t* w;
  const std::int32_t* start;
  Epilogue epilogue;
  void make(const RowOfImage& r, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    depthwise_int8_row_of_image(
        OneRow<S>(s, r), from, 0,
        DepthwiseInt8Tile<Y>{nullptr, w, start, to, output_pixels(s, r) * s.in_c}, epilogue);
  }
};
template <class S, class X, class Y, class Epilogue = NoEpilogue>
LineBufferedDepthwiseInt8<S, X, Y, Epilogue> depthwise_conv2d_int8_nhwc_line_buffered(
    S s, X* x, const std::int8_t* w, const std::int32_t* start, Y* y, std::uint8_t*,
    Epilogue epilogue = {}) {
  return {{{s, x, y}}, w, start, epilogue};
}

// Everything as for depthwise_conv2d_int8_taps_nhwc.
template <class S, class X, class Y, class Epilogue>
struct LineBufferedDepthwiseTapsInt8 : ConvLayer<S, X, Y> {
  const std::int8_t* w;
  const std::int32_t* start;
  Epilogue epilogue;
  void make(const RowOfImage& r, const std::remove_const_t<X>* from, Y* to) const {
    const S& s = *this;
    depthwise_taps_row(OneRow<S>(s, r), from, 0,
                       DepthwiseTaps<Y>{w, start, to, output_pixels(s, r) * s.in_c}, epilogue);
  }
};
template <class S, class X, class Y, class Epilogue = NoEpilogue>
LineBufferedDepthwiseTapsInt8<S, X, Y, Epilogue> depthwise_conv2d_int8_taps_nhwc_line_buffered(
    S s, X* x, const std::int8_t* w, const std::int32_t* start, Y* y, std::uint8_t*,
    Epilogue epilogue = {}) {
  return {{{s, x, y}}, w, start, epilogue};
}

}  // namespace onnxc
