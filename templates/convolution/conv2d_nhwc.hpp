// conv2d_nhwc.hpp - convolution of channels-last images with weights packed at compile time of the
// model.
//
// The input is read in place. Outputs whose window is inside the image share tiles along image
// rows; those at the left and right edges along image columns, where the same taps are cut off; so
// nothing is padded or copied. Tile sizes MR and NR: see gemm.hpp, with NR chosen for out_c /
// group.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_geometry.hpp"
#include "templates/convolution/grouped_pointwise.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// Floats of the packed form [group][ceil(out_c / group / NR)][k_h][k_w][in_c / group][NR].
template <int NR>
constexpr Index packed_conv2d_size(Index out_c, Index in_c, Index k_h, Index k_w, Index group) {
  const Index panels = (out_c / group + NR - 1) / NR;
  return group * panels * k_h * k_w * (in_c / group) * NR;
}

// w: [out_c, in_c / group, k_h, k_w] as ONNX has it.
template <int NR>
void pack_conv2d(const float* w, Index out_c, Index in_c, Index k_h, Index k_w, Index group,
                 float* packed) {
  const Index in_group = in_c / group;
  const Index out_group = out_c / group;
  const Index taps = k_h * k_w;
  for (Index g = 0; g < group; ++g) {
    for (Index o = 0; o < out_group; o += NR) {
      for (Index t = 0; t < taps; ++t) {
        for (Index c = 0; c < in_group; ++c) {
          for (Index j = o; j < o + NR; ++j) {
            *packed++ = j < out_group ? w[((g * out_group + j) * in_group + c) * taps + t] : 0.0f;
          }
        }
      }
    }
  }
}

// One image, group and panel of output channels.
struct ConvPanel {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
  Index at, channel, columns;  // of the panel's first output
  // The tiles fetch the next panel while they work on this one: what is left of it, and how much
  // each step of a tile asks for.
  const float* prefetch_weights;
  Index prefetch_left;
  Index prefetch_step;
};

// Where the rows of a tile are: distance of neighbours and of the two halves, in the input, in the
// output and in what the epilogue counts.
struct TileSteps {
  Index x, y, at, x_half, y_half, at_half;
};

template <class S>
TileSteps steps_along_row(const S& s, int rows) {
  const Index half = (rows + 1) / 2;
  const Index x = s.stride_w * s.ldx;
  return {x, s.ldy, s.ld_epilogue, half * x, half * s.ldy, half * s.ld_epilogue};
}

template <class S>
TileSteps steps_along_column(const S& s, int rows) {
  const Index half = (rows + 1) / 2;
  const Index x = s.stride_h * s.in_w * s.ldx;
  const Index y = s.out_w * s.ldy;
  const Index at = s.out_w * s.ld_epilogue;
  return {x, y, at, half * x, half * y, half * at};
}

// The two halves are neighbouring image rows.
template <class S>
TileSteps steps_over_pair(const S& s) {
  return {s.stride_w * s.ldx,          s.ldy,           s.ld_epilogue,
          s.stride_h * s.in_w * s.ldx, s.out_w * s.ldy, s.out_w * s.ld_epilogue};
}

// The tile whose first output is (oh, ow); all its outputs have the same taps inside the image.
// Heights: all that the convolution has.
template <int MR, int NR, class Heights, class S, class Epilogue>
[[gnu::noinline]] void conv_tile(const S& s, ConvPanel& p, int rows, const TileSteps& steps,
                                 Index oh, Index ow, const Epilogue& epilogue) {
  const TapRange v = tap_range(vertical_axis(s), oh);
  const TapRange h = tap_range(horizontal_axis(s), ow);
  const Index in_group = s.in_c / s.group;
  const Index row = oh * s.stride_h - s.pad_top + v.first * s.dilation_h;
  const Index column = ow * s.stride_w - s.pad_left + h.first * s.dilation_w;
  const bool empty = v.count == 0 || h.count == 0;
  // Neighbouring taps of all channels are one run.
  const bool merged = s.group == 1 && s.dilation_w == 1 && s.ldx == s.in_c;
  const Index pixel = oh * s.out_w + ow;
  TileOperands t;
  t.x[0] = empty ? p.x : p.x + (row * s.in_w + column) * s.ldx;
  t.x[1] = t.x[0] + steps.x_half;
  t.ldx = steps.x;
  t.taps_h = empty ? 0 : v.count;
  t.taps_w = merged ? 1 : h.count;
  t.run = merged ? h.count * in_group : in_group;
  t.x_step_h = s.dilation_h * s.in_w * s.ldx;
  t.x_step_w = s.dilation_w * s.ldx;
  t.runs = nullptr;
  t.w = p.w + (v.first * s.k_w + h.first) * in_group * NR;
  t.w_step_h = s.k_w * in_group * NR;
  t.bias = p.bias;
  t.accumulate = false;
  t.y[0] = p.y + pixel * s.ldy;
  t.y[1] = t.y[0] + steps.y_half;
  t.ldy = steps.y;
  t.prefetch_output = t.run >= kPrefetchDepth && s.out_h * s.out_w * s.ldy >= kPrefetchFloats;
  t.columns = p.columns;
  t.finish = true;
  t.at[0] = p.at + pixel * s.ld_epilogue;
  t.at[1] = t.at[0] + steps.at_half;
  t.ld_epilogue = steps.at;
  t.channel = p.channel;
  t.prefetch_weights = p.prefetch_weights;
  t.prefetch_step = p.prefetch_left > 0 ? p.prefetch_step : 0;
  const Index fetched = t.taps_h * t.taps_w * t.run * t.prefetch_step;
  p.prefetch_weights += fetched;
  p.prefetch_left -= fetched;
  run_tile<MR, NR, fixed_group_channels<S>()>(Heights{}, rows, t, epilogue);
}

// How the interior is covered: along rows, pairs of narrow rows together, or along columns. Pairs
// need tiles of any height.
enum class ConvOrder { rows, pairs, columns };

constexpr ConvOrder conv_order(Index height, Index width, int most, bool any_height = true) {
  const bool pairs = any_height && 2 * width <= most;
  const Index row_tiles = pairs ? (height + 1) / 2 : height * ((width + most - 1) / most);
  const Index column_tiles = width * ((height + most - 1) / most);
  return column_tiles < row_tiles ? ConvOrder::columns : pairs ? ConvOrder::pairs : ConvOrder::rows;
}

// Tiles along image rows.
template <int MR, int NR, class S>
struct ConvRowTiles {
  static constexpr int most = tile_rows<MR, NR>;
  Span columns;
  RowTiles<MR, NR, fixed_interior_width<S>()> along_row;

  explicit ConvRowTiles(const S& s)
      : columns(interior(horizontal_axis(s))), along_row(columns.size()) {}
};

// The heights of the tiles of whole rows: of their interior and, for the pixels at their ends, 1.
template <int MR, int NR, class S>
constexpr auto edge_row_heights() {
  constexpr Index width = fixed_interior_width<S>();
  constexpr auto inside = heights_of<width, tile_rows<MR, NR>>();
  if constexpr (width == fixed_extent(&S::out_w) || width < 0) {
    return inside;
  } else {
    return joined_heights(inside, TileHeights<1>{});
  }
}

// The heights of all tiles; the constants leave only those that the shape uses.
template <int MR, int NR, class S>
constexpr auto conv_heights() {
  constexpr int most = tile_rows<MR, NR>;
  constexpr Index width = fixed_interior_width<S>(), height = fixed_interior_height<S>();
  constexpr bool edge_rows = height != fixed_extent(&S::out_h);
  constexpr bool edge_columns = width != fixed_extent(&S::out_w);
  if constexpr (width < 0 || height < 0) {
    constexpr auto open = heights_of<-1, most>();
    constexpr Index fixed = width < 0 ? height : width;
    // The tiles along the fixed extent need not have one of the few heights of an open one.
    if constexpr (fixed > 0 && kLittleCode) {
      return joined_heights(open, heights_of<fixed, most>());
    } else {
      return open;
    }
  } else {
    constexpr ConvOrder order = conv_order(height, width, most);
    constexpr bool single_row = order == ConvOrder::pairs && height % 2 != 0;
    constexpr bool has_rows = order == ConvOrder::rows || single_row || edge_rows;
    constexpr bool has_columns = order == ConvOrder::columns || edge_columns;
    constexpr Index along_rows = has_rows ? width : 0, ends = edge_rows && edge_columns ? 1 : 0;
    constexpr Index along_columns = has_columns ? height : 0;
    constexpr Index over_pairs = order == ConvOrder::pairs ? 2 * width : 0;
    constexpr auto rows = joined_heights(heights_of<along_rows, most>(), heights_of<ends, most>());
    constexpr auto columns = heights_of<along_columns, most>();
    constexpr auto pairs = heights_of<over_pairs, most>();
    return joined_heights(joined_heights(rows, columns), pairs);
  }
}

// Tiles of one convolution.
template <int MR, int NR, class S>
struct ConvTiles : ConvRowTiles<MR, NR, S> {
  using Base = ConvRowTiles<MR, NR, S>;
  using Heights = decltype(conv_heights<MR, NR, S>());
  using Base::along_row;
  using Base::columns;
  using Base::most;
  static constexpr bool few_heights =
      kLittleCode && (fixed_interior_width<S>() < 0 || fixed_interior_height<S>() < 0);
  Span rows;
  ConvOrder order;
  RowTiles<MR, NR, fixed_interior_height<S>()> along_column;

  // Of the interior: image rows, pairs of them, or image columns.
  Index inner_units() const {
    return order == ConvOrder::columns ? columns.size()
           : order == ConvOrder::pairs ? (rows.size() + 1) / 2
                                       : rows.size();
  }

  Index inner_tiles() const {
    return inner_units() * (order == ConvOrder::columns ? along_column.split.tiles
                            : order == ConvOrder::pairs ? 1
                                                        : along_row.split.tiles);
  }

  explicit ConvTiles(const S& s)
      : Base(s),
        rows(interior(vertical_axis(s))),
        order(conv_order(rows.size(), columns.size(), most, !few_heights)),
        along_column(rows.size()) {}
};

template <class Heights, int MR, int NR, class S, class Epilogue>
void conv_row(const S& s, ConvPanel& p, const ConvRowTiles<MR, NR, S>& t, Index oh,
              const Epilogue& epilogue) {
  Index ow = t.columns.begin;
  for (Index i = 0; i < t.along_row.split.tiles; ++i) {
    const int rows = t.along_row.rows(i);
    conv_tile<MR, NR, Heights>(s, p, rows, steps_along_row(s, rows), oh, ow, epilogue);
    ow += rows;
  }
}

template <int MR, int NR, class S, class Epilogue>
void conv_column(const S& s, ConvPanel& p, const ConvTiles<MR, NR, S>& t, Index ow,
                 const Epilogue& epilogue) {
  Index oh = t.rows.begin;
  for (Index i = 0; i < t.along_column.split.tiles; ++i) {
    const int rows = t.along_column.rows(i);
    conv_tile<MR, NR, typename ConvTiles<MR, NR, S>::Heights>(
        s, p, rows, steps_along_column(s, rows), oh, ow, epilogue);
    oh += rows;
  }
}

// The work on one panel in units of about a row: first those of the interior, as its order says;
// then the image rows above and below it, and the columns at its sides.
template <int MR, int NR, class S>
Index conv_units(const S& s, const ConvTiles<MR, NR, S>& t) {
  return t.inner_units() + (s.out_h - t.rows.size()) + (s.out_w - t.columns.size());
}

template <int MR, int NR, class S, class Epilogue>
void conv_inner_unit(const S& s, ConvPanel& p, const ConvTiles<MR, NR, S>& t, Index unit,
                     const Epilogue& epilogue) {
  using Heights = typename ConvTiles<MR, NR, S>::Heights;
  if (t.order == ConvOrder::columns) return conv_column(s, p, t, t.columns.begin + unit, epilogue);
  if (t.order == ConvOrder::rows) return conv_row<Heights>(s, p, t, t.rows.begin + unit, epilogue);
  const Index oh = t.rows.begin + 2 * unit;
  if (oh + 1 == t.rows.end) return conv_row<Heights>(s, p, t, oh, epilogue);
  const int rows = static_cast<int>(2 * t.columns.size());
  conv_tile<MR, NR, Heights>(s, p, rows, steps_over_pair(s), oh, t.columns.begin, epilogue);
}

// A whole image row, perhaps outside the interior: its middle has the same taps, the pixels at its
// ends have their own.
template <class Heights, int MR, int NR, class S, class Epilogue>
void conv_edge_row(const S& s, ConvPanel& p, const ConvRowTiles<MR, NR, S>& t, Index oh,
                   const Epilogue& epilogue) {
  conv_row<Heights>(s, p, t, oh, epilogue);
  for (Index ow = 0; ow < s.out_w; ++ow) {
    if (t.columns.contains(ow)) continue;
    conv_tile<MR, NR, Heights>(s, p, 1, steps_along_row(s, 1), oh, ow, epilogue);
  }
}

// The i-th index that is not in `inside`.
constexpr Index nth_outside(const Span& inside, Index i) {
  return i < inside.begin ? i : i + inside.size();
}

template <int MR, int NR, class S, class Epilogue>
void conv_unit(const S& s, ConvPanel& p, const ConvTiles<MR, NR, S>& t, Index unit,
               const Epilogue& epilogue) {
  const Index inner = t.inner_units(), edge_rows = s.out_h - t.rows.size();
  if (unit < inner) return conv_inner_unit(s, p, t, unit, epilogue);
  if (unit < inner + edge_rows)
    return conv_edge_row<typename ConvTiles<MR, NR, S>::Heights>(
        s, p, t, nth_outside(t.rows, unit - inner), epilogue);
  conv_column(s, p, t, nth_outside(t.columns, unit - inner - edge_rows), epilogue);
}

// The tensors of one image, whose first pixel has index `pixel` in the batch.
struct ConvImage {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
  Index pixel;
};

// Panel i of all groups.
template <int NR, class S>
ConvPanel conv_panel(const S& s, const ConvImage& image, Index i) {
  const Index in_group = s.in_c / s.group, out_group = s.out_c / s.group;
  const Index panels = (out_group + NR - 1) / NR;
  const Index size = s.k_h * s.k_w * in_group * NR;
  const Index g = i / panels, j = i % panels * NR;
  const Index channel = g * out_group + j;
  ConvPanel p;
  p.x = image.x + g * in_group;
  p.w = image.w + i * size;
  p.bias = image.bias != nullptr ? image.bias + channel : nullptr;
  p.y = image.y + image.pixel * s.ldy + channel;
  p.at = image.pixel * s.ld_epilogue + channel;
  p.channel = channel;
  p.columns = out_group - j < NR ? out_group - j : NR;
  p.prefetch_weights = p.w + size;
  p.prefetch_left = size;
  return p;
}

// How many panels all pixels pass by before the next ones: what the second-level cache holds in
// addition to the pixels.
constexpr Index kConvBlockPanels = 8;

constexpr Index conv_block(Index panel_size) {
  const auto fitting = panel_size > 0 ? static_cast<Index>(kBlockFloats / panel_size) : Index{1};
  return fitting < 1 ? 1 : fitting < kConvBlockPanels ? fitting : kConvBlockPanels;
}

// The panels of one image, a block of them at a time.
template <int MR, int NR, class S, class Epilogue>
void conv_image(const S& s, const ConvImage& image, const ConvTiles<MR, NR, S>& tiles, Span units,
                Span panels, const Epilogue& epilogue) {
  const Index inner_tiles = tiles.inner_tiles();
  const Index block = conv_block(s.k_h * s.k_w * (s.in_c / s.group) * NR);
  for (Index i = panels.begin; i < panels.end; i += block) {
    const Index count = panels.end - i < block ? panels.end - i : block;
    if constexpr (kLittleCode) {
      // Panels take more stack than it costs to compute where they are.
      for (Index unit = units.begin; unit < units.end; ++unit) {
        for (Index j = 0; j < count; ++j) {
          ConvPanel p = conv_panel<NR>(s, image, i + j);
          conv_unit(s, p, tiles, unit, epilogue);
        }
      }
      continue;
    }
    ConvPanel p[kConvBlockPanels];
    for (Index j = 0; j < count; ++j) {
      p[j] = conv_panel<NR>(s, image, i + j);
      p[j].prefetch_step = block > 1                             ? 0
                           : inner_tiles > 0 && inner_tiles < NR ? NR / inner_tiles
                                                                 : 1;
    }
    for (Index unit = units.begin; unit < units.end; ++unit) {
      for (Index j = 0; j < count; ++j) conv_unit(s, p[j], tiles, unit, epilogue);
    }
  }
}

// Panels are numbered through the groups, units through the images.
template <int MR, int NR, class S, class Epilogue>
void conv_panels(const S& s, const float* x, const float* w, const float* bias, float* y,
                 const Epilogue& epilogue) {
  const ConvTiles<MR, NR, S> tiles(s);
  const Index panels = (s.out_c / s.group + NR - 1) / NR, units = conv_units(s, tiles);
  const auto [own_units, own_panels] =
      chunk_grid(chunk_of(s), s.batch * units, s.out_w, s.group * panels, NR);
  for (Index n = 0; n < s.batch; ++n) {
    const Span of_image = rows_of_image(own_units, n, units);
    if (of_image.size() <= 0) continue;
    const ConvImage image = {x + n * s.in_h * s.in_w * s.ldx, w, bias, y, n * s.out_h * s.out_w};
    conv_image(s, image, tiles, of_image, own_panels, epilogue);
  }
}

// Every output reads one pixel, in order: a matrix product of all pixels, for each group.
template <class S>
constexpr bool is_pointwise(const S& s) {
  return s.k_h == 1 && s.k_w == 1 && s.stride_h == 1 && s.stride_w == 1 && s.pad_top == 0 &&
         s.pad_left == 0 && s.out_h == s.in_h && s.out_w == s.in_w;
}

template <int MR, int NR, class S, class Epilogue>
void conv_pixels(const S& s, const float* x, const float* w, const float* bias, float* y,
                 const Epilogue& epilogue) {
  pointwise_pixels<MR, NR, fixed_pixels<S>()>(s, s.batch * s.out_h * s.out_w, x, w, bias, y, 0,
                                              epilogue, chunk_of(s));
}

// x: [batch, in_h, in_w, in_c].  w: pack_conv2d<NR>.  bias: [out_c] or null.  y: [batch, out_h,
// out_w, out_c]. s: batch, in_h, in_w, in_c, out_h, out_w, out_c, k_h, k_w, stride_h, stride_w,
// dilation_h, dilation_w, pad_top, pad_left, group; ldx, ldy, ld_epilogue: floats from one pixel to
// the next of x, of y and of what the epilogue reads at `at`. The pads at the end follow from out_h
// and out_w. Divisible.
template <int MR, int NR, class S, class Epilogue = NoEpilogue>
void conv2d_nhwc(S s, const float* x, const float* w, const float* bias, float* y,
                 Epilogue epilogue = {}) {
  constexpr bool known_window =
      fixed_extent(&S::k_h) > 1 || fixed_extent(&S::k_w) > 1 || fixed_extent(&S::stride_h) > 1;
  if constexpr (!known_window) {
    if (is_pointwise(s)) return conv_pixels<MR, NR>(s, x, w, bias, y, epilogue);
  }
  conv_panels<MR, NR>(s, x, w, bias, y, epilogue);
}

}  // namespace onnxc
