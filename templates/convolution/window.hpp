// window.hpp - walking boxes of any rank and the taps of sliding windows, for the reference
// kernels.
#pragma once

#include <cstddef>

#include "runtime_min/types.hpp"

namespace onnxc {

// A position in a box, advanced in row-major order.
template <std::size_t R>
struct Position {
  Index at[R] = {};

  // False after the last position; then back at the first.
  template <class D>
  bool next(const D& extents) {
    for (std::size_t i = R; i-- > 0;) {
      if (++at[i] < extents[i]) return true;
      at[i] = 0;
    }
    return false;
  }
};

template <std::size_t R, class D>
Index box_size(const D& extents) {
  Index count = 1;
  for (std::size_t i = 0; i < R; ++i) count *= extents[i];
  return count;
}

// Where tap `tap` of the window at `out` reads: the offset in the spatial box, or -1 outside of it.
// s: in, stride, dilation, pad.
template <std::size_t R, class S>
Index tap_offset(const S& s, const Position<R>& out, const Position<R>& tap) {
  Index offset = 0;
  for (std::size_t i = 0; i < R; ++i) {
    const Index p = out.at[i] * s.stride[i] - s.pad[i] + tap.at[i] * s.dilation[i];
    if (p < 0 || p >= s.in[i]) return -1;
    offset = offset * s.in[i] + p;
  }
  return offset;
}

// Calls f(offset) for every tap of the window at `out` that is inside the data.
template <std::size_t R, class S, class F>
void for_taps(const S& s, const Position<R>& out, F f) {
  Position<R> tap;
  do {
    const Index offset = tap_offset<R>(s, out, tap);
    if (offset >= 0) f(offset);
  } while (tap.next(s.kernel));
}

// Strides of a [batch, channels, spatial] tensor in either storage layout.
struct ChannelSteps {
  Index batch, channel, position;
};
constexpr ChannelSteps channel_steps(Index channels, Index positions, bool channels_last) {
  return channels_last ? ChannelSteps{channels * positions, 1, channels}
                       : ChannelSteps{channels * positions, positions, 1};
}

}  // namespace onnxc
