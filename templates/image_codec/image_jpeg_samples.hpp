// image_jpeg_samples.hpp - from the coefficients of JPEG blocks to rows of pixels.
//
// The inverse transform, the upsampling and the color tables round as the integer method of the
// Independent JPEG Group does with smooth ("fancy") upsampling.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg_header.hpp"

namespace onnxc {

namespace image::jpeg {

using Word = std::uint32_t;  // wraps, so that hostile coefficients do not overflow

constexpr Word word(int v) { return static_cast<Word>(v); }

// Inverse DCT of eight values at a stride. The constants have 13 fraction bits; `shift` bits are
// rounded away.
inline void inverse_dct_8(const std::int16_t* in, Index stride, int shift, int* out) {
  const auto at = [&](Index i) { return word(in[i * stride]); };
  const Word z1 = (at(2) + at(6)) * word(4433);
  const Word even_2 = z1 - at(6) * word(15137), even_3 = z1 + at(2) * word(6270);
  const Word sum = (at(0) + at(4)) << 13, difference = (at(0) - at(4)) << 13;
  const Word e[4] = {sum + even_3, difference + even_2, difference - even_2, sum - even_3};

  const Word a = at(7) + at(1), b = at(5) + at(3), c = at(7) + at(3), d = at(5) + at(1);
  const Word z5 = (c + d) * word(9633);
  const Word za = Word{0} - a * word(7373), zb = Word{0} - b * word(20995);
  const Word zc = z5 - c * word(16069), zd = z5 - d * word(3196);
  const Word o[4] = {at(1) * word(12299) + za + zd, at(3) * word(25172) + zb + zc,
                     at(5) * word(16819) + zb + zd, at(7) * word(2446) + za + zc};
  const Word half = Word{1} << (shift - 1);
  for (int i = 0; i < 4; ++i) {
    out[i] = static_cast<int>(e[i] + o[i] + half) >> shift;
    out[7 - i] = static_cast<int>(e[i] - o[i] + half) >> shift;
  }
}

inline std::int16_t saturated(int v) {
  return static_cast<std::int16_t>(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
}

inline void inverse_dct_block(const std::int16_t* block, const std::uint16_t* quant,
                              std::uint8_t* samples, Index stride) {
  std::int16_t scaled_block[64], columns[64];
  for (int i = 0; i < 64; ++i)
    scaled_block[i] = static_cast<std::int16_t>(word(block[i]) * quant[i] & 0xFFFFU);
  int line[8];
  for (Index x = 0; x < 8; ++x) {
    inverse_dct_8(scaled_block + x, 8, 11, line);
    for (Index y = 0; y < 8; ++y) columns[y * 8 + x] = saturated(line[y]);
  }
  for (Index y = 0; y < 8; ++y) {
    inverse_dct_8(columns + y * 8, 1, 18, line);
    for (Index x = 0; x < 8; ++x) {
      const int v = line[x] + 128;
      samples[y * stride + x] = static_cast<std::uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v);
    }
  }
}

inline void inverse_dct(Component& k) {
  const Index stride = 8 * k.blocks_x;
  for (Index y = 0; y < k.blocks_y; ++y)
    for (Index x = 0; x < k.blocks_x; ++x)
      inverse_dct_block(k.blocks + (y * k.blocks_x + x) * 64, k.quant,
                        k.samples + y * 8 * stride + x * 8, stride);
}

// Upsamples one row of a component to the resolution of the image. wide: scratch, the row of the
// component after vertical interpolation: [width].
inline void upsample_row(const Frame& frame, const Component& k, Index y, int* wide,
                         std::uint8_t* row) {
  const Index across = frame.max_h / k.h, down = frame.max_v / k.v, stride = 8 * k.blocks_x;
  const Index width = frame.extents.width, source = y / down;
  const std::uint8_t* const near = k.samples + source * stride;
  const bool smooth_x = across == 2 && k.width > 2;
  if (down != 2 || across > 2 || (across == 2 && !smooth_x)) {
    if (!smooth_x || down != 1) {
      for (Index x = 0; x < width; ++x) row[x] = near[x / across];
      return;
    }
    for (Index x = 0; x < width; ++x) {
      const Index i = x / 2, other = x % 2 == 0 ? i - 1 : i + 1;
      const int bias = x % 2 == 0 ? 1 : 2;
      row[x] = other < 0 || other >= k.width
                   ? near[i]
                   : static_cast<std::uint8_t>((3 * near[i] + near[other] + bias) >> 2);
    }
    return;
  }
  Index neighbour = y % 2 == 0 ? source - 1 : source + 1;
  if (neighbour < 0) neighbour = 0;
  if (neighbour >= k.height) neighbour = k.height - 1;
  const std::uint8_t* const far = k.samples + neighbour * stride;
  for (Index i = 0; i < k.width; ++i) wide[i] = 3 * near[i] + far[i];
  if (across == 1) {
    const int bias = y % 2 == 0 ? 1 : 2;
    for (Index x = 0; x < width; ++x) row[x] = static_cast<std::uint8_t>((wide[x] + bias) >> 2);
    return;
  }
  for (Index x = 0; x < width; ++x) {
    const Index i = x / 2;
    Index other = x % 2 == 0 ? i - 1 : i + 1;
    if (other < 0 || other >= k.width) other = i;
    const int bias = x % 2 == 0 ? 8 : 7;
    row[x] = static_cast<std::uint8_t>((3 * wide[i] + wide[other] + bias) >> 4);
  }
}

struct Rgb {
  std::uint32_t r, g, b;
};

inline std::uint32_t clamped(int v) {
  return static_cast<std::uint32_t>(v < 0 ? 0 : v > 255 ? 255 : v);
}

inline Rgb from_ycc(int y, int cb, int cr) {
  constexpr int half = 1 << 15;
  cb -= 128;
  cr -= 128;
  return {clamped(y + ((91881 * cr + half) >> 16)),
          clamped(y + ((-46802 * cr - 22554 * cb + half) >> 16)),
          clamped(y + ((116130 * cb + half) >> 16))};
}

// Whether the first three components are luma and chroma.
inline bool is_ycc(const Frame& frame, const Tables& tables) {
  if (frame.count == 4) return tables.adobe && tables.adobe_transform != 0;
  if (tables.jfif) return true;
  if (tables.adobe) return tables.adobe_transform != 0;
  const Component* const k = frame.component;
  return !(k[0].id == 'R' && k[1].id == 'G' && k[2].id == 'B');
}

// rows: one row per component. CMYK is stored inverted, as Adobe does.
inline void put_row(const Frame& frame, bool ycc, std::uint8_t* const* rows, Index y,
                    const Sink& out) {
  for (Index x = 0; x < frame.extents.width; ++x) {
    if (frame.count == 1) {
      out.gray(y, x, rows[0][x]);
      continue;
    }
    Rgb p{rows[0][x], rows[1][x], rows[2][x]};
    if (ycc) p = from_ycc(rows[0][x], rows[1][x], rows[2][x]);
    if (frame.count == 3) {
      out.rgb(y, x, p.r, p.g, p.b);
    } else if (ycc) {
      out.cmyk(y, x, p.r, p.g, p.b, 255U - rows[3][x]);
    } else {
      out.cmyk(y, x, 255U - p.r, 255U - p.g, 255U - p.b, 255U - rows[3][x]);
    }
  }
}

}  // namespace image::jpeg

}  // namespace onnxc
