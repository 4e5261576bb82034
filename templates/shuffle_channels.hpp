// shuffle_channels.hpp - interleaves the groups of channels of channels-last data.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// x: [pixels, groups, each], y: [pixels, each, groups], pixels ldx and ldy elements apart.
// s: pixels, groups, each, ldx, ldy. With a fixed number of groups compilers make vectors of the inner loops.
template <class S, class T>
void shuffle_channels(S s, const T* __restrict x, T* __restrict y) {
  for (Index p = 0; p < s.pixels; ++p, x += s.ldx, y += s.ldy) {
    for (Index c = 0; c < s.each; ++c) {
      for (Index g = 0; g < s.groups; ++g) y[c * s.groups + g] = x[g * s.each + c];
    }
  }
}

}  // namespace onnxc
