// channel_norm_grad.hpp - derivatives of normalisations of channels, of each image or of a batch:
// one pass for sums of each channel, one for the derivative by the data.
//
// s: outer, pieces, channels, positions: the data is [outer, pieces, channels, positions], or
// [outer, pieces, positions, channels] if channels_last. Statistics are those of `width`
// neighbouring channels over pieces and positions; per_group: scale and bias have one element for
// these, else one for each channel. What is kept of a channel is [outer, 4, channels].
#pragma once

#include <cmath>
#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/normalization/numbers.hpp"

namespace onnxc {

// Of x: the mean and the sum of squared differences from it; of dy: the sum, and that of the
// products with these differences. V: numbers T, or vectors of them.
template <class V, class T>
struct ChannelSums {
  V mean{}, squares{}, dy{}, product{};
  Index count = 0;

  [[gnu::always_inline]] void join(const ChannelSums& other) {
    const Index all = count + other.count;
    const V distance = other.mean - mean;
    const T share = static_cast<T>(other.count) / static_cast<T>(all);
    const V step = distance * share;
    squares += other.squares + distance * step * static_cast<T>(count);
    product += other.product - dy * step + other.dy * (distance - step);
    mean += step;
    dy += other.dy;
    count = all;
  }
};

constexpr Index kSummedPositions = 64;

// Neighbours that stay in the first-level cache.
template <class T>
ChannelSums<T, T> sums_of_neighbours(const T* x, const T* dy, Index count) {
  LaneSum<T> sum, squares, sum_dy, product;
  for_numbers<T>(count, [&](Index i, auto lane) { sum.add(number_at<decltype(lane)>(x + i)); });
  const T mean = sum.total() / static_cast<T>(count);
  for_numbers<T>(count, [&](Index i, auto lane) {
    using V = decltype(lane);
    const V distance = number_at<V>(x + i) - mean, d = number_at<V>(dy + i);
    squares.add(distance * distance);
    sum_dy.add(d);
    product.add(d * distance);
  });
  return {mean, squares.total(), sum_dy.total(), product.total(), count};
}

// COUNT vectors of neighbouring channels, `pitch` apart at each position.
template <class V, std::size_t COUNT, class T>
[[gnu::always_inline]] inline void sums_of_channels(const T* x, const T* dy, Index count,
                                                    Index pitch, ChannelSums<V, T> (&out)[COUNT]) {
  constexpr int vectors = static_cast<int>(COUNT), width = sizeof(V) / sizeof(T);
  for (Index p = 0; p < count; ++p) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) out[j].mean += number_at<V>(x + p * pitch + j * width);
  }
#pragma GCC unroll 4
  for (int j = 0; j < vectors; ++j) out[j].mean = out[j].mean / static_cast<T>(count);
  for (Index p = 0; p < count; ++p) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) {
      const Index at = p * pitch + j * width;
      const V distance = number_at<V>(x + at) - out[j].mean, d = number_at<V>(dy + at);
      out[j].squares += distance * distance;
      out[j].dy += d;
      out[j].product += d * distance;
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < vectors; ++j) out[j].count = count;
}

template <class V, class T>
void put_sums(const ChannelSums<V, T>& m, Index channels, T* sums) {
  put_number(sums, m.mean);
  put_number(sums + channels, m.squares);
  put_number(sums + 2 * channels, m.dy);
  put_number(sums + 3 * channels, m.product);
}

// x, dy: the first of COUNT vectors of channels in images with channels last.
template <class V, std::size_t COUNT, class S, class T>
[[gnu::noinline]] void sum_last_channels(const S& s, const T* x, const T* dy, T* sums) {
  const Index rows = s.pieces * s.positions;
  ChannelSums<V, T> total[COUNT];
  for (Index first = 0; first < rows; first += kSummedPositions) {
    ChannelSums<V, T> block[COUNT];
    const Index count = rows - first < kSummedPositions ? rows - first : kSummedPositions;
    sums_of_channels(x + first * s.channels, dy + first * s.channels, count, s.channels, block);
    for (int j = 0; j < static_cast<int>(COUNT); ++j) total[j].join(block[j]);
  }
  for (int j = 0; j < static_cast<int>(COUNT); ++j)
    put_sums(total[j], s.channels, sums + j * static_cast<int>(sizeof(V) / sizeof(T)));
}

// Channel c of a plain image.
template <class S, class T>
void sum_plane(const S& s, const T* x, const T* dy, Index c, T* sums) {
  constexpr Index block = kSummedPositions * kLanes;
  ChannelSums<T, T> total;
  for (Index piece = 0; piece < s.pieces; ++piece) {
    const Index at = (piece * s.channels + c) * s.positions;
    for (Index first = 0; first < s.positions; first += block) {
      const Index count = s.positions - first < block ? s.positions - first : block;
      total.join(sums_of_neighbours(x + at + first, dy + at + first, count));
    }
  }
  put_sums(total, s.channels, sums + c);
}

// sums: [outer, 4, channels], the members of ChannelSums. Divisible.
template <class S, class T>
void channel_norm_sums(S s, const T* x, const T* dy, T* sums) {
  using Vector = std::conditional_t<std::is_same_v<T, float>, vfloat, T>;
  constexpr Index width = sizeof(Vector) / sizeof(T);
  const Span own = chunk_range(s, s.channels, kLanes);
  for (Index o = 0; o < s.outer; ++o) {
    const Index at = o * s.pieces * s.channels * s.positions;
    const T *images = x + at, *slopes = dy + at;
    T* const out = sums + 4 * o * s.channels;
    Index c = own.begin;
    for (; !s.channels_last && c < own.end; ++c) sum_plane(s, images, slopes, c, out);
    for (; c + 4 * width <= own.end; c += 4 * width)
      sum_last_channels<Vector, 4>(s, images + c, slopes + c, out + c);
    for (; c + width <= own.end; c += width)
      sum_last_channels<Vector, 1>(s, images + c, slopes + c, out + c);
    if constexpr (width > 1) {
      for (; c < own.end; ++c) sum_last_channels<T, 1>(s, images + c, slopes + c, out + c);
    }
  }
}

// The channels from `first` on, which share their statistics. scale, dscale, dbias: of the first.
template <class S, class T>
void factors_of_group(const S& s, const T* scale, const T* sums, T* factors, T* dscale, T* dbias) {
  const Index step = s.per_group ? 0 : 1;
  const T each = static_cast<T>(s.pieces * s.positions), count = each * static_cast<T>(s.width);
  const T *means = sums, *squares = sums + s.channels, *dy = squares + s.channels,
          *products = dy + s.channels;
  T mean{}, square{}, shift{}, slope{};
  for (Index c = 0; c < s.width; ++c) mean += means[c] / static_cast<T>(s.width);
  for (Index c = 0; c < s.width; ++c) {
    const T distance = means[c] - mean, product = products[c] + dy[c] * distance;
    square += squares[c] + each * distance * distance;
    shift += dy[c] * scale[c * step];
    slope += product * scale[c * step];
  }
  const T factor = T{1} / std::sqrt(square / count + static_cast<T>(s.epsilon));
  for (Index c = 0; c < s.width; ++c) {
    const T product = products[c] + dy[c] * (means[c] - mean);
    factors[c] = mean;
    factors[s.channels + c] = scale[c * step] * factor;
    factors[2 * s.channels + c] = shift / count * factor;
    factors[3 * s.channels + c] = slope / count * factor * factor * factor;
    if (dscale != nullptr) dscale[c * step] += product * factor;
    if (dbias != nullptr) dbias[c * step] += dy[c];
  }
}

// sums: from channel_norm_sums; factors: [outer, 4, channels], for channel_norm_grad; dscale,
// dbias: like scale, or null.
template <class S, class T>
void channel_norm_factors(S s, const T* scale, const T* sums, T* factors, T* dscale, T* dbias) {
  const Index step = s.per_group ? 1 : s.width, groups = s.channels / s.width;
  for (Index i = 0; i < groups * step; ++i) {
    if (dscale != nullptr) dscale[i] = T{};
    if (dbias != nullptr) dbias[i] = T{};
  }
  if (s.pieces * s.positions == 0) return;
  for (Index o = 0; o < s.outer; ++o) {
    for (Index g = 0; g < groups; ++g) {
      const Index at = 4 * o * s.channels + g * s.width;
      factors_of_group(s, scale + g * step, sums + at, factors + at,
                       dscale == nullptr ? dscale : dscale + g * step,
                       dbias == nullptr ? dbias : dbias + g * step);
    }
  }
}

// dx = dy * factor - shift - (x - mean) * slope for neighbours; of(V{}, kind, i): the four numbers.
template <class T, class F>
[[gnu::always_inline]] inline void write_norm_grad(const T* x, const T* dy, Index count, T* dx,
                                                   F of) {
  for_numbers<T>(count, [&](Index i, auto lane) {
    using V = decltype(lane);
    const V distance = number_at<V>(x + i) - of(lane, 0, i);
    const V scaled = number_at<V>(dy + i) * of(lane, 1, i) - of(lane, 2, i);
    put_number(dx + i, scaled - distance * of(lane, 3, i));
  });
}

// factors: from channel_norm_factors. dx may be x or dy. Divisible.
template <class S, class T>
void channel_norm_grad(S s, const T* x, const T* dy, const T* factors, T* dx) {
  const Index size = s.channels_last ? s.channels : s.positions;
  const Index rows = s.pieces * (s.channels_last ? s.positions : s.channels);
  const Span own = chunk_range(s, s.outer * rows);
  for (Index r = own.begin; r < own.end; ++r) {
    const T* const all = factors + 4 * (r / rows) * s.channels;
    const Index at = r * size;
    if (s.channels_last) {
      write_norm_grad(x + at, dy + at, size, dx + at, [&](auto lane, Index kind, Index i) {
        return number_at<decltype(lane)>(all + kind * s.channels + i);
      });
    } else {
      const T* const p = all + r % s.channels;
      const T four[4] = {p[0], p[s.channels], p[2 * s.channels], p[3 * s.channels]};
      write_norm_grad(x + at, dy + at, size, dx + at,
                      [&](auto, Index kind, Index) { return four[kind]; });
    }
  }
}

}  // namespace onnxc
