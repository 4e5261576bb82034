// gather_taps.hpp - second half of a channels-last transposed convolution: sums the taps that reach
// each output.
#pragma once

#include "runtime_min/simd.hpp"
#include "runtime_min/types.hpp"
#include "templates/convolution/conv_transpose_nd.hpp"
#include "templates/matmul/matmul_tile.hpp"

namespace onnxc {

// products: [batch, in, kernel, channels], bias: [channels] or null, y: [batch, out, channels].
// s: batch, channels, in[R], out[R], kernel[R], stride[R], dilation[R], pad[R].
template <std::size_t R, class S, class Epilogue = NoEpilogue>
void gather_taps(S s, const float* products, const float* bias, float* y, Epilogue epilogue = {}) {
  const Index in_size = box_size<R>(s.in), taps = box_size<R>(s.kernel);
  if (box_size<R>(s.out) == 0) return;
  Index at = 0;
  for (Index n = 0; n < s.batch; ++n, products += in_size * taps * s.channels) {
    Position<R> out;
    do {
      float* row = y + at;
      for (Index c = 0; c < s.channels; ++c) row[c] = bias != nullptr ? bias[c] : 0.0f;
      Position<R> tap;
      Index t = 0;
      do {
        const Index offset = source_offset<R>(s, out, tap);
        if (offset >= 0) {
          const float* from = products + (offset * taps + t) * s.channels;
          Index c = 0;
          for (; c + kLanes <= s.channels; c += kLanes)
            store(row + c, load(row + c) + load(from + c));
          for (; c < s.channels; ++c) row[c] += from[c];
        }
        ++t;
      } while (tap.next(s.kernel));
      if constexpr (has_epilogue<Epilogue>) epilogue_row(row, at, 0, s.channels, epilogue);
      at += s.channels;
    } while (out.next(s.out));
  }
}

}  // namespace onnxc
