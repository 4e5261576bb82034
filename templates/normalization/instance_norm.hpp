// instance_norm.hpp - normalises every channel of every float image, then scales and shifts it.
//
// Mean and variance come from one pass: blocks that stay in the first-level cache are summed around
// their own mean, and joined. That is as exact as two passes over all with compensated sums, and
// order and result depend on the shape alone.
#pragma once

#include <cmath>
#include <cstddef>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// Mean of `count` values and the sum of their squared differences from it, lane by lane.
template <class V>
struct Moments {
  V mean{}, squares{};
  Index count = 0;

  void join(V other_mean, V other_squares, Index other_count) {
    const Index all = count + other_count;
    const V distance = other_mean - mean;
    const float share_of_other = static_cast<float>(other_count) / static_cast<float>(all);
    mean += distance * share_of_other;
    squares += other_squares + distance * distance * (share_of_other * static_cast<float>(count));
    count = all;
  }
};

template <class V>
[[gnu::always_inline]] inline V square_root(V v) {
  float lane[static_cast<std::size_t>(lanes<V>)];
  store(lane, v);
  for (float& x : lane) x = std::sqrt(x);
  return load<V>(lane);
}

constexpr Index kMomentPositions = 64;

// COUNT vectors of neighbouring channels, at all positions.
template <std::size_t COUNT, class V, class S>
[[gnu::always_inline]] inline void channel_moments(const S& s, const float* x,
                                                   Moments<V> (&m)[COUNT]) {
  for (Index first = 0; first < s.positions; first += kMomentPositions) {
    const Index count =
        s.positions - first < kMomentPositions ? s.positions - first : kMomentPositions;
    const float* block = x + first * s.channels;
    V mean[COUNT] = {}, squares[COUNT] = {};
    for (Index p = 0; p < count; ++p) {
#pragma GCC unroll 4
      for (int j = 0; j < static_cast<int>(COUNT); ++j)
        mean[j] += load<V>(block + p * s.channels + j * lanes<V>);
    }
#pragma GCC unroll 4
    for (int j = 0; j < static_cast<int>(COUNT); ++j) mean[j] = mean[j] / static_cast<float>(count);
    for (Index p = 0; p < count; ++p) {
#pragma GCC unroll 4
      for (int j = 0; j < static_cast<int>(COUNT); ++j) {
        const V distance = load<V>(block + p * s.channels + j * lanes<V>) - mean[j];
        squares[j] += distance * distance;
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < static_cast<int>(COUNT); ++j) m[j].join(mean[j], squares[j], count);
  }
}

// The channels from `channel` on; x, y: position 0 of the first of them; at: what the epilogue
// calls y[0].
template <std::size_t COUNT, class V, class S, class Epilogue>
[[gnu::noinline]] void norm_channels(const S& s, const float* x, const float* scale,
                                     const float* bias, float* y, Index at, Index channel,
                                     const Epilogue& given) {
  const Epilogue epilogue = given;
  Moments<V> moments[COUNT];
  channel_moments<COUNT, V>(s, x, moments);
  V factor[COUNT], shift[COUNT];
  for (int j = 0; j < static_cast<int>(COUNT); ++j) {
    const V variance = moments[j].squares / static_cast<float>(s.positions);
    factor[j] = load<V>(scale + channel + j * lanes<V>) / square_root(variance + s.epsilon);
    shift[j] = load<V>(bias + channel + j * lanes<V>);
  }
  for (Index p = 0; p < s.positions; ++p) {
#pragma GCC unroll 4
    for (int j = 0; j < static_cast<int>(COUNT); ++j) {
      const Index i = p * s.channels + j * lanes<V>;
      const V v = (load<V>(x + i) - moments[j].mean) * factor[j] + shift[j];
      store(y + i, epilogue(v, at + i, channel + j * lanes<V>));
    }
  }
}

// Of `total` neighbours.
inline Moments<float> plane_moments(const float* x, Index total) {
  constexpr Index block = kMomentPositions * kLanes;
  Moments<float> moments;
  for (Index first = 0; first < total; first += block) {
    const Index count = total - first < block ? total - first : block;
    vfloat sum = {}, squares = {};
    float rest = 0.0f, rest_squares = 0.0f;
    for_lanes(count, [&](Index i, auto lane) {
      using V = decltype(lane);
      if constexpr (lanes<V> == kLanes) {
        sum += load<V>(x + first + i);
      } else {
        rest += load<V>(x + first + i);
      }
    });
    const float mean = (horizontal_sum(sum) + rest) / static_cast<float>(count);
    for_lanes(count, [&](Index i, auto lane) {
      using V = decltype(lane);
      const V distance = load<V>(x + first + i) - mean;
      if constexpr (lanes<V> == kLanes) {
        squares += distance * distance;
      } else {
        rest_squares += distance * distance;
      }
    });
    moments.join(mean, horizontal_sum(squares) + rest_squares, count);
  }
  return moments;
}

// y = (x - mean) * factor + bias, in one channel of a plain image.
template <class Epilogue>
void scale_plane(Index positions, const float* x, float mean, float factor, float bias, float* y,
                 Index at, Index channel, const Epilogue& epilogue) {
  if constexpr (has_epilogue<Epilogue>) {
    // Operands for each channel are not vectors here.
    for (Index i = 0; i < positions; ++i)
      y[i] = epilogue((x[i] - mean) * factor + bias, at + i, channel);
  } else {
    for_lanes(positions, [&](Index i, auto lane) {
      using V = decltype(lane);
      store(y + i, (load<V>(x + i) - mean) * factor + bias);
    });
  }
}

// One channel of a plain image.
template <class S, class Epilogue>
void norm_plane(const S& s, const float* x, float scale, float bias, float* y, Index at,
                Index channel, const Epilogue& epilogue) {
  const Moments<float> moments = plane_moments(x, s.positions);
  const float factor =
      scale / std::sqrt(moments.squares / static_cast<float>(s.positions) + s.epsilon);
  scale_plane(s.positions, x, moments.mean, factor, bias, y, at, channel, epilogue);
}

// x, y: [batch, channels, positions], or [batch, positions, channels] if channels_last; not
// overlapping. scale, bias: [channels].  s: batch, channels, positions, epsilon, channels_last.
// Divisible.
template <class S, class Epilogue = NoEpilogue>
void instance_norm(S s, const float* x, const float* scale, const float* bias, float* y,
                   Epilogue epilogue = {}) {
  const Span own = chunk_range(s, s.channels, kLanes);
  for (Index n = 0; n < s.batch && s.positions > 0; ++n) {
    const Index image = n * s.channels * s.positions;
    Index c = own.begin;
    if (!s.channels_last) {
      for (; c < own.end; ++c) {
        const Index at = image + c * s.positions;
        norm_plane(s, x + at, scale[c], bias[c], y + at, at, c, epilogue);
      }
      continue;
    }
    for (; c + 4 * kLanes <= own.end; c += 4 * kLanes)
      norm_channels<4, vfloat>(s, x + image + c, scale, bias, y + image + c, image + c, c,
                               epilogue);
    for (; c + kLanes <= own.end; c += kLanes)
      norm_channels<1, vfloat>(s, x + image + c, scale, bias, y + image + c, image + c, c,
                               epilogue);
    if constexpr (kLanes > 1) {
      for (; c < own.end; ++c)
        norm_channels<1, float>(s, x + image + c, scale, bias, y + image + c, image + c, c,
                                epilogue);
    }
  }
}

}  // namespace onnxc
