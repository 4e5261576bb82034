// grid_sample.hpp - samples an image of any rank at run-time positions; and the grids of affine
// maps.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"
#include "templates/image/resize_axis.hpp"

namespace onnxc {

struct GridMode {
  enum Filter : Index { kNearest, kLinear, kCubic };
  enum Padding : Index { kZeros, kBorder, kReflection };
};

template <class A>
A reflect(A x, A low, A high) {
  const A range = high - low;
  if (!(range > A{})) return low;
  if (x >= low && x <= high) return x;
  const A distance = x < low ? low - x : x - high;
  const A reflections = std::floor(distance / range), rest = distance - reflections * range;
  const bool even = reflections - A{2} * std::floor(reflections / A{2}) == A{};
  return (x < low) == even ? low + rest : high - rest;
}

// The index of a neighbour on one axis, or -1 for zero padding.
template <class A>
Index grid_index(A at, Index count, Index padding, bool align) {
  if (count == 0) return -1;
  const A last = static_cast<A>(count - 1);
  if (padding == GridMode::kZeros) return at >= A{} && at <= last ? static_cast<Index>(at) : -1;
  A v = at;
  if (padding == GridMode::kReflection) {
    const A border = align ? A{} : static_cast<A>(-0.5f);
    v = std::trunc(reflect(at, border, last - border));
  }
  return !(v > A{}) ? 0 : v < last ? static_cast<Index>(v) : count - 1;
}

// Neighbours of a position that the widest filter reads.
template <std::size_t R>
constexpr std::size_t grid_taps = 4 * grid_taps<R - 1>;
template <>
constexpr std::size_t grid_taps<0> = 1;

// Weight of a neighbour at distance d: linear, or cubic convolution with a = -0.75 (Keys 1981).
template <class A>
A grid_weight(A d, Index filter) {
  const A one{1}, two{2};
  if (filter == GridMode::kNearest) return one;
  if (filter == GridMode::kLinear) return one - d;
  const A a = static_cast<A>(-0.75f);
  return d < one ? ((a + two) * d - (a + A{3})) * d * d + one
                 : (((d - A{5}) * d + A{8}) * d - A{4}) * a;
}

// Neighbours on one axis: their indices, -1 for zero padding, and weights.
template <class A>
struct GridAxis {
  Index at[4] = {};
  A weight[4] = {};
};

// The `count` neighbours of grid coordinate g, -1 to 1, on an axis of an extent.
template <class A, class S>
GridAxis<A> grid_axis(S s, A g, Index extent, Index count) {
  GridAxis<A> axis;
  const A length = static_cast<A>(extent), one{1}, two{2};
  A v = s.align ? (g + one) / two * (length - one) : ((g + one) * length - one) / two;
  if (s.filter == GridMode::kNearest) v = std::nearbyint(v);
  const A border = s.align ? A{} : static_cast<A>(-0.5f);
  if (s.padding == GridMode::kBorder) {
    // So far outside that all neighbours are the border.
    const A far = s.filter == GridMode::kCubic ? two : A{}, end = length - one + far;
    v = v < -far ? -far : v > end ? end : v;
  }
  if (s.padding == GridMode::kReflection) v = reflect(v, border, length - one - border);
  const bool number = v == v;
  const A base = s.filter == GridMode::kNearest ? v : std::floor(v) - (count == 4 ? one : A{});
  for (Index k = 0; k < count; ++k) {
    const A position = base + static_cast<A>(k);
    axis.at[k] = number ? grid_index(position, extent, s.padding, s.align) : -1;
    axis.weight[k] = grid_weight(std::abs(v - position), s.filter);
  }
  return axis;
}

// The neighbours of a position in all axes: offsets within an image, and weights.
template <std::size_t R, class A>
struct GridNeighbours {
  Index count = 0;
  Index offset[grid_taps<R>] = {};
  A weight[grid_taps<R>] = {};
};

// at: [R], the last axis first.
template <std::size_t R, class A, class S, class G>
GridNeighbours<R, A> grid_neighbours(S s, const G* at) {
  const Index count = s.filter == GridMode::kNearest ? 1 : s.filter == GridMode::kLinear ? 2 : 4;
  GridAxis<A> axes[R];
  Index extents[R] = {};
  for (std::size_t i = 0; i < R; ++i) {
    extents[i] = count;
    axes[i] = grid_axis(s, static_cast<A>(at[R - 1 - i]), s.in[i], count);
  }
  GridNeighbours<R, A> all;
  Position<R> tap;
  do {
    Index offset = 0;
    A weight{1};
    for (std::size_t i = 0; i < R; ++i) {
      const Index t = axes[i].at[tap.at[i]];
      offset = t < 0 || offset < 0 ? -1 : offset * s.in[i] + t;
      weight *= axes[i].weight[tap.at[i]];
    }
    all.offset[all.count] = offset;
    all.weight[all.count] = weight;
    all.count += offset >= 0;
  } while (tap.next(extents));
  return all;
}

template <std::size_t R, class A, class T>
T grid_value(const T* image, const GridNeighbours<R, A>& neighbours) {
  using E = resize_element<T, A>;
  if constexpr (kIsSummed<T>) {
    E sum{};
    for (Index k = 0; k < neighbours.count; ++k)
      sum = sum + neighbours.weight[k] *
                      static_cast<E>(static_cast<compute_t<T>>(image[neighbours.offset[k]]));
    return resize_result<T>(sum);
  } else {
    return neighbours.count == 0 ? T{} : image[neighbours.offset[0]];
  }
}

// x: [batch, channels, in], grid: [batch, out, R] with the last axis first, y: [batch, channels,
// out]. Strings allow only the nearest filter.
// s: batch, channels, in[R], positions (product of out), filter, padding (see GridMode), align.
template <std::size_t R, class S, class T, class G>
void grid_sample(S s, const T* x, const G* grid, T* y) {
  using A = resize_sum<std::conditional_t<std::is_same_v<G, double>, double, T>>;
  const Index in_size = box_size<R>(s.in);
  for (Index n = 0; n < s.batch; ++n)
    for (Index p = 0; p < s.positions; ++p) {
      const auto neighbours =
          grid_neighbours<R, A>(s, grid + (n * s.positions + p) * static_cast<Index>(R));
      for (Index c = n * s.channels; c < (n + 1) * s.channels; ++c)
        y[c * s.positions + p] = grid_value(x + c * in_size, neighbours);
    }
}

// The batch and the spatial extents that size [count] gives.  s: count, axes.
template <class S>
Status affine_grid_extents(S s, const std::int64_t* size, Index* extents) {
  if (s.count != s.axes + 2) return Status::bad_shape;
  for (Index i = 0; i <= s.axes; ++i) {
    const std::int64_t given = size[i == 0 ? 0 : i + 1];
    if (given < 0 || given > std::numeric_limits<Index>::max() / 4) return Status::bad_shape;
    extents[i] = static_cast<Index>(given);
  }
  return Status::ok;
}

// theta: [batch, R, R + 1], size: [R + 2], y: [batch, out, R]; the last axis comes first in a
// position. s: batch, channels (-1: any), out[R], align.
template <std::size_t R, class S, class T>
Status affine_grid(S s, const T* theta, const std::int64_t* size, T* y) {
  using A = compute_t<T>;
  if (size[0] != s.batch) return Status::bad_shape;
  for (std::size_t i = 0; i < R; ++i)
    if (size[i + 2] != s.out[i]) return Status::bad_shape;
  if (box_size<R>(s.out) == 0) return Status::ok;
  for (Index n = 0; n < s.batch; ++n, theta += R * (R + 1)) {
    Position<R> p;
    do {
      A at[R + 1] = {};
      at[R] = A{1};
      for (std::size_t i = 0; i < R; ++i) {
        const A length = static_cast<A>(s.out[i]), o = static_cast<A>(p.at[i]);
        const A aligned = s.out[i] > 1 ? A{2} * o / (length - A{1}) : A{};
        at[R - 1 - i] = s.align ? aligned - A{1} : (A{2} * o + A{1}) / length - A{1};
      }
      for (std::size_t i = 0; i < R; ++i) {
        A sum{};
        for (std::size_t j = 0; j <= R; ++j) sum += static_cast<A>(theta[i * (R + 1) + j]) * at[j];
        *y++ = static_cast<T>(sum);
      }
    } while (p.next(s.out));
  }
  return Status::ok;
}

}  // namespace onnxc
