// center_crop_pad.hpp - crops a tensor to its center, or pads it with zeros on both sides, axis by
// axis.
#pragma once

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// x: [in], y: [out].  s: in[R], out[R].
template <std::size_t R, class S, class T>
void center_crop_pad(S s, const T* x, T* y) {
  if (box_size<R>(s.out) == 0) return;
  Position<R> p;
  do {
    Index offset = 0;
    for (std::size_t i = 0; i < R; ++i) {
      const Index crop = s.in[i] > s.out[i] ? (s.in[i] - s.out[i]) / 2 : 0;
      const Index pad = s.out[i] > s.in[i] ? (s.out[i] - s.in[i]) / 2 : 0;
      const Index at = p.at[i] + crop - pad;
      offset = offset < 0 || at < 0 || at >= s.in[i] ? -1 : offset * s.in[i] + at;
    }
    *y++ = offset >= 0 ? x[offset] : T{};
  } while (p.next(s.out));
}

}  // namespace onnxc
