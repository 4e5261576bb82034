// conv_grad_weights.hpp - the derivative of a convolution by its weights: for every output channel
// and tap, the sum over all positions of the output's derivative times the input that it read.
//
// The products are matrix products: the derivative, [out_c, positions], times the inputs that the
// taps read, [positions, in_c * taps]. Columns of the latter are gathered panel by panel, as many
// positions at a time as the first-level cache holds.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// x: [batch, group * in_c, in], dy: [batch, group * out_c, out], dw: [group * out_c, in_c, kernel].
// Any element type, straight from the definition. Members as for conv_grad_weights.
template <std::size_t R, class S, class T>
void conv_grad_weights_nd(S s, const T* x, const T* dy, T* dw) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const Index channels = s.group * s.out_c;
  for (Index m = 0; m < channels; ++m) {
    for (Index c = 0; c < s.in_c; ++c) {
      Position<R> tap;
      do {
        A sum{};
        for (Index n = 0; n < s.batch && out_size > 0; ++n) {
          const T* from = x + ((n * s.group + m / s.out_c) * s.in_c + c) * in_size;
          const T* dy_row = dy + (n * channels + m) * out_size;
          Position<R> out;
          do {
            const Index offset = tap_offset<R>(s, out, tap);
            if (offset >= 0) sum += static_cast<A>(from[offset]) * static_cast<A>(*dy_row);
            ++dy_row;
          } while (out.next(s.out));
        }
        *dw++ = static_cast<T>(sum);
      } while (tap.next(s.kernel));
    }
  }
}

// Floats of a panel of gathered inputs.
constexpr Index kGatheredFloats = 8 * 1024;

// Positions gathered at a time.
template <class N>
constexpr N gathered_positions(const N& positions, int panel) {
  return min_extent(positions, N(kGatheredFloats / panel));
}

// Floats of scratch that each thread of conv_grad_weights needs.
template <class N>
constexpr N conv_grad_weights_scratch(const N& positions, int panel) {
  return max_extent(gathered_positions(positions, panel), N(1)) * N(panel);
}

// The position of this number in a box.
template <std::size_t R, class D>
Position<R> position_at(Index number, const D& extents) {
  Position<R> p;
  for (std::size_t i = R; i-- > 0;) {
    p.at[i] = number % extents[i];
    number /= extents[i];
  }
  return p;
}

// The columns of one panel: where their taps lie, relative to the start of a window.
template <std::size_t R, int NR>
struct PanelTaps {
  Position<R> at[static_cast<std::size_t>(NR)];  // times the dilation
  Index offset[static_cast<std::size_t>(NR)];    // in the image, with its channels
};

// Columns from j0 on; those that do not exist repeat the first.
template <std::size_t R, int NR, class S>
PanelTaps<R, NR> panel_taps(const S& s, Index j0, Index columns) {
  const Index taps = box_size<R>(s.kernel);
  PanelTaps<R, NR> t;
  for (Index j = 0; j < NR; ++j) {
    const Index column = j0 + (j < columns ? j : 0);
    t.at[j] = position_at<R>(column % taps, s.kernel);
    t.offset[j] = column / taps;
    for (std::size_t i = 0; i < R; ++i) {
      t.at[j].at[i] *= s.dilation[i];
      t.offset[j] = t.offset[j] * s.in[i] + t.at[j].at[i];
    }
  }
  return t;
}

// Whether a window is inside the data along an axis.
template <class S>
bool is_inside(const S& s, std::size_t axis, Index start) {
  return start >= 0 && start + (s.kernel[axis] - 1) * s.dilation[axis] < s.in[axis];
}

// Writes what the taps read at `count` output positions from `out` on: rows of NR floats, 0
// outside.
template <std::size_t R, int NR, class S>
void gather_panel(const S& s, const float* image, const PanelTaps<R, NR>& taps, Position<R> out,
                  Index count, float* to) {
  for (Index p = 0; p < count; ++p, to += NR, out.next(s.out)) {
    Position<R> start;
    Index base = 0;
    bool inside = true;
    for (std::size_t i = 0; i < R; ++i) {
      start.at[i] = out.at[i] * s.stride[i] - s.pad[i];
      base = base * s.in[i] + start.at[i];
      inside = inside && is_inside(s, i, start.at[i]);
    }
    if (inside) {
      for (Index j = 0; j < NR; ++j) to[j] = image[base + taps.offset[j]];
      continue;
    }
    for (Index j = 0; j < NR; ++j) {
      bool exists = true;
      for (std::size_t i = 0; i < R; ++i) {
        const Index at = start.at[i] + taps.at[j].at[i];
        exists = exists && at >= 0 && at < s.in[i];
      }
      to[j] = exists ? image[base + taps.offset[j]] : 0.0f;
    }
  }
}

// Adds the products over `depth` positions to `columns` columns of dw. dy: rows ldx apart.
template <int MR, int NR, class Tiles>
void add_panel_products(const Tiles& tiles, const float* dy, Index ldx, Index depth,
                        const float* panel, float* dw, Index ldw, Index columns, bool accumulate) {
  Index row = 0;
  for (Index i = 0; i < tiles.split.tiles; ++i) {
    const int rows = tiles.rows(i);
    const TileResult result = {dw + row * ldw, ldw, columns, 0, 0, 0};
    TileOperands t = matrix_tile<NR>(rows, dy + row * ldx, ldx, depth, panel, result);
    t.accumulate = accumulate;
    Tiles::run(rows, t, NoEpilogue{});
    row += rows;
  }
}

// One panel of columns from j0 on of group g, over all images.
template <std::size_t R, int MR, int NR, class S>
void conv_grad_panel(const S& s, const float* x, const float* dy, float* dw, Index g, Index j0,
                     float* panel) {
  const RowTiles<MR, NR, fixed_extent(&S::out_c)> tiles(s.out_c);
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out);
  const Index width = s.in_c * box_size<R>(s.kernel);
  const Index columns = width - j0 < NR ? width - j0 : NR;
  const Index most = gathered_positions(out_size, NR);
  const PanelTaps<R, NR> taps = panel_taps<R, NR>(s, j0, columns);
  float* const to = dw + g * s.out_c * width + j0;
  for (Index n = 0; n < s.batch; ++n) {
    const float* image = x + (n * s.group + g) * s.in_c * in_size;
    const float* dy_rows = dy + (n * s.group + g) * s.out_c * out_size;
    for (Index p = 0; p < out_size; p += most) {
      const Index depth = out_size - p < most ? out_size - p : most;
      gather_panel<R, NR>(s, image, taps, position_at<R>(p, s.out), depth, panel);
      add_panel_products<MR, NR>(tiles, dy_rows + p, out_size, depth, panel, to, width, columns,
                                 n > 0 || p > 0);
    }
  }
}

// Arguments as above. scratch: conv_grad_weights_scratch floats. s: batch, group, in_c, out_c,
// in[R], out[R], kernel[R], stride[R], dilation[R], pad[R]. Divisible; a sum is never divided.
template <std::size_t R, int MR, int NR, class S>
void conv_grad_weights(S s, const float* x, const float* dy, float* dw, float* scratch) {
  const Index width = s.in_c * box_size<R>(s.kernel);
  const Index panels = (width + NR - 1) / NR;
  const Span own = chunk_range(s, s.group * panels);
  if (s.batch == 0 || box_size<R>(s.out) == 0) {
    if (own.begin > 0) return;
    for (Index i = 0; i < s.group * s.out_c * width; ++i) dw[i] = 0.0f;
    return;
  }
  for (Index i = own.begin; i < own.end; ++i)
    conv_grad_panel<R, MR, NR>(s, x, dy, dw, i / panels, i % panels * NR, scratch);
}

}  // namespace onnxc
