// col2im.hpp - sums columns of windows back into an image of any rank.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime_min/types.hpp"
#include "templates/convolution/conv_transpose_nd.hpp"
#include "templates/convolution/window.hpp"
#include "templates/fn/arithmetic.hpp"

namespace onnxc {

// Windows of the run-time block over the image.
template <std::size_t R>
struct Columns {
  Index in[R], kernel[R], stride[R], dilation[R], pad[R];
};

// The channels and the spatial extents of the image.  s: rank, rows.
template <class S>
Status col2im_extents(S s, const std::int64_t* image, const std::int64_t* block, Index* extents) {
  std::int64_t left = s.rows;
  for (Index i = 0; i < s.rank; ++i) {
    if (block[i] < 1 || left % block[i] != 0 || image[i] < 0) return Status::bad_shape;
    left /= block[i];
    if (image[i] > std::numeric_limits<Index>::max() / 4) return Status::bad_shape;
    extents[i + 1] = static_cast<Index>(image[i]);
  }
  extents[0] = static_cast<Index>(left);
  return Status::ok;
}

// x: [batch, channels * block, windows], image, block: [R], y: [batch, channels, out].
// s: batch, channels, taps, windows, out[R], stride[R], dilation[R], pad[R], pad_end[R].
template <std::size_t R, class S, class T>
Status col2im(S s, const T* x, const std::int64_t* image, const std::int64_t* block, T* y) {
  using A = compute_t<T>;
  Columns<R> c{};
  for (std::size_t i = 0; i < R; ++i) {
    if (image[i] != s.out[i] || block[i] < 1 || block[i] > s.taps) return Status::bad_shape;
    c.kernel[i] = static_cast<Index>(block[i]);
    c.stride[i] = s.stride[i];
    c.dilation[i] = s.dilation[i];
    c.pad[i] = s.pad[i];
    const Index extent = s.out[i] + s.pad[i] + s.pad_end[i] - s.dilation[i] * (c.kernel[i] - 1) - 1;
    if (extent < 0) return Status::bad_shape;
    c.in[i] = extent / s.stride[i] + 1;
  }
  if (box_size<R>(c.kernel) != s.taps || box_size<R>(c.in) != s.windows) return Status::bad_shape;
  if (box_size<R>(s.out) == 0) return Status::ok;
  for (Index n = 0; n < s.batch * s.channels; ++n, x += s.taps * s.windows) {
    Position<R> out;
    do {
      A sum{};
      Position<R> tap;
      Index t = 0;
      do {
        const Index offset = source_offset<R>(c, out, tap);
        if (offset >= 0) sum = fn::add<A>(sum, static_cast<A>(x[t * s.windows + offset]));
        ++t;
      } while (tap.next(c.kernel));
      *y++ = static_cast<T>(sum);
    } while (out.next(s.out));
  }
  return Status::ok;
}

}  // namespace onnxc
