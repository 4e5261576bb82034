// image_jpeg2000_block.hpp - code-blocks of JPEG 2000: the MQ arithmetic decoder (ITU-T T.800,
// annex C) and the coding passes over bit planes (annex D).
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"

namespace onnxc {

namespace image::jpeg2000 {

// How a code-block is coded; bits of the marker's byte.
enum Style : std::uint32_t { bypass = 1, reset = 2, terminate_all = 4, causal = 8, symbols = 32 };

// A row of table C.2: probability of the less probable symbol, next states after the more and the
// less probable one, whether the latter exchanges their roles.
struct MqState {
  std::uint16_t probability;
  std::uint8_t next_mps, next_lps;
  bool switch_mps;
};
constexpr MqState kMq[47] = {
    {0x5601, 1, 1, true},    {0x3401, 2, 6, false},   {0x1801, 3, 9, false},
    {0x0AC1, 4, 12, false},  {0x0521, 5, 29, false},  {0x0221, 38, 33, false},
    {0x5601, 7, 6, true},    {0x5401, 8, 14, false},  {0x4801, 9, 14, false},
    {0x3801, 10, 14, false}, {0x3001, 11, 17, false}, {0x2401, 12, 18, false},
    {0x1C01, 13, 20, false}, {0x1601, 29, 21, false}, {0x5601, 15, 14, true},
    {0x5401, 16, 14, false}, {0x5101, 17, 15, false}, {0x4801, 18, 16, false},
    {0x3801, 19, 17, false}, {0x3401, 20, 18, false}, {0x3001, 21, 19, false},
    {0x2801, 22, 19, false}, {0x2401, 23, 20, false}, {0x2201, 24, 21, false},
    {0x1C01, 25, 22, false}, {0x1801, 26, 23, false}, {0x1601, 27, 24, false},
    {0x1401, 28, 25, false}, {0x1201, 29, 26, false}, {0x1101, 30, 27, false},
    {0x0AC1, 31, 28, false}, {0x09C1, 32, 29, false}, {0x08A1, 33, 30, false},
    {0x0521, 34, 31, false}, {0x0441, 35, 32, false}, {0x02A1, 36, 33, false},
    {0x0221, 37, 34, false}, {0x0141, 38, 35, false}, {0x0111, 39, 36, false},
    {0x0085, 40, 37, false}, {0x0049, 41, 38, false}, {0x0025, 42, 39, false},
    {0x0015, 43, 40, false}, {0x0009, 44, 41, false}, {0x0005, 45, 42, false},
    {0x0001, 45, 43, false}, {0x5601, 46, 46, false}};

// Contexts: 0 to 8 for new coefficients, 9 to 13 for signs, 14 to 16 for refinement.
constexpr int kSignContext = 9, kRefineContext = 14, kRunContext = 17, kUniformContext = 18;

// Reads bits, arithmetically coded or raw. Past the end the data is all ones.
struct BlockReader {
  Bytes in{nullptr, 0};
  Index at = 0;
  std::uint32_t a = 0, c = 0;
  int left = 0;
  bool raw = false;
  std::uint8_t state[19] = {}, mps[19] = {};

  void reset_contexts() {
    std::memset(state, 0, sizeof state);
    std::memset(mps, 0, sizeof mps);
    state[0] = 4;
    state[kRunContext] = 3;
    state[kUniformContext] = 46;
  }
  std::uint32_t byte(Index i) const { return i < in.size ? in.data[i] : 0xFFU; }

  void start(const Bytes& bytes, bool is_raw) {
    in = bytes;
    at = 0;
    raw = is_raw;
    left = 0;
    c = 0;
    if (raw) return;
    c = byte(0) << 16;
    next();
    c <<= 7;
    left -= 7;
    a = 0x8000;
  }
  void next() {
    if (byte(at) != 0xFF) {
      c += byte(++at) << 8;
      left = 8;
    } else if (byte(at + 1) > 0x8F) {
      c += 0xFF00;
      left = 8;
    } else {
      c += byte(++at) << 9;
      left = 7;
    }
  }
  int raw_bit() {
    if (left == 0) {
      // After a byte of ones one bit is stuffed.
      left = c == 0xFF ? 7 : 8;
      c = byte(at);
      if (at < in.size) ++at;
    }
    --left;
    return static_cast<int>(c >> left & 1U);
  }
  int bit(int context) {
    const MqState& s = kMq[state[context]];
    const std::uint32_t probability = s.probability;
    a -= probability;
    bool lps;
    if (c >> 16 < probability) {
      lps = a >= probability;
      a = probability;
    } else {
      c -= probability << 16;
      if ((a & 0x8000U) != 0) return mps[context];
      lps = a < probability;
    }
    const int v = lps ? 1 - mps[context] : mps[context];
    if (lps && s.switch_mps) mps[context] = static_cast<std::uint8_t>(1 - mps[context]);
    state[context] = lps ? s.next_lps : s.next_mps;
    do {
      if (left == 0) next();
      a <<= 1;
      c <<= 1;
      --left;
    } while (a < 0x8000U);
    return v;
  }
};

// Flags of a coefficient and its neighbours.
constexpr std::uint32_t ne = 1, se = 2, sw = 4, nw = 8, north = 16, east = 32, south = 64,
                        west = 128, around = 255;
constexpr std::uint32_t minus_north = 256, minus_east = 512, minus_south = 1024, minus_west = 2048;
constexpr std::uint32_t significant = 4096, refined = 8192, visited = 16384;
constexpr std::uint32_t below = se | sw | south | minus_south;

// Room for the largest code-block: 4096 coefficients, each side at most 1024.
struct BlockCoder {
  static constexpr Index kMax = 4096;
  std::int32_t value[kMax];  // twice the coefficient, at the middle of its uncertainty interval
  std::uint16_t flags[kMax + 2 * (1024 + 4) + 4];
  Index width = 0, height = 0;
  int band = 0;  // 0 LL, 1 HL, 2 LH, 3 HH
  std::uint32_t style = 0;
  BlockReader in;

  std::uint16_t& flag(Index y, Index x) { return flags[(y + 1) * (width + 2) + x + 1]; }
  // The flags that a pass may use.
  std::uint32_t seen(Index y, Index x) {
    const std::uint32_t f = flag(y, x);
    return (style & causal) != 0 && y % 4 == 3 ? f & ~below : f;
  }
};

inline int count(std::uint32_t f, std::uint32_t a, std::uint32_t b) {
  return ((f & a) != 0 ? 1 : 0) + ((f & b) != 0 ? 1 : 0);
}

inline int zero_context(std::uint32_t f, int band) {
  if ((f & around) == 0) return 0;
  int h = count(f, east, west), v = count(f, north, south);
  const int d = count(f, ne, se) + count(f, sw, nw);
  if (band == 3) {
    const int hv = h + v;
    if (d >= 3) return 8;
    if (d == 2) return hv >= 1 ? 7 : 6;
    if (d == 1) return hv >= 2 ? 5 : hv == 1 ? 4 : 3;
    return hv >= 2 ? 2 : hv;
  }
  if (band == 1) {
    const int t = h;
    h = v;
    v = t;
  }
  if (h == 2) return 8;
  if (h == 1) return v >= 1 ? 7 : d >= 1 ? 6 : 5;
  if (v > 0) return v == 2 ? 4 : 3;
  return d >= 2 ? 2 : d;
}

// The sign of the neighbours on one axis, -1 to 1.
inline int leaning(std::uint32_t f, std::uint32_t a, std::uint32_t minus_a, std::uint32_t b,
                   std::uint32_t minus_b) {
  int v = 0;
  if ((f & a) != 0) v += (f & minus_a) != 0 ? -1 : 1;
  if ((f & b) != 0) v += (f & minus_b) != 0 ? -1 : 1;
  return v < 0 ? -1 : v > 0 ? 1 : 0;
}

inline int read_sign(BlockCoder& k, std::uint32_t f) {
  if (k.in.raw) return k.in.raw_bit();
  int h = leaning(f, east, minus_east, west, minus_west);
  int v = leaning(f, north, minus_north, south, minus_south);
  const bool turned = h < 0 || (h == 0 && v < 0);
  if (turned) h = -h, v = -v;
  const int context = kSignContext + (h == 0 ? v : 3 + v);
  return k.in.bit(context) ^ (turned ? 1 : 0);
}

// The coefficient becomes significant.
inline void set_significant(BlockCoder& k, Index y, Index x, int sign, std::int32_t value) {
  k.value[y * k.width + x] = sign != 0 ? -value : value;
  const Index stride = k.width + 2;
  std::uint16_t* const f = &k.flag(y, x);
  const auto mark = [](std::uint16_t& to, std::uint32_t flags) {
    to = static_cast<std::uint16_t>(to | flags);
  };
  mark(f[-stride - 1], se);
  mark(f[-stride], south | (sign != 0 ? minus_south : 0U));
  mark(f[-stride + 1], sw);
  mark(f[-1], east | (sign != 0 ? minus_east : 0U));
  mark(f[0], significant);
  mark(f[1], west | (sign != 0 ? minus_west : 0U));
  mark(f[stride - 1], ne);
  mark(f[stride], north | (sign != 0 ? minus_north : 0U));
  mark(f[stride + 1], nw);
}

// Calls f for all coefficients, in stripes of four rows.
template <class F>
void each_in_stripes(const BlockCoder& k, F f) {
  for (Index top = 0; top < k.height; top += 4)
    for (Index x = 0; x < k.width; ++x)
      for (Index y = top; y < top + 4 && y < k.height; ++y) f(y, x);
}

// bit_plane: twice the value of the current bit.
inline void significance_pass(BlockCoder& k, std::int32_t bit_plane) {
  each_in_stripes(k, [&](Index y, Index x) {
    const std::uint32_t f = k.seen(y, x);
    if ((f & significant) != 0 || (f & around) == 0) return;
    const int bit = k.in.raw ? k.in.raw_bit() : k.in.bit(zero_context(f, k.band));
    if (bit != 0) set_significant(k, y, x, read_sign(k, f), bit_plane | bit_plane >> 1);
    k.flag(y, x) = static_cast<std::uint16_t>(k.flag(y, x) | visited);
  });
}

inline void refinement_pass(BlockCoder& k, std::int32_t bit_plane) {
  each_in_stripes(k, [&](Index y, Index x) {
    const std::uint32_t f = k.seen(y, x);
    if ((f & (significant | visited)) != significant) return;
    const int context = kRefineContext + ((f & refined) != 0 ? 2 : (f & around) != 0 ? 1 : 0);
    const int bit = k.in.raw ? k.in.raw_bit() : k.in.bit(context);
    std::int32_t& v = k.value[y * k.width + x];
    v += (bit != 0) != (v < 0) ? bit_plane >> 1 : -(bit_plane >> 1);
    k.flag(y, x) = static_cast<std::uint16_t>(k.flag(y, x) | refined);
  });
}

inline void clean_up(BlockCoder& k, Index y, Index x, bool known, std::int32_t bit_plane) {
  const std::uint32_t f = k.seen(y, x);
  if (!known && (f & (significant | visited)) != 0) return;
  if (known || k.in.bit(zero_context(f, k.band)) != 0)
    set_significant(k, y, x, read_sign(k, f), bit_plane | bit_plane >> 1);
}

inline void cleanup_pass(BlockCoder& k, std::int32_t bit_plane) {
  for (Index top = 0; top < k.height; top += 4)
    for (Index x = 0; x < k.width; ++x) {
      Index y = top;
      bool known = false, empty = top + 4 <= k.height;
      for (Index i = top; empty && i < top + 4; ++i)
        empty = (k.seen(i, x) & (around | significant | visited)) == 0;
      if (empty) {
        // Run-length mode: four coefficients at once, then the position of the first significant
        // one.
        if (k.in.bit(kRunContext) == 0) continue;
        const int high = k.in.bit(kUniformContext);
        y += 2 * high + k.in.bit(kUniformContext);
        known = true;
      }
      for (; y < top + 4 && y < k.height; ++y, known = false) clean_up(k, y, x, known, bit_plane);
    }
  each_in_stripes(k, [&](Index y, Index x) {
    k.flag(y, x) = static_cast<std::uint16_t>(k.flag(y, x) & ~visited);
  });
  if ((k.style & symbols) == 0) return;
  for (int i = 0; i < 4; ++i) k.in.bit(kUniformContext);
}

// The next coding pass of a block.
struct BlockProgress {
  int bit_planes = 0, bit_plane = 0, kind = 2;  // of the block, left, type of the next pass

  bool is_raw(std::uint32_t style) const {
    return (style & bypass) != 0 && kind < 2 && bit_plane <= bit_planes - 4;
  }
};

inline void start_block(BlockCoder& k, Index height, Index width, int band, std::uint32_t style) {
  k.width = width;
  k.height = height;
  k.band = band;
  k.style = style;
  std::memset(k.value, 0, static_cast<std::size_t>(height * width) * sizeof(k.value[0]));
  std::memset(k.flags, 0,
              static_cast<std::size_t>((height + 2) * (width + 2)) * sizeof(k.flags[0]));
  k.in.reset_contexts();
}

// The passes of one codeword segment.
inline void decode_passes(BlockCoder& k, BlockProgress& p, const Bytes& bytes, int passes) {
  k.in.start(bytes, p.is_raw(k.style));
  for (; passes > 0 && p.bit_plane >= 1; --passes) {
    const std::int32_t bit_plane = std::int32_t{1} << p.bit_plane;
    if (p.kind == 0) significance_pass(k, bit_plane);
    if (p.kind == 1) refinement_pass(k, bit_plane);
    if (p.kind == 2) cleanup_pass(k, bit_plane);
    if ((k.style & reset) != 0) k.in.reset_contexts();
    p.kind = (p.kind + 1) % 3;
    if (p.kind == 0) --p.bit_plane;
  }
}

}  // namespace image::jpeg2000

}  // namespace onnxc
