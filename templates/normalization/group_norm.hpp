// group_norm.hpp - normalises groups of channels of every float image, then scales and shifts the
// channels.
#pragma once

#include <cmath>

#include "runtime_min/chunk.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/normalization/instance_norm.hpp"

namespace onnxc {

// Of s.width neighbouring channels at all positions of a channels-last image.
template <class S>
Moments<float> strip_moments(const S& s, const float* x) {
  const Index pitch = s.groups * s.width;
  Moments<float> moments;
  for (Index first = 0; first < s.positions; first += kMomentPositions) {
    const Index rows =
        s.positions - first < kMomentPositions ? s.positions - first : kMomentPositions;
    const float* block = x + first * pitch;
    const auto each_row = [&](auto f) {
      vfloat sum = {};
      float rest = 0.0f;
      for (Index p = 0; p < rows; ++p) {
        for_lanes(s.width, [&](Index i, auto lane) {
          using V = decltype(lane);
          const V v = f(load<V>(block + p * pitch + i));
          if constexpr (lanes<V> == kLanes) {
            sum += v;
          } else {
            rest += v;
          }
        });
      }
      return horizontal_sum(sum) + rest;
    };
    const float mean = each_row([](auto v) { return v; }) / static_cast<float>(rows * s.width);
    const float squares = each_row([mean](auto v) { return (v - mean) * (v - mean); });
    moments.join(mean, squares, rows * s.width);
  }
  return moments;
}

// Group g of an image that begins at element `image`.
template <class S, class Epilogue>
void norm_group(const S& s, Index image, Index g, const float* x, const float* scale,
                const float* bias, float* y, const Epilogue& epilogue) {
  const Index channel = g * s.width;
  const auto inverse = [&](const Moments<float>& m) {
    return 1.0f / std::sqrt(m.squares / static_cast<float>(s.width * s.positions) + s.epsilon);
  };
  if (!s.channels_last) {
    const Index start = image + channel * s.positions;
    const Moments<float> m = plane_moments(x + start, s.width * s.positions);
    const float factor = inverse(m);
    for (Index c = 0; c < s.width; ++c) {
      const Index at = start + c * s.positions, i = s.per_group ? g : channel + c;
      scale_plane(s.positions, x + at, m.mean, factor * scale[i], bias[i], y + at, at, channel + c,
                  epilogue);
    }
    return;
  }
  const Moments<float> m = strip_moments(s, x + image + channel);
  const float factor = inverse(m);
  for (Index p = 0; p < s.positions; ++p) {
    const Index at = image + p * s.groups * s.width + channel;
    for_lanes(s.width, [&](Index i, auto lane) {
      using V = decltype(lane);
      const V scales = s.per_group ? V{} + scale[g] : load<V>(scale + channel + i);
      const V shifts = s.per_group ? V{} + bias[g] : load<V>(bias + channel + i);
      const V v = (load<V>(x + at + i) - m.mean) * (scales * factor) + shifts;
      store(y + at + i, epilogue(v, at + i, channel + i));
    });
  }
}

// x, y: [batch, groups * width, positions], or with the channels last. scale, bias: [groups *
// width], or [groups] if per_group.  s: batch, groups, width, positions, epsilon, channels_last,
// per_group. Divisible.
template <class S, class Epilogue = NoEpilogue>
void group_norm(S s, const float* x, const float* scale, const float* bias, float* y,
                Epilogue epilogue = {}) {
  const Span own = chunk_range(s, s.batch * s.groups, 1);
  for (Index i = own.begin; i < own.end && s.positions > 0 && s.width > 0; ++i) {
    const Index image = i / s.groups * s.groups * s.width * s.positions;
    norm_group(s, image, i % s.groups, x, scale, bias, y, epilogue);
  }
}

}  // namespace onnxc
