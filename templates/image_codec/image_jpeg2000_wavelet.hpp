// image_jpeg2000_wavelet.hpp - the inverse wavelet transforms of JPEG 2000 (ITU-T T.800, annex F),
// in place.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_jpeg2000_codestream.hpp"

namespace onnxc {

namespace image::jpeg2000 {

// Integers wrap, so that hostile coefficients do not overflow.
inline std::int32_t plus(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
inline std::int32_t minus(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

// Calls f(i, left, right) for every second index from `from`, with its neighbours mirrored at the
// ends.
template <class F>
void each_second(Index from, Index count, F f) {
  for (Index i = from; i < count; i += 2)
    f(i, i > 0 ? i - 1 : i + 1, i + 1 < count ? i + 1 : i - 1);
}

// odd: the first coefficient is a high-pass one.
inline void restore_line(std::int32_t* x, Index count, bool odd) {
  if (count == 1) {
    if (odd) x[0] /= 2;
    return;
  }
  const Index low = odd ? 1 : 0;
  each_second(low, count, [x](Index i, Index l, Index r) {
    x[i] = minus(x[i], plus(plus(x[l], x[r]), 2) >> 2);
  });
  each_second(1 - low, count,
              [x](Index i, Index l, Index r) { x[i] = plus(x[i], plus(x[l], x[r]) >> 1); });
}

inline void restore_line(float* x, Index count, bool odd) {
  if (count == 1) return;
  const Index low = odd ? 1 : 0;
  // The gains of the bands; that of high-pass has the factor 2 of their dynamic range.
  for (Index i = low; i < count; i += 2) x[i] *= 1.230174105F;
  for (Index i = 1 - low; i < count; i += 2) x[i] *= 1.625732422F;
  constexpr float step[4] = {-0.443506852F, -0.882911075F, 0.052980118F, 1.586134342F};
  for (int s = 0; s < 4; ++s) {
    const float c = step[s];
    each_second(s % 2 == 0 ? low : 1 - low, count,
                [x, c](Index i, Index l, Index r) { x[i] += (x[l] + x[r]) * c; });
  }
}

// Rows then columns: the lower resolution is in the upper left of data, the bands around it. line:
// scratch of eight times the longer side.
template <class T>
void restore_level(T* data, Index stride, const Area& low, const Area& full, T* line) {
  const Index width = full.width(), height = full.height();
  const bool odd_x = full.x0 % 2 != 0, odd_y = full.y0 % 2 != 0;
  for (Index y = 0; y < height; ++y) {
    T* const row = data + y * stride;
    for (Index i = 0; i < low.width(); ++i) line[2 * i + (odd_x ? 1 : 0)] = row[i];
    for (Index i = low.width(); i < width; ++i)
      line[2 * (i - low.width()) + (odd_x ? 0 : 1)] = row[i];
    restore_line(line, width, odd_x);
    for (Index i = 0; i < width; ++i) row[i] = line[i];
  }
  constexpr Index together = 8;  // columns, for the sake of the cache
  for (Index x = 0; x < width; x += together) {
    const Index columns = width - x < together ? width - x : together;
    for (Index y = 0; y < height; ++y) {
      const bool from_low = y < low.height();
      const Index to =
          from_low ? 2 * y + (odd_y ? 1 : 0) : 2 * (y - low.height()) + (odd_y ? 0 : 1);
      for (Index k = 0; k < columns; ++k) line[k * height + to] = data[y * stride + x + k];
    }
    for (Index k = 0; k < columns; ++k) restore_line(line + k * height, height, odd_y);
    for (Index y = 0; y < height; ++y)
      for (Index k = 0; k < columns; ++k) data[y * stride + x + k] = line[k * height + y];
  }
}

}  // namespace image::jpeg2000

}  // namespace onnxc
