// shuffle_channels.hpp - interleaves the groups of channels of channels-last data.
#pragma once

#include <type_traits>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// One pixel of two or four groups of at least kLanes floats. The last vectors may overlap those
// before them.
template <int GROUPS>
void zip_groups(Index each, const float* x, float* y) {
  for (Index next = 0; next < each; next += kLanes) {
    const Index c = next + kLanes <= each ? next : each - kLanes;
    float* to = y + GROUPS * c;
    vfloat zipped[2][2];
    zip(load(x + c), load(x + GROUPS / 2 * each + c), zipped[0]);
    if constexpr (GROUPS == 2) {
      store(to, zipped[0][0]);
      store(to + kLanes, zipped[0][1]);
    } else {
      zip(load(x + each + c), load(x + 3 * each + c), zipped[1]);
      for (int i = 0; i < 2; ++i) {
        vfloat four[2];
        zip(zipped[0][i], zipped[1][i], four);
        store(to + 2 * i * kLanes, four[0]);
        store(to + (2 * i + 1) * kLanes, four[1]);
      }
    }
  }
}

// x: [pixels, groups, each], y: [pixels, each, groups], pixels ldx and ldy elements apart.
// s: pixels, groups, each, ldx, ldy. Divisible. With a fixed number of groups compilers make
// vectors of the inner loops.
template <class S, class T>
void shuffle_channels(S s, const T* __restrict x, T* __restrict y) {
  constexpr Index groups = fixed_extent(&S::groups);
  const Span own = chunk_range(s, s.pixels);
  x += own.begin * s.ldx;
  y += own.begin * s.ldy;
  for (Index p = own.begin; p < own.end; ++p, x += s.ldx, y += s.ldy) {
    if constexpr (std::is_same_v<T, float> && kLanes > 1 && (groups == 2 || groups == 4)) {
      if (s.each >= kLanes) {
        zip_groups<static_cast<int>(groups)>(s.each, x, y);
        continue;
      }
    }
    for (Index c = 0; c < s.each; ++c) {
      for (Index g = 0; g < s.groups; ++g) y[c * s.groups + g] = x[g * s.each + c];
    }
  }
}

}  // namespace onnxc
