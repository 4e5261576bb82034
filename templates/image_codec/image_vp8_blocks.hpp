// image_vp8_blocks.hpp - the macroblocks of a VP8 key frame: prediction modes (RFC 6386, sections
// 8, 10 and 11) and coefficients (section 13).
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_vp8_header.hpp"
#include "templates/image_codec/image_vp8_tables.hpp"

namespace onnxc {

namespace image::vp8 {

inline std::uint8_t read_subblock_mode(BoolReader& in, const std::uint8_t* p) {
  if (in.bit(p[0]) == 0) return dc;
  if (in.bit(p[1]) == 0) return tm;
  if (in.bit(p[2]) == 0) return ve;
  if (in.bit(p[3]) == 0) {
    if (in.bit(p[4]) == 0) return he;
    return in.bit(p[5]) == 0 ? rd : vr;
  }
  if (in.bit(p[6]) == 0) return ld;
  if (in.bit(p[7]) == 0) return vl;
  return in.bit(p[8]) == 0 ? hd : hu;
}

inline void read_modes(Decoder& d, Index x) {
  BoolReader& in = d.header;
  Block& b = d.block;
  std::uint8_t* const top = d.top_mode + 4 * x;
  b.segment = 0;
  if (d.segment_map) {
    const bool upper = in.bit(d.segment_probability[0]) != 0;
    const int low = in.bit(d.segment_probability[upper ? 2 : 1]);
    b.segment = static_cast<std::uint8_t>(low + (upper ? 2 : 0));
  }
  b.skip = d.skips && in.bit(d.skip_probability) != 0;
  b.has_subblock_modes = in.bit(145) == 0;
  if (b.has_subblock_modes) {
    for (int i = 0; i < 16; ++i) {
      const std::uint8_t above = top[i % 4], left = d.left_mode[i / 4];
      b.mode[i] = read_subblock_mode(in, kModeChances + (above * 10 + left) * 9);
      top[i % 4] = d.left_mode[i / 4] = b.mode[i];
    }
  } else {
    const bool second = in.bit(156) != 0;
    b.mode[0] = second ? (in.bit(128) != 0 ? tm : he) : (in.bit(163) != 0 ? ve : dc);
    std::memset(top, b.mode[0], 4);
    std::memset(d.left_mode, b.mode[0], 4);
  }
  b.chroma = dc;
  if (in.bit(142) == 0) return;
  b.chroma = in.bit(114) == 0 ? ve : in.bit(183) != 0 ? tm : he;
}

inline int read_large(BoolReader& in, const std::uint8_t* p) {
  if (in.bit(p[3]) == 0) {
    if (in.bit(p[4]) == 0) return 2;
    return 3 + in.bit(p[5]);
  }
  if (in.bit(p[6]) == 0) {
    if (in.bit(p[7]) == 0) return 5 + in.bit(159);
    const int high = in.bit(165);
    return 7 + 2 * high + in.bit(145);
  }
  constexpr std::uint8_t chances[4][12] = {{173, 148, 140},
                                           {176, 155, 140, 135},
                                           {180, 157, 141, 134, 130},
                                           {254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129}};
  const int high = in.bit(p[8]), group = 2 * high + in.bit(p[9 + high]);
  int v = 0;
  for (const std::uint8_t* c = chances[group]; *c != 0; ++c) v = 2 * v + in.bit(*c);
  return v + 3 + (8 << group);
}

// Reads coefficients from `from` on; returns the index past the last one.
inline int read_block(BoolReader& in, const std::uint8_t* kind, int context, const int* step,
                      int from, std::int16_t* out) {
  constexpr std::uint8_t zigzag[16] = {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15};
  constexpr std::uint8_t band[17] = {0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0};
  const auto chances = [&](int n, int c) { return kind + (band[n] * 3 + c) * 11; };
  const std::uint8_t* p = chances(from, context);
  for (int n = from; n < 16; ++n) {
    if (in.bit(p[0]) == 0) return n;
    while (in.bit(p[1]) == 0) {
      if (++n == 16) return 16;
      p = chances(n, 0);
    }
    int v = 1;
    const bool large = in.bit(p[2]) != 0;
    if (large) v = read_large(in, p);
    p = chances(n + 1, large ? 2 : 1);
    if (in.bit(128) != 0) v = -v;
    out[zigzag[n]] = static_cast<std::int16_t>(v * step[n > 0 ? 1 : 0]);
  }
  return 16;
}

// Inverse Walsh-Hadamard transform of block Y2, which holds the DC values of the luma blocks.
inline void inverse_wht(const std::int16_t* in, std::int16_t* out) {
  int t[16];
  for (int i = 0; i < 4; ++i) {
    const int a0 = in[i] + in[12 + i], a1 = in[4 + i] + in[8 + i];
    const int a2 = in[4 + i] - in[8 + i], a3 = in[i] - in[12 + i];
    t[i] = a0 + a1, t[8 + i] = a0 - a1, t[4 + i] = a3 + a2, t[12 + i] = a3 - a2;
  }
  for (int i = 0; i < 4; ++i) {
    const int* const r = t + 4 * i;
    const int a0 = r[0] + 3 + r[3], a1 = r[1] + r[2], a2 = r[1] - r[2], a3 = r[0] + 3 - r[3];
    const int v[4] = {a0 + a1, a3 + a2, a0 - a1, a3 - a2};
    for (int k = 0; k < 4; ++k) out[(4 * i + k) * 16] = static_cast<std::int16_t>(v[k] >> 3);
  }
}

// Reads the coefficients of a macroblock; returns whether any is not zero.
inline bool read_coefficients(Decoder& d, BoolReader& in, Index x) {
  Block& b = d.block;
  const Quantizer& q = d.quantizer[b.segment];
  std::uint8_t *const top = d.top_nonzero + 9 * x, *const left = d.left_nonzero;
  constexpr int kind = 8 * 3 * 11;
  bool has_residual = false;
  std::memset(b.coefficients, 0, sizeof b.coefficients);
  if (!b.has_subblock_modes) {
    std::int16_t averages[16] = {};
    const int n = read_block(in, d.probabilities + kind, top[8] + left[8], q.y2, 0, averages);
    top[8] = left[8] = n > 0 ? 1 : 0;
    inverse_wht(averages, b.coefficients);
  }
  const int first = b.has_subblock_modes ? 0 : 1;
  const auto read = [&](int block, int from, const std::uint8_t* chances, const int* step, int t,
                        int l) {
    std::int16_t* const out = b.coefficients + block * 16;
    const int n = read_block(in, chances, top[t] + left[l], step, from, out);
    top[t] = left[l] = n > from ? 1 : 0;
    has_residual = has_residual || n > 1 || out[0] != 0;
  };
  for (int i = 0; i < 16; ++i)
    read(i, first, d.probabilities + (b.has_subblock_modes ? 3 * kind : 0), q.y1, i % 4, i / 4);
  for (int i = 0; i < 8; ++i) {
    const int c = 4 + i / 4 * 2;
    read(16 + i, 0, d.probabilities + 2 * kind, q.uv, c + i % 2, c + i % 4 / 2);
  }
  return has_residual;
}

inline void skip_coefficients(Decoder& d, Index x) {
  // The context of block Y2 stays where the macroblock has none.
  const std::size_t count = d.block.has_subblock_modes ? 8 : 9;
  std::memset(d.top_nonzero + 9 * x, 0, count);
  std::memset(d.left_nonzero, 0, count);
}

}  // namespace image::vp8

}  // namespace onnxc
