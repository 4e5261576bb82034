// conv_transpose_nd.hpp - transposed convolution of any rank and element type, gathered output by
// output.
#pragma once

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// The input position from which tap `tap` reaches the output at `out`: the offset in the spatial
// box, or -1. s: in, stride, dilation, pad.
template <std::size_t R, class S>
Index source_offset(const S& s, const Position<R>& out, const Position<R>& tap) {
  Index offset = 0;
  for (std::size_t i = 0; i < R; ++i) {
    const Index p = out.at[i] + s.pad[i] - tap.at[i] * s.dilation[i];
    if (p < 0 || p % s.stride[i] != 0 || p / s.stride[i] >= s.in[i]) return -1;
    offset = offset * s.in[i] + p / s.stride[i];
  }
  return offset;
}

// x: [batch, group * in_c, in], w: [group * in_c, out_c, kernel], bias: [group * out_c] or null,
// y: [batch, group * out_c, out].
// s: batch, group, in_c, out_c, in[R], out[R], kernel[R], stride[R], dilation[R], pad[R].
template <std::size_t R, class S, class T, class Epilogue>
void conv_transpose_nd(S s, const T* x, const T* w, const T* bias, T* y, Epilogue epilogue) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), kernel_size = box_size<R>(s.kernel);
  if (box_size<R>(s.out) == 0) return;
  Index at = 0;
  for (Index n = 0; n < s.batch; ++n) {
    for (Index m = 0; m < s.group * s.out_c; ++m) {
      const Index g = m / s.out_c;
      const T* xg = x + (n * s.group + g) * s.in_c * in_size;
      const T* wm = w + (g * s.in_c * s.out_c + m % s.out_c) * kernel_size;
      Position<R> out;
      do {
        A sum = bias != nullptr ? static_cast<A>(bias[m]) : A{};
        Position<R> tap;
        Index t = 0;
        do {
          const Index offset = source_offset<R>(s, out, tap);
          for (Index c = 0; offset >= 0 && c < s.in_c; ++c)
            sum += static_cast<A>(xg[c * in_size + offset]) *
                   static_cast<A>(wm[c * s.out_c * kernel_size + t]);
          ++t;
        } while (tap.next(s.kernel));
        y[at] = static_cast<T>(epilogue(sum, at, m));
        ++at;
      } while (out.next(s.out));
    }
  }
}

}  // namespace onnxc
