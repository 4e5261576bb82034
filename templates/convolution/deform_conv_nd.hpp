// deform_conv_nd.hpp - convolution whose taps are moved by run-time offsets, with linear
// interpolation.
#pragma once

#include <cmath>

#include "runtime_min/types.hpp"
#include "templates/convolution/window.hpp"

namespace onnxc {

// The value of an image at a fractional position, zero outside.
template <std::size_t R, class D, class T>
compute_t<T> sample_linear(const T* image, const D& extents, const compute_t<T>* at) {
  using A = compute_t<T>;
  Index low[R] = {};
  A part[R] = {};
  for (std::size_t i = 0; i < R; ++i) {
    if (!(at[i] > A{-1}) || !(at[i] < static_cast<A>(extents[i]))) return A{};
    const A floor = std::floor(at[i]);
    low[i] = static_cast<Index>(floor);
    part[i] = at[i] - floor;
  }
  A sum{};
  for (Index corner = 0; corner < (Index{1} << R); ++corner) {
    Index offset = 0;
    A weight{1};
    bool inside = true;
    for (std::size_t i = 0; i < R; ++i) {
      const Index up = (corner >> i) & 1, p = low[i] + up;
      inside = inside && p >= 0 && p < extents[i];
      offset = offset * extents[i] + p;
      weight *= up != 0 ? part[i] : A{1} - part[i];
    }
    if (inside && weight != A{}) sum += weight * static_cast<A>(image[offset]);
  }
  return sum;
}

// x: [batch, group * in_c, in], w: [group * out_c, in_c, kernel], offset: [batch, offset_group,
// kernel, R, out], mask: [batch, offset_group, kernel, out] or null, bias or null, y: [batch, group
// * out_c, out]. s: batch, group, in_c, out_c, offset_group, in[R], out[R], kernel[R], stride[R],
// dilation[R], pad[R].
template <std::size_t R, class S, class T>
void deform_conv_nd(S s, const T* x, const T* w, const T* offset, const T* bias, const T* mask,
                    T* y) {
  using A = compute_t<T>;
  const Index in_size = box_size<R>(s.in), out_size = box_size<R>(s.out),
              taps = box_size<R>(s.kernel);
  const Index channels = s.group * s.in_c, per_offset = channels / s.offset_group;
  if (out_size == 0) return;
  for (Index n = 0; n < s.batch; ++n) {
    for (Index m = 0; m < s.group * s.out_c; ++m) {
      Position<R> out;
      Index p = 0;
      do {
        A sum = bias != nullptr ? static_cast<A>(bias[m]) : A{};
        for (Index k = 0; k < s.in_c; ++k) {
          const Index c = m / s.out_c * s.in_c + k, g = n * s.offset_group + c / per_offset;
          Position<R> tap;
          Index t = 0;
          do {
            A at[R] = {};
            for (std::size_t i = 0; i < R; ++i) {
              const Index fixed = out.at[i] * s.stride[i] - s.pad[i] + tap.at[i] * s.dilation[i];
              const Index moved =
                  ((g * taps + t) * static_cast<Index>(R) + static_cast<Index>(i)) * out_size + p;
              at[i] = static_cast<A>(fixed) + static_cast<A>(offset[moved]);
            }
            A v = sample_linear<R>(x + (n * channels + c) * in_size, s.in, at);
            if (mask != nullptr) v *= static_cast<A>(mask[(g * taps + t) * out_size + p]);
            sum += v * static_cast<A>(w[(m * s.in_c + k) * taps + t]);
            ++t;
          } while (tap.next(s.kernel));
        }
        *y++ = static_cast<T>(sum);
        ++p;
      } while (out.next(s.out));
    }
  }
}

}  // namespace onnxc
