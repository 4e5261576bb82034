// image_vp8.hpp - a VP8 key frame (RFC 6386), the lossy half of WebP.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_vp8_tables.hpp"

namespace onnxc {

namespace image::vp8 {

// The arithmetic decoder of bits.
struct BoolReader {
  Bytes in{nullptr, 0};
  Index at = 0;
  std::uint64_t value = 0;
  std::uint32_t range = 255;
  int held = -8;  // bits of value beyond the eight in use
  bool failed = false;

  void fill() {
    while (held < 0) {
      failed = failed || at >= in.size;
      value = value << 8 | in.u8(at++);
      held += 8;
    }
  }
  int bit(std::uint32_t chance) {
    if (held < 0) fill();
    const std::uint32_t split = 1 + (((range - 1) * chance) >> 8);
    const std::uint64_t edge = std::uint64_t{split} << held;
    const bool one = value >= edge;
    if (one) value -= edge;
    range = one ? range - split : split;
    for (; range < 128; range <<= 1) --held;
    return one ? 1 : 0;
  }
  int number(int bits) {
    int v = 0;
    for (; bits > 0; --bits) v = 2 * v + bit(128);
    return v;
  }
  int signed_number(int bits) {
    const int v = number(bits);
    return bit(128) != 0 ? -v : v;
  }
  int optional_number(int bits) { return bit(128) != 0 ? signed_number(bits) : 0; }
};

struct Quantiser {
  int y1[2], y2[2], uv[2];  // step of the first coefficient, of the others
};

struct Filter {
  int limit = 0, inner_limit = 0, edge_threshold = 0;
  bool inner = false;
};

// A plane with the border that prediction reads: a row above, a column to the left, and what lies
// above and to the right of the last block.
struct Plane {
  std::uint8_t* pixels = nullptr;  // of (0, 0)
  Index stride = 0;
  std::uint8_t* at(Index y, Index x) const { return pixels + y * stride + x; }
};

enum Mode : std::uint8_t { dc, tm, ve, he, rd, vr, ld, vl, hd, hu };

struct Block {
  bool fine = false;  // each 4x4 block has its own mode
  std::uint8_t mode[16], chroma = 0, segment = 0;
  bool skip = false;
  std::int16_t coefficients[25 * 16];
};

struct Decoder {
  Extents extents;
  Index blocks_x = 0, blocks_y = 0;
  BoolReader header, part[8];
  int parts = 1;

  bool segmented = false, segment_map = false, absolute = true;
  int segment_step[4] = {}, segment_filter[4] = {};
  std::uint32_t segment_chance[3] = {255, 255, 255};
  bool simple_filter = false, filter_deltas = false;
  int filter_level = 0, sharpness = 0, frame_delta = 0, fine_delta = 0;
  Quantiser quantiser[4];
  std::uint8_t chances[kChances];
  bool skips = false;
  std::uint32_t skip_chance = 0;

  // Beside the present block: modes of 4x4 blocks, whether blocks had coefficients (4 luma, 2 and 2
  // chroma, 1 of luma averages).
  std::uint8_t *top_mode = nullptr, *top_full = nullptr;
  std::uint8_t left_mode[4], left_full[9];
  Filter* filter = nullptr;  // by block
  Plane plane[3];
  Block block;
};

// in: the frame.
inline bool read_extents(const Bytes& in, Extents& extents) {
  if (!in.matches(3, "\x9D\x01\x2A", 3) || !in.has(0, 10)) return false;
  const std::uint32_t tag = in.u8(0);
  // A key frame of a known profile, to be shown.
  if ((tag & 1U) != 0 || (tag >> 1 & 7U) > 3 || (tag >> 4 & 1U) == 0) return false;
  extents = {static_cast<Index>(in.le16(8) & 0x3FFFU), static_cast<Index>(in.le16(6) & 0x3FFFU)};
  return is_sensible(extents.height, extents.width);
}

inline void read_segments(Decoder& d) {
  BoolReader& in = d.header;
  d.segmented = in.bit(128) != 0;
  if (!d.segmented) return;
  d.segment_map = in.bit(128) != 0;
  if (in.bit(128) != 0) {
    d.absolute = in.bit(128) != 0;
    for (int& step : d.segment_step) step = in.optional_number(7);
    for (int& level : d.segment_filter) level = in.optional_number(6);
  }
  if (!d.segment_map) return;
  for (std::uint32_t& chance : d.segment_chance)
    chance = in.bit(128) != 0 ? static_cast<std::uint32_t>(in.number(8)) : 255U;
}

inline void read_filter(Decoder& d) {
  BoolReader& in = d.header;
  d.simple_filter = in.bit(128) != 0;
  d.filter_level = in.number(6);
  d.sharpness = in.number(3);
  d.filter_deltas = in.bit(128) != 0;
  if (!d.filter_deltas || in.bit(128) == 0) return;
  int delta[8] = {};
  for (int& v : delta) v = in.optional_number(6);
  d.frame_delta = delta[0];
  d.fine_delta = delta[4];
}

// rest: what follows the first partition.
inline bool read_parts(Decoder& d, const Bytes& rest) {
  d.parts = 1 << d.header.number(2);
  Index at = 3 * (d.parts - 1);
  if (!rest.has(0, at)) return false;
  for (int p = 0; p < d.parts; ++p) {
    const Index size_at = 3 * p, left = rest.size - at;
    auto size = static_cast<Index>(rest.le16(size_at) | rest.u8(size_at + 2) << 16);
    if (p == d.parts - 1 || size > left) size = left;
    d.part[p].in = rest.part(at, size);
    at += size;
  }
  return d.part[d.parts - 1].in.size > 0;
}

inline int clamp_step(int index, int most) { return index < 0 ? 0 : index > most ? most : index; }

inline void read_quantisers(Decoder& d) {
  BoolReader& in = d.header;
  const int base = in.number(7);
  const int y1_dc = in.optional_number(4), y2_dc = in.optional_number(4);
  const int y2_ac = in.optional_number(4), uv_dc = in.optional_number(4);
  const int uv_ac = in.optional_number(4);
  for (int s = 0; s < 4; ++s) {
    int index = base;
    if (d.segmented) index = d.segment_step[s] + (d.absolute ? 0 : base);
    Quantiser& q = d.quantiser[s];
    q.y1[0] = kDcStep[clamp_step(index + y1_dc, 127)];
    q.y1[1] = kAcStep[clamp_step(index, 127)];
    q.y2[0] = kDcStep[clamp_step(index + y2_dc, 127)] * 2;
    q.y2[1] = kAcStep[clamp_step(index + y2_ac, 127)] * 155 / 100;
    if (q.y2[1] < 8) q.y2[1] = 8;
    q.uv[0] = kDcStep[clamp_step(index + uv_dc, 117)];
    q.uv[1] = kAcStep[clamp_step(index + uv_ac, 127)];
  }
}

inline bool read_header(Decoder& d, const Bytes& in) {
  if (!read_extents(in, d.extents)) return false;
  const auto first = static_cast<Index>((in.le16(0) | in.u8(2) << 16) >> 5);
  if (!in.has(10, first)) return false;
  d.blocks_x = (d.extents.width + 15) / 16;
  d.blocks_y = (d.extents.height + 15) / 16;
  d.header.in = in.part(10, first);
  d.header.number(2);  // color space and clamping, of no effect
  read_segments(d);
  read_filter(d);
  if (d.header.failed || !read_parts(d, in.part(10 + first, in.size - 10 - first))) return false;
  read_quantisers(d);
  d.header.bit(128);  // whether the probabilities stay for later frames
  for (int i = 0; i < kChances; ++i)
    d.chances[i] = d.header.bit(kUpdateChances[i]) != 0
                       ? static_cast<std::uint8_t>(d.header.number(8))
                       : kTokenChances[i];
  d.skips = d.header.bit(128) != 0;
  if (d.skips) d.skip_chance = static_cast<std::uint32_t>(d.header.number(8));
  return !d.header.failed;
}

// ---- modes -------------------------------------------------------------------------------------

inline std::uint8_t read_fine_mode(BoolReader& in, const std::uint8_t* p) {
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
    const bool upper = in.bit(d.segment_chance[0]) != 0;
    const int low = in.bit(d.segment_chance[upper ? 2 : 1]);
    b.segment = static_cast<std::uint8_t>(low + (upper ? 2 : 0));
  }
  b.skip = d.skips && in.bit(d.skip_chance) != 0;
  b.fine = in.bit(145) == 0;
  if (b.fine) {
    for (int i = 0; i < 16; ++i) {
      const std::uint8_t above = top[i % 4], left = d.left_mode[i / 4];
      b.mode[i] = read_fine_mode(in, kModeChances + (above * 10 + left) * 9);
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

// ---- coefficients ------------------------------------------------------------------------------

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

// Reads coefficients from `from` on; returns the place behind the last one.
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

// The averages of the luma blocks, coded as a block of their own.
inline void spread_averages(const std::int16_t* in, std::int16_t* out) {
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

// Whether any block has something to add to the prediction.
inline bool read_coefficients(Decoder& d, BoolReader& in, Index x) {
  Block& b = d.block;
  const Quantiser& q = d.quantiser[b.segment];
  std::uint8_t *const top = d.top_full + 9 * x, *const left = d.left_full;
  constexpr int kind = 8 * 3 * 11;
  bool some = false;
  std::memset(b.coefficients, 0, sizeof b.coefficients);
  if (!b.fine) {
    std::int16_t averages[16] = {};
    const int n = read_block(in, d.chances + kind, top[8] + left[8], q.y2, 0, averages);
    top[8] = left[8] = n > 0 ? 1 : 0;
    spread_averages(averages, b.coefficients);
  }
  const int first = b.fine ? 0 : 1;
  const auto read = [&](int block, int from, const std::uint8_t* chances, const int* step, int t,
                        int l) {
    std::int16_t* const out = b.coefficients + block * 16;
    const int n = read_block(in, chances, top[t] + left[l], step, from, out);
    top[t] = left[l] = n > from ? 1 : 0;
    some = some || n > 1 || out[0] != 0;
  };
  for (int i = 0; i < 16; ++i)
    read(i, first, d.chances + (b.fine ? 3 * kind : 0), q.y1, i % 4, i / 4);
  for (int i = 0; i < 8; ++i) {
    const int c = 4 + i / 4 * 2;
    read(16 + i, 0, d.chances + 2 * kind, q.uv, c + i % 2, c + i % 4 / 2);
  }
  return some;
}

inline void skip_coefficients(Decoder& d, Index x) {
  // The averages keep their context where there are none.
  const std::size_t count = d.block.fine ? 8 : 9;
  std::memset(d.top_full + 9 * x, 0, count);
  std::memset(d.left_full, 0, count);
}

// ---- reconstruction ----------------------------------------------------------------------------

inline std::uint8_t to_byte(std::int64_t v) {
  return static_cast<std::uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v);
}

inline void add_transform(const std::int16_t* in, std::uint8_t* out, Index stride) {
  // 64 bits, as hostile coefficients go beyond 32.
  using Wide = std::int64_t;
  const auto by_1 = [](Wide v) { return ((v * 20091) >> 16) + v; };
  const auto by_2 = [](Wide v) { return (v * 35468) >> 16; };
  Wide t[16];
  for (int i = 0; i < 4; ++i) {
    const Wide a = in[i] + in[8 + i], b = in[i] - in[8 + i];
    const Wide c = by_2(in[4 + i]) - by_1(in[12 + i]), e = by_1(in[4 + i]) + by_2(in[12 + i]);
    t[4 * i] = a + e, t[4 * i + 1] = b + c, t[4 * i + 2] = b - c, t[4 * i + 3] = a - e;
  }
  for (int i = 0; i < 4; ++i) {
    const Wide a = t[i] + 4 + t[8 + i], b = t[i] + 4 - t[8 + i];
    const Wide c = by_2(t[4 + i]) - by_1(t[12 + i]), e = by_1(t[4 + i]) + by_2(t[12 + i]);
    std::uint8_t* const row = out + i * stride;
    row[0] = to_byte(row[0] + ((a + e) >> 3));
    row[1] = to_byte(row[1] + ((b + c) >> 3));
    row[2] = to_byte(row[2] + ((b - c) >> 3));
    row[3] = to_byte(row[3] + ((a - e) >> 3));
  }
}

inline void add_block(const std::int16_t* in, std::uint8_t* out, Index stride) {
  bool any = false;
  for (int i = 0; i < 16; ++i) any = any || in[i] != 0;
  if (any) add_transform(in, out, stride);
}

// Predicts a square of luma or chroma from the row above and the column to the left.
inline void predict(std::uint8_t* p, Index stride, Index size, int mode, bool has_top,
                    bool has_left) {
  const std::uint8_t* const top = p - stride;
  const int corner = top[-1];
  int sum = 0, average = 128;
  if (mode == dc && (has_top || has_left)) {
    for (Index i = 0; i < size; ++i)
      sum += (has_top ? top[i] : 0) + (has_left ? p[i * stride - 1] : 0);
    const int count = static_cast<int>(size) * (has_top && has_left ? 2 : 1);
    average = (sum + count / 2) / count;
  }
  for (Index y = 0; y < size; ++y) {
    std::uint8_t* const row = p + y * stride;
    const int left = row[-1];
    for (Index x = 0; x < size; ++x) {
      const int v = mode == ve   ? top[x]
                    : mode == he ? left
                    : mode == tm ? to_byte(left + top[x] - corner)
                                 : average;
      row[x] = static_cast<std::uint8_t>(v);
    }
  }
}

// Predicts a 4x4 block. edge: what borders it, from the lower left, its end twice, over the corner
// (5) to the right of what is above, its end twice.
inline std::uint8_t fine_pixel(const std::uint8_t* edge, int mode, int x, int y) {
  const auto two = [edge](int i) { return (edge[i] + edge[i + 1] + 1) >> 1; };
  const auto three = [edge](int i) { return (edge[i - 1] + 2 * edge[i] + edge[i + 1] + 2) >> 2; };
  int v = 0;
  switch (mode) {
    case tm:
      return to_byte(edge[4 - y] + edge[6 + x] - edge[5]);
    case ve:
      v = three(6 + x);
      break;
    case he:
      v = three(4 - y);
      break;
    case rd:
      v = three(5 + x - y);
      break;
    case ld:
      v = three(7 + x + y);
      break;
    case vr: {
      const int i = x - y / 2;
      v = i < 0 ? three(6 - y) : y % 2 == 0 ? two(5 + i) : three(5 + i);
      break;
    }
    case vl:
      if (x == 3 && y >= 2)
        v = three(9 + y);
      else
        v = y % 2 == 0 ? two(6 + x + y / 2) : three(7 + x + y / 2);
      break;
    case hd: {
      const int i = y - x / 2;
      v = i < 0 ? three(4 + x) : x % 2 == 0 ? two(4 - i) : three(5 - i);
      break;
    }
    case hu: {
      const int i = y + x / 2;
      v = i > 2 ? edge[1] : x % 2 == 0 ? two(3 - i) : three(3 - i);
      break;
    }
    default:
      for (int i = 1; i <= 4; ++i) v += edge[i] + edge[5 + i];
      v = (v + 4) >> 3;
  }
  return static_cast<std::uint8_t>(v);
}

inline void predict_fine(const Decoder& d, Index by, Index bx) {
  const Plane& y_plane = d.plane[0];
  // Right of what is above; the lower rows of blocks use it as well.
  std::uint8_t beyond[4];
  const std::uint8_t* const above = y_plane.at(16 * by - 1, 16 * bx);
  for (int i = 0; i < 4; ++i)
    beyond[i] = by > 0 && bx == d.blocks_x - 1 ? above[15] : above[16 + i];
  for (int n = 0; n < 16; ++n) {
    std::uint8_t* const p = y_plane.at(16 * by + n / 4 * 4, 16 * bx + n % 4 * 4);
    const std::uint8_t* const top = p - y_plane.stride;
    std::uint8_t edge[15];
    for (Index i = 0; i < 4; ++i) edge[4 - i] = p[i * y_plane.stride - 1];
    edge[0] = edge[1];
    edge[5] = top[-1];
    for (int i = 0; i < 4; ++i) edge[6 + i] = top[i];
    for (int i = 0; i < 4; ++i) edge[10 + i] = n % 4 == 3 ? beyond[i] : top[4 + i];
    edge[14] = edge[13];
    for (int i = 0; i < 16; ++i)
      p[i / 4 * y_plane.stride + i % 4] = fine_pixel(edge, d.block.mode[n], i % 4, i / 4);
    add_block(d.block.coefficients + 16 * n, p, y_plane.stride);
  }
}

inline void reconstruct(const Decoder& d, Index by, Index bx) {
  const Block& b = d.block;
  if (b.fine) {
    predict_fine(d, by, bx);
  } else {
    const Plane& luma = d.plane[0];
    predict(luma.at(16 * by, 16 * bx), luma.stride, 16, b.mode[0], by > 0, bx > 0);
    for (int n = 0; n < 16; ++n)
      add_block(b.coefficients + 16 * n, luma.at(16 * by + n / 4 * 4, 16 * bx + n % 4 * 4),
                luma.stride);
  }
  for (int c = 1; c < 3; ++c) {
    const Plane& chroma = d.plane[c];
    predict(chroma.at(8 * by, 8 * bx), chroma.stride, 8, b.chroma, by > 0, bx > 0);
    for (int n = 0; n < 4; ++n)
      add_block(b.coefficients + (12 + 4 * c + n) * 16,
                chroma.at(8 * by + n / 2 * 4, 8 * bx + n % 2 * 4), chroma.stride);
  }
}

// ---- the filter over block edges ---------------------------------------------------------------

inline Filter filter_strength(const Decoder& d, const Block& b, bool some) {
  Filter f;
  int level = d.filter_level;
  if (d.segmented) level = d.segment_filter[b.segment] + (d.absolute ? 0 : level);
  if (d.filter_deltas) level += d.frame_delta + (b.fine ? d.fine_delta : 0);
  level = level < 0 ? 0 : level > 63 ? 63 : level;
  if (level == 0) return f;
  int inner = level;
  if (d.sharpness > 0) {
    inner >>= d.sharpness > 4 ? 2 : 1;
    if (inner > 9 - d.sharpness) inner = 9 - d.sharpness;
  }
  f.inner_limit = inner < 1 ? 1 : inner;
  f.limit = 2 * level + f.inner_limit;
  f.edge_threshold = level >= 40 ? 2 : level >= 15 ? 1 : 0;
  f.inner = b.fine || some;
  return f;
}

inline int magnitude(int v) { return v < 0 ? -v : v; }
inline int clamp_to(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

// Four pixels across an edge at p: two or all change.
inline void filter_few(std::uint8_t* p, Index step, bool outer_taps) {
  const int p1 = p[-2 * step], p0 = p[-step], q0 = p[0], q1 = p[step];
  const int a = 3 * (q0 - p0) + (outer_taps ? clamp_to(p1 - q1, -128, 127) : 0);
  const int a1 = clamp_to((a + 4) >> 3, -16, 15), a2 = clamp_to((a + 3) >> 3, -16, 15);
  p[-step] = to_byte(p0 + a2);
  p[0] = to_byte(q0 - a1);
  if (outer_taps) return;
  const int a3 = (a1 + 1) >> 1;
  p[-2 * step] = to_byte(p1 + a3);
  p[step] = to_byte(q1 - a3);
}

inline void filter_six(std::uint8_t* p, Index step) {
  const int p2 = p[-3 * step], p1 = p[-2 * step], p0 = p[-step];
  const int q0 = p[0], q1 = p[step], q2 = p[2 * step];
  const int a = clamp_to(3 * (q0 - p0) + clamp_to(p1 - q1, -128, 127), -128, 127);
  const int a1 = (27 * a + 63) >> 7, a2 = (18 * a + 63) >> 7, a3 = (9 * a + 63) >> 7;
  p[-3 * step] = to_byte(p2 + a3);
  p[-2 * step] = to_byte(p1 + a2);
  p[-step] = to_byte(p0 + a1);
  p[0] = to_byte(q0 - a1);
  p[step] = to_byte(q1 - a2);
  p[2 * step] = to_byte(q2 - a3);
}

inline bool is_smooth(const std::uint8_t* p, Index step, int limit) {
  const int p1 = p[-2 * step], p0 = p[-step], q0 = p[0], q1 = p[step];
  return 4 * magnitude(p0 - q0) + magnitude(p1 - q1) <= limit;
}

// step: across the edge, along: to its next pixel.
inline void filter_edge(std::uint8_t* p, Index step, Index along, Index count, int limit,
                        const Filter& f, bool simple, bool whole) {
  const int edge_limit = 2 * limit + 1, inside = f.inner_limit;
  for (Index i = 0; i < count; ++i, p += along) {
    if (!is_smooth(p, step, edge_limit)) continue;
    if (simple) {
      filter_few(p, step, true);
      continue;
    }
    bool even = true;
    for (Index k = -4; k < 3; ++k)
      even = even && (k == -1 || magnitude(p[k * step] - p[(k + 1) * step]) <= inside);
    if (!even) continue;
    if (magnitude(p[-2 * step] - p[-step]) > f.edge_threshold ||
        magnitude(p[step] - p[0]) > f.edge_threshold) {
      filter_few(p, step, true);
    } else if (whole) {
      filter_six(p, step);
    } else {
      filter_few(p, step, false);
    }
  }
}

inline void filter_block(const Decoder& d, Index by, Index bx) {
  const Filter& f = d.filter[by * d.blocks_x + bx];
  if (f.limit == 0) return;
  const bool simple = d.simple_filter;
  for (int c = 0; c < (simple ? 1 : 3); ++c) {
    const Plane& plane = d.plane[c];
    const Index size = c == 0 ? 16 : 8, stride = plane.stride;
    std::uint8_t* const p = plane.at(size * by, size * bx);
    if (bx > 0) filter_edge(p, 1, stride, size, f.limit + 4, f, simple, true);
    for (Index i = 4; f.inner && i < size; i += 4)
      filter_edge(p + i, 1, stride, size, f.limit, f, simple, false);
    if (by > 0) filter_edge(p, stride, 1, size, f.limit + 4, f, simple, true);
    for (Index i = 4; f.inner && i < size; i += 4)
      filter_edge(p + i * stride, stride, 1, size, f.limit, f, simple, false);
  }
}

// ---- the frame ---------------------------------------------------------------------------------

template <class Memory>
bool make_plane(Plane& plane, Index height, Index width, Memory& memory) {
  constexpr Index before = 1, behind = 4;
  plane.stride = before + width + behind;
  std::uint8_t* const all = take<std::uint8_t>(memory, (height + 1) * plane.stride);
  if (all == nullptr) return false;
  std::memset(all, 127, static_cast<std::size_t>(plane.stride));
  plane.pixels = all + plane.stride + before;
  for (Index y = 0; y < height; ++y) *plane.at(y, -1) = 129;
  return true;
}

template <class Memory>
Status make_room(Decoder& d, Memory& memory) {
  const Index blocks = d.blocks_x * d.blocks_y;
  bool good = true;
  for (int c = 0; c < 3; ++c) {
    const Index size = c == 0 ? 16 : 8;
    good = good && make_plane(d.plane[c], size * d.blocks_y, size * d.blocks_x, memory);
  }
  d.filter = take<Filter>(memory, blocks);
  d.top_mode = take_zeroed<std::uint8_t>(memory, 4 * d.blocks_x);
  d.top_full = take_zeroed<std::uint8_t>(memory, 9 * d.blocks_x);
  good = good && d.filter != nullptr && d.top_mode != nullptr && d.top_full != nullptr;
  return good ? Status::ok : Status::out_of_memory;
}

inline bool decode_blocks(Decoder& d) {
  for (Index y = 0; y < d.blocks_y; ++y) {
    BoolReader& in = d.part[y % d.parts];
    std::memset(d.left_mode, dc, sizeof d.left_mode);
    std::memset(d.left_full, 0, sizeof d.left_full);
    for (Index x = 0; x < d.blocks_x; ++x) {
      read_modes(d, x);
      bool some = false;
      if (d.block.skip) {
        skip_coefficients(d, x);
        std::memset(d.block.coefficients, 0, sizeof d.block.coefficients);
      } else {
        some = read_coefficients(d, in, x);
      }
      if (in.failed || d.header.failed) return false;
      d.filter[y * d.blocks_x + x] = filter_strength(d, d.block, some);
      reconstruct(d, y, x);
    }
  }
  // Prediction reads unfiltered pixels, so the filter waits.
  for (Index y = 0; d.filter_level != 0 && y < d.blocks_y; ++y)
    for (Index x = 0; x < d.blocks_x; ++x) filter_block(d, y, x);
  return true;
}

// One chroma sample of the resolution of luma: nine parts of the nearest and one of the farthest of
// four.
inline int chroma_at(const Plane& plane, Index y, Index far_y, Index x, Index far_x) {
  const int v = 9 * *plane.at(y, x) + 3 * *plane.at(far_y, x) + 3 * *plane.at(y, far_x) +
                *plane.at(far_y, far_x) + 8;
  return v >> 4;
}

inline Index beside(Index i, Index count) {
  const Index far = i % 2 == 0 ? i / 2 - 1 : i / 2 + 1;
  return far < 0 || far >= count ? i / 2 : far;
}

// The pixels at (top, left) of the sink, as far as they lie inside.
inline void put_pixels(const Decoder& d, const Sink& out, Index top, Index left) {
  const Index chroma_h = (d.extents.height + 1) / 2, chroma_w = (d.extents.width + 1) / 2;
  const auto channel = [](int v) { return to_byte(v >> 6); };
  for (Index y = 0; y < d.extents.height; ++y)
    for (Index x = 0; x < d.extents.width; ++x) {
      if (!out.inside(top + y, left + x)) continue;
      const Index far_y = beside(y, chroma_h), far_x = beside(x, chroma_w);
      const int luma = (*d.plane[0].at(y, x) * 19077) >> 8;
      const int u = chroma_at(d.plane[1], y / 2, far_y, x / 2, far_x);
      const int v = chroma_at(d.plane[2], y / 2, far_y, x / 2, far_x);
      out.rgb(top + y, left + x, channel(luma + ((v * 26149) >> 8) - 14234),
              channel(luma - ((u * 6419) >> 8) - ((v * 13320) >> 8) + 8708),
              channel(luma + ((u * 33050) >> 8) - 17685));
    }
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Index top, Index left, Memory& memory) {
  Decoder* const d = make<Decoder>(memory);
  if (d == nullptr) return Status::out_of_memory;
  if (!read_header(*d, in)) return Status::bad_value;
  const Status status = make_room(*d, memory);
  if (status != Status::ok) return status;
  if (!decode_blocks(*d)) return Status::bad_value;
  put_pixels(*d, out, top, left);
  return Status::ok;
}

}  // namespace image::vp8

}  // namespace onnxc
