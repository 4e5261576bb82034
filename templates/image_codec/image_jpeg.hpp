// image_jpeg.hpp - baseline, extended and progressive JPEG, Huffman or arithmetic, 8 bits a sample.
//
// The inverse transform, the upsampling and the color tables round as the integer method of the
// Independent JPEG Group does with smooth ("fancy") upsampling.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg_arithmetic.hpp"

namespace onnxc {

namespace image::jpeg {

struct Component {
  std::uint32_t id = 0;
  Index h = 1, v = 1;                // sampling factors
  std::uint32_t table = 0;           // of quantisation
  Index width = 0, height = 0;       // samples that the image covers
  Index blocks_x = 0, blocks_y = 0;  // as stored: whole interleaved units
  std::int16_t* blocks = nullptr;    // [blocks_y, blocks_x, 64], natural order
  std::uint8_t* samples = nullptr;   // [8 * blocks_y, 8 * blocks_x]
  std::uint16_t quant[64] = {};      // the table when the component's first scan came
  bool quantised = false;
  int dc_table = 0, ac_table = 0;  // of the present scan
  int predicted = 0;
  int context = 0;  // of arithmetic coding, by the last difference
};

struct Frame {
  Extents extents;
  bool progressive = false, arithmetic = false;
  int count = 0;
  Component component[4];
  Index most_h = 1, most_v = 1;
  Index units_x() const { return (extents.width + 8 * most_h - 1) / (8 * most_h); }
  Index units_y() const { return (extents.height + 8 * most_v - 1) / (8 * most_v); }
};

struct Huffman {
  static constexpr int kFast = 9;
  bool defined = false;
  std::uint16_t fast[1 << kFast];  // symbol << 4 | length, 0 where the code is longer
  int past[18], start[17];         // first code beyond each length, left-aligned; index offset
  std::uint8_t symbol[256];

  bool build(const std::uint8_t* counts, const std::uint8_t* symbols, int total) {
    std::memset(fast, 0, sizeof fast);
    std::memset(symbol, 0, sizeof symbol);
    std::memcpy(symbol, symbols, static_cast<std::size_t>(total));
    int code = 0, at = 0;
    for (int l = 1; l <= 16; ++l) {
      start[l] = at - code;
      for (int i = 0; i < counts[l - 1]; ++i, ++code, ++at) {
        if (code >= 1 << l) return false;
        if (l > kFast) continue;
        const int from = code << (kFast - l), step = 1 << (kFast - l);
        for (int e = from; e < from + step; ++e)
          fast[e] = static_cast<std::uint16_t>(symbol[at] << 4 | l);
      }
      past[l] = code << (16 - l);
      code *= 2;
    }
    past[17] = 1 << 16;
    return defined = true;
  }
};

struct Tables {
  std::uint16_t quant[4][64];
  bool has_quant[4] = {false, false, false, false};
  Huffman dc[4], ac[4];
  Index restart = 0;
  // Conditioning of arithmetic coding: bounds of small differences, of low frequencies.
  int lower[4] = {0, 0, 0, 0}, upper[4] = {1, 1, 1, 1}, low_frequencies[4] = {5, 5, 5, 5};
  bool jfif = false, adobe = false;
  std::uint32_t adobe_transform = 0;
};

constexpr std::uint8_t kZigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

inline bool matches(const Bytes& in) { return in.matches(0, "\xFF\xD8\xFF", 3); }

// The next marker at or after `at`: returns its code, 0 at the end; `at` moves behind it.
inline std::uint32_t next_marker(const Bytes& in, Index& at) {
  while (in.has(at, 2)) {
    const std::uint32_t code = in.u8(at + 1);
    if (in.u8(at) == 0xFF && code != 0 && code != 0xFF) {
      at += 2;
      return code;
    }
    ++at;
  }
  return 0;
}

inline bool is_frame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// body: what follows the length of a frame header.
inline bool read_frame(const Bytes& body, std::uint32_t marker, Frame& frame) {
  const bool known = marker <= 0xC2 || marker == 0xC9 || marker == 0xCA;
  if (!known || body.u8(0) != 8) return false;
  frame.progressive = marker == 0xC2 || marker == 0xCA;
  frame.arithmetic = marker >= 0xC9;
  frame.extents = {static_cast<Index>(body.be16(1)), static_cast<Index>(body.be16(3))};
  frame.count = static_cast<int>(body.u8(5));
  if (frame.count != 1 && frame.count != 3 && frame.count != 4) return false;
  if (!body.has(6, 3 * frame.count) || !is_sensible(frame.extents.height, frame.extents.width))
    return false;
  for (int c = 0; c < frame.count; ++c) {
    Component& k = frame.component[c];
    const std::uint32_t sampling = body.u8(7 + 3 * c);
    k.id = body.u8(6 + 3 * c);
    k.h = static_cast<Index>(sampling >> 4);
    k.v = static_cast<Index>(sampling & 15);
    k.table = body.u8(8 + 3 * c);
    if (k.h < 1 || k.h > 4 || k.v < 1 || k.v > 4 || k.table > 3) return false;
    frame.most_h = k.h > frame.most_h ? k.h : frame.most_h;
    frame.most_v = k.v > frame.most_v ? k.v : frame.most_v;
  }
  for (int c = 0; c < frame.count; ++c) {
    Component& k = frame.component[c];
    if (frame.most_h % k.h != 0 || frame.most_v % k.v != 0) return false;
    k.width = (frame.extents.width * k.h + frame.most_h - 1) / frame.most_h;
    k.height = (frame.extents.height * k.v + frame.most_v - 1) / frame.most_v;
    k.blocks_x = frame.units_x() * k.h;
    k.blocks_y = frame.units_y() * k.v;
  }
  return true;
}

inline bool read_extents(const Bytes& in, Extents& extents) {
  Index at = 2;
  for (;;) {
    const std::uint32_t marker = next_marker(in, at);
    if (marker == 0 || marker == 0xDA || marker == 0xD9) return false;
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) continue;
    const auto size = static_cast<Index>(in.be16(at));
    if (size < 2 || !in.has(at, size)) return false;
    if (is_frame(marker)) {
      Frame frame;
      const bool good = read_frame(in.part(at + 2, size - 2), marker, frame);
      extents = frame.extents;
      return good;
    }
    at += size;
  }
}

inline bool read_quant(const Bytes& body, Tables& tables) {
  for (Index at = 0; at < body.size;) {
    const std::uint32_t head = body.u8(at++), wide = head >> 4, slot = head & 15;
    if (wide > 1 || slot > 3 || !body.has(at, wide != 0 ? 128 : 64)) return false;
    for (int i = 0; i < 64; ++i, at += wide != 0 ? 2 : 1)
      tables.quant[slot][kZigzag[i]] =
          static_cast<std::uint16_t>(wide != 0 ? body.be16(at) : body.u8(at));
    tables.has_quant[slot] = true;
  }
  return true;
}

inline bool read_huffman(const Bytes& body, Tables& tables) {
  for (Index at = 0; at < body.size;) {
    const std::uint32_t head = body.u8(at), slot = head & 15;
    if (!body.has(at, 17) || head >> 4 > 1 || slot > 3) return false;
    int total = 0;
    for (Index i = 1; i <= 16; ++i) total += static_cast<int>(body.u8(at + i));
    if (total > 256 || !body.has(at + 17, total)) return false;
    Huffman& to = head >> 4 != 0 ? tables.ac[slot] : tables.dc[slot];
    if (!to.build(body.data + at + 1, body.data + at + 17, total)) return false;
    at += 17 + total;
  }
  return true;
}

inline bool read_conditioning(const Bytes& body, Tables& tables) {
  for (Index at = 0; at + 2 <= body.size; at += 2) {
    const std::uint32_t slot = body.u8(at), value = body.u8(at + 1);
    if ((slot & 15) > 3 || slot > 31) return false;
    if (slot >= 16) {
      tables.low_frequencies[slot & 15] = static_cast<int>(value);
    } else {
      tables.lower[slot] = static_cast<int>(value & 15);
      tables.upper[slot] = static_cast<int>(value >> 4);
    }
  }
  return true;
}

// ---- entropy coded data ------------------------------------------------------------------------

struct BitReader {
  Bytes in;
  Index at;
  std::uint64_t bits = 0;  // the newest bit is the lowest
  int held = 0;
  bool failed = false;

  void start() {
    bits = 0;
    held = 0;
  }
  void fill() {
    while (held <= 48 && at < in.size) {
      const std::uint32_t b = in.data[at];
      if (b == 0xFF && in.u8(at + 1) != 0) return;
      at += b == 0xFF ? 2 : 1;
      bits = bits << 8 | b;
      held += 8;
    }
  }
  // Reading beyond the data gives zeros and remembers it.
  int peek16() {
    if (held < 16) fill();
    return static_cast<int>((held >= 16 ? bits >> (held - 16) : bits << (16 - held)) & 0xFFFFU);
  }
  void drop(int count) {
    held -= count;
    if (held >= 0) return;
    failed = true;
    held = 0;
    bits = 0;
  }
  int read(int count) {
    const int v = count == 0 ? 0 : peek16() >> (16 - count);
    drop(count);
    return v;
  }
  int read(const Huffman& code) {
    const int next = peek16();
    const int entry = code.fast[next >> (16 - Huffman::kFast)];
    if (entry != 0) {
      drop(entry & 15);
      return entry >> 4;
    }
    int l = 1;
    while (l <= 16 && next >= code.past[l]) ++l;
    if (l > 16) {
      failed = true;
      return 0;
    }
    drop(l);
    return code.symbol[((next >> (16 - l)) + code.start[l]) & 255];
  }
  // A signed number of `count` bits: the lower half of the codes is negative.
  int read_signed(int count) {
    if (count == 0) return 0;
    const int v = read(count);
    return v < 1 << (count - 1) ? v - (1 << count) + 1 : v;
  }
};

struct Scan {
  Frame* frame;
  Tables* tables;
  int count = 0;
  Component* component[4] = {};
  int from = 0, to = 63, high = 0, low = 0;
  int run = 0;  // blocks left without new coefficients
};

inline std::int16_t narrow(int v) { return static_cast<std::int16_t>(v); }
inline std::int16_t scaled(int v, int low) { return narrow(v * (1 << low)); }

inline void sequential_block(Scan& s, BitReader& in, Component& k, std::int16_t* block) {
  const Huffman &dc = s.tables->dc[k.dc_table], &ac = s.tables->ac[k.ac_table];
  const int size = in.read(dc);
  if (size > 15) in.failed = true;
  k.predicted = narrow(k.predicted + in.read_signed(size & 15));
  block[0] = narrow(k.predicted);
  for (int i = 1; i < 64 && !in.failed; ++i) {
    const int symbol = in.read(ac), zeros = symbol >> 4, bits = symbol & 15;
    if (bits == 0 && zeros != 15) return;
    i += zeros;
    if (i > 63) {
      in.failed = true;
      return;
    }
    if (bits != 0) block[kZigzag[i]] = narrow(in.read_signed(bits));
  }
}

inline void first_dc(Scan& s, BitReader& in, Component& k, std::int16_t* block) {
  const int size = in.read(s.tables->dc[k.dc_table]);
  if (size > 15) in.failed = true;
  k.predicted = narrow(k.predicted + in.read_signed(size & 15));
  block[0] = scaled(k.predicted, s.low);
}

inline void first_ac(Scan& s, BitReader& in, Component& k, std::int16_t* block) {
  if (s.run > 0) {
    --s.run;
    return;
  }
  const Huffman& ac = s.tables->ac[k.ac_table];
  for (int i = s.from; i <= s.to && !in.failed; ++i) {
    const int symbol = in.read(ac), zeros = symbol >> 4, bits = symbol & 15;
    if (bits == 0 && zeros < 15) {
      s.run = (1 << zeros) - 1 + in.read(zeros);
      return;
    }
    i += zeros;
    if (i > 63) {
      in.failed = true;
      return;
    }
    if (bits != 0) block[kZigzag[i]] = scaled(in.read_signed(bits), s.low);
  }
}

// One more bit of a coefficient that is not zero.
inline void refine(Scan& s, BitReader& in, std::int16_t& v) {
  if (in.read(1) == 0) return;
  const int bit = 1 << s.low;
  if (((v < 0 ? -v : v) & bit) == 0) v = narrow(v < 0 ? v - bit : v + bit);
}

inline void refine_ac(Scan& s, BitReader& in, Component& k, std::int16_t* block) {
  const Huffman& ac = s.tables->ac[k.ac_table];
  int i = s.from;
  for (; s.run == 0 && i <= s.to && !in.failed; ++i) {
    const int symbol = in.read(ac), bits = symbol & 15;
    int zeros = symbol >> 4, fresh = 0;
    if (bits != 0) {
      fresh = in.read(1) != 0 ? 1 << s.low : -(1 << s.low);
    } else if (zeros < 15) {
      s.run = (1 << zeros) + in.read(zeros);
      break;
    }
    for (; i <= s.to && !in.failed; ++i) {
      std::int16_t& v = block[kZigzag[i]];
      if (v != 0) {
        refine(s, in, v);
      } else if (zeros-- == 0) {
        if (fresh != 0) v = narrow(fresh);
        break;
      }
    }
  }
  if (s.run == 0) return;
  for (; i <= s.to && !in.failed; ++i)
    if (block[kZigzag[i]] != 0) refine(s, in, block[kZigzag[i]]);
  --s.run;
}

inline void decode_block(Scan& s, BitReader& in, Component& k, Index y, Index x) {
  std::int16_t* const block = k.blocks + (y * k.blocks_x + x) * 64;
  if (!s.frame->progressive) return sequential_block(s, in, k, block);
  if (s.from > 0) return s.high == 0 ? first_ac(s, in, k, block) : refine_ac(s, in, k, block);
  if (s.high == 0) return first_dc(s, in, k, block);
  if (in.read(1) != 0) block[0] = narrow(block[0] | 1 << s.low);
}

// ---- arithmetic coding -------------------------------------------------------------------------

// The rest of a size above 1, from contexts that go on with each doubling; the bits below the
// highest share the context 14 further on.
inline int read_size(ArithmeticReader& in, QmContext* k, int size) {
  while (in.bit(*k) != 0) {
    size *= 2;
    ++k;
    if (size >= 0x8000) {
      in.failed = true;
      return 0;
    }
  }
  int v = size;
  for (int bit = size / 2; bit > 0; bit /= 2)
    if (in.bit(k[14]) != 0) v |= bit;
  return v;
}

inline int highest_bit(int v) {
  int bit = v > 0 ? 1 : 0;
  while (bit > 0 && bit * 2 <= v) bit *= 2;
  return bit;
}

// The difference of a block's average to that of the one before.
inline int read_difference(Scan& s, ArithmeticReader& in, Component& k) {
  QmContext* const table = in.dc[k.dc_table];
  QmContext* const here = table + k.context;
  k.context = 0;
  if (in.bit(here[0]) == 0) return 0;
  const int sign = in.bit(here[1]);
  const int size = in.bit(here[2 + sign]) == 0 ? 0 : read_size(in, table + 20, 1);
  const int highest = highest_bit(size);
  if (highest > 1 << s.tables->upper[k.dc_table] >> 1)
    k.context = 12 + 4 * sign;
  else if (highest >= 1 << s.tables->lower[k.dc_table] >> 1)
    k.context = 4 + 4 * sign;
  return sign != 0 ? -size - 1 : size + 1;
}

inline void arithmetic_dc(Scan& s, ArithmeticReader& in, Component& k, std::int16_t* block) {
  k.predicted = narrow(k.predicted + read_difference(s, in, k));
  block[0] = scaled(k.predicted, s.low);
}

inline void arithmetic_ac(Scan& s, ArithmeticReader& in, Component& k, std::int16_t* block,
                          int from) {
  QmContext* const table = in.ac[k.ac_table];
  for (int i = from; i <= s.to && !in.failed; ++i) {
    if (in.bit(table[3 * (i - 1)]) != 0) return;
    while (in.bit(table[3 * (i - 1) + 1]) == 0) {
      if (++i <= s.to) continue;
      in.failed = true;
      return;
    }
    const int sign = in.plain_bit();
    QmContext& more = table[3 * (i - 1) + 2];
    int size = in.bit(more);
    if (size != 0 && in.bit(more) != 0)
      size = read_size(in, table + (i <= s.tables->low_frequencies[k.ac_table] ? 189 : 217), 2);
    block[kZigzag[i]] = scaled(sign != 0 ? -size - 1 : size + 1, s.low);
  }
}

inline void arithmetic_refine(Scan& s, ArithmeticReader& in, Component& k, std::int16_t* block) {
  QmContext* const table = in.ac[k.ac_table];
  const int bit = 1 << s.low;
  int last = s.to;  // coefficient of the earlier scans
  while (last > 0 && block[kZigzag[last]] == 0) --last;
  for (int i = s.from; i <= s.to; ++i) {
    if (i > last && in.bit(table[3 * (i - 1)]) != 0) return;
    for (;; ++i) {
      if (i > s.to) {
        in.failed = true;
        return;
      }
      QmContext* const here = table + 3 * (i - 1);
      std::int16_t& v = block[kZigzag[i]];
      if (v != 0) {
        if (in.bit(here[2]) != 0) v = narrow(v < 0 ? v - bit : v + bit);
        break;
      }
      if (in.bit(here[1]) == 0) continue;
      v = narrow(in.plain_bit() != 0 ? -bit : bit);
      break;
    }
  }
}

inline void decode_block(Scan& s, ArithmeticReader& in, Component& k, Index y, Index x) {
  std::int16_t* const block = k.blocks + (y * k.blocks_x + x) * 64;
  if (!s.frame->progressive) {
    arithmetic_dc(s, in, k, block);
    return arithmetic_ac(s, in, k, block, 1);
  }
  if (s.from > 0)
    return s.high == 0 ? arithmetic_ac(s, in, k, block, s.from)
                       : arithmetic_refine(s, in, k, block);
  if (s.high == 0) return arithmetic_dc(s, in, k, block);
  if (in.plain_bit() != 0) block[0] = narrow(block[0] | 1 << s.low);
}

// ---- scans -------------------------------------------------------------------------------------

// All blocks of one interleaved unit, or the block of a scan of one component.
template <class Reader>
void decode_unit(Scan& s, Reader& in, Index y, Index x) {
  if (s.count == 1) return decode_block(s, in, *s.component[0], y, x);
  for (int c = 0; c < s.count; ++c) {
    Component& k = *s.component[c];
    for (Index v = 0; v < k.v; ++v)
      for (Index h = 0; h < k.h; ++h) decode_block(s, in, k, y * k.v + v, x * k.h + h);
  }
}

template <class Reader>
void restart(Scan& s, Reader& in) {
  in.start();
  s.run = 0;
  for (int c = 0; c < s.count; ++c) s.component[c]->predicted = s.component[c]->context = 0;
}

// Steps over a restart marker.
inline bool skip_restart(const Bytes& in, Index& at, Index number) {
  return next_marker(in, at) == 0xD0 + static_cast<std::uint32_t>(number % 8);
}

// Decodes the data at in.at, which moves to what follows.
template <class Reader>
bool decode_scan(Scan& s, Reader& in) {
  Index columns = s.frame->units_x(), rows = s.frame->units_y();
  if (s.count == 1) {
    columns = (s.component[0]->width + 7) / 8;
    rows = (s.component[0]->height + 7) / 8;
  }
  restart(s, in);
  Index units = 0, restarts = 0;
  for (Index y = 0; y < rows; ++y)
    for (Index x = 0; x < columns; ++x, ++units) {
      if (s.tables->restart > 0 && units == s.tables->restart) {
        if (!skip_restart(in.in, in.at, restarts++)) return false;
        restart(s, in);
        units = 0;
      }
      decode_unit(s, in, y, x);
      if (in.failed) return false;
    }
  return true;
}

inline bool decode_scan(Scan& s, const Bytes& data, Index& at) {
  BitReader huffman{data, at};
  ArithmeticReader arithmetic{data, at};
  const bool good = s.frame->arithmetic ? decode_scan(s, arithmetic) : decode_scan(s, huffman);
  at = s.frame->arithmetic ? arithmetic.at : huffman.at;
  return good;
}

inline bool check_progression(const Scan& s) {
  if (!s.frame->progressive) return true;
  if (s.from > s.to || s.to > 63 || s.low > 13 || s.high > 13) return false;
  if (s.from == 0 && s.to != 0) return false;
  if (s.from > 0 && s.count != 1) return false;
  return s.high == 0 || s.low == s.high - 1;
}

inline bool check_tables(const Scan& s) {
  if (s.frame->arithmetic) return true;
  for (int c = 0; c < s.count; ++c) {
    const Component& k = *s.component[c];
    const bool sequential = !s.frame->progressive;
    if ((sequential || (s.from == 0 && s.high == 0)) && !s.tables->dc[k.dc_table].defined)
      return false;
    if ((sequential || s.from > 0) && !s.tables->ac[k.ac_table].defined) return false;
  }
  return true;
}

inline bool read_scan(const Bytes& body, Frame& frame, Tables& tables, Scan& s) {
  s.frame = &frame;
  s.tables = &tables;
  s.count = static_cast<int>(body.u8(0));
  if (s.count < 1 || s.count > frame.count || !body.has(0, 4 + 2 * s.count)) return false;
  for (int c = 0; c < s.count; ++c) {
    for (int i = 0; i < frame.count; ++i)
      if (frame.component[i].id == body.u8(1 + 2 * c)) s.component[c] = &frame.component[i];
    for (int i = 0; i < c; ++i)
      if (s.component[i] == s.component[c]) return false;
    if (s.component[c] == nullptr) return false;
    Component& k = *s.component[c];
    const std::uint32_t slots = body.u8(2 + 2 * c);
    if (slots >> 4 > 3 || (slots & 15) > 3) return false;
    k.dc_table = static_cast<int>(slots >> 4);
    k.ac_table = static_cast<int>(slots & 15);
    if (k.quantised) continue;
    if (!tables.has_quant[k.table]) return false;
    std::memcpy(k.quant, tables.quant[k.table], sizeof k.quant);
    k.quantised = true;
  }
  const Index at = 1 + 2 * s.count;
  s.from = static_cast<int>(body.u8(at));
  s.to = static_cast<int>(body.u8(at + 1));
  s.high = static_cast<int>(body.u8(at + 2) >> 4);
  s.low = static_cast<int>(body.u8(at + 2) & 15);
  return check_progression(s) && check_tables(s);
}

// ---- from coefficients to samples --------------------------------------------------------------

using Word = std::uint32_t;  // wraps: hostile coefficients must not overflow

constexpr Word word(int v) { return static_cast<Word>(v); }

// Eight values at a stride through the inverse transform, with 13 bits of fraction in the
// constants; `shift` bits are rounded away.
inline void transform_8(const std::int16_t* in, Index stride, int shift, int* out) {
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

inline void transform_block(const std::int16_t* block, const std::uint16_t* quant,
                            std::uint8_t* samples, Index stride) {
  std::int16_t scaled_block[64], columns[64];
  for (int i = 0; i < 64; ++i)
    scaled_block[i] = static_cast<std::int16_t>(word(block[i]) * quant[i] & 0xFFFFU);
  int line[8];
  for (Index x = 0; x < 8; ++x) {
    transform_8(scaled_block + x, 8, 11, line);
    for (Index y = 0; y < 8; ++y) columns[y * 8 + x] = saturated(line[y]);
  }
  for (Index y = 0; y < 8; ++y) {
    transform_8(columns + y * 8, 1, 18, line);
    for (Index x = 0; x < 8; ++x) {
      const int v = line[x] + 128;
      samples[y * stride + x] = static_cast<std::uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v);
    }
  }
}

inline void transform(Component& k) {
  const Index stride = 8 * k.blocks_x;
  for (Index y = 0; y < k.blocks_y; ++y)
    for (Index x = 0; x < k.blocks_x; ++x)
      transform_block(k.blocks + (y * k.blocks_x + x) * 64, k.quant,
                      k.samples + y * 8 * stride + x * 8, stride);
}

// One row of a component at the resolution of the image. wide: room for the row of the component
// with vertical interpolation done.
inline void upsample_row(const Frame& frame, const Component& k, Index y, int* wide,
                         std::uint8_t* row) {
  const Index across = frame.most_h / k.h, down = frame.most_v / k.v, stride = 8 * k.blocks_x;
  const Index width = frame.extents.width, source = y / down;
  const std::uint8_t* const near = k.samples + source * stride;
  const bool smooth_across = across == 2 && k.width > 2;
  if (down != 2 || across > 2 || (across == 2 && !smooth_across)) {
    if (!smooth_across || down != 1) {
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
  Index beside = y % 2 == 0 ? source - 1 : source + 1;
  if (beside < 0) beside = 0;
  if (beside >= k.height) beside = k.height - 1;
  const std::uint8_t* const far = k.samples + beside * stride;
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

// rows: one row a component. Inks are stored inverted, as Adobe does.
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

template <class Memory>
Status put_image(Frame& frame, const Tables& tables, const Sink& out, Memory& memory) {
  std::uint8_t* rows[4] = {};
  int* const wide = take<int>(memory, frame.extents.width);
  if (wide == nullptr) return Status::out_of_memory;
  for (int c = 0; c < frame.count; ++c) {
    Component& k = frame.component[c];
    if (!k.quantised) return Status::bad_value;
    k.samples = take<std::uint8_t>(memory, k.blocks_y * k.blocks_x * 64);
    rows[c] = take<std::uint8_t>(memory, frame.extents.width);
    if (k.samples == nullptr || rows[c] == nullptr) return Status::out_of_memory;
    transform(k);
  }
  const bool ycc = is_ycc(frame, tables);
  for (Index y = 0; y < frame.extents.height; ++y) {
    for (int c = 0; c < frame.count; ++c) upsample_row(frame, frame.component[c], y, wide, rows[c]);
    put_row(frame, ycc, rows, y, out);
  }
  return Status::ok;
}

template <class Memory>
Status start_frame(const Bytes& body, std::uint32_t marker, Frame& frame, Memory& memory) {
  if (frame.count != 0 || !read_frame(body, marker, frame)) return Status::bad_value;
  for (int c = 0; c < frame.count; ++c) {
    Component& k = frame.component[c];
    k.blocks = take_zeroed<std::int16_t>(memory, k.blocks_y * k.blocks_x * 64);
    if (k.blocks == nullptr) return Status::out_of_memory;
  }
  return Status::ok;
}

inline void read_application(const Bytes& body, std::uint32_t marker, Tables& tables) {
  if (marker == 0xE0 && body.size >= 14 && body.matches(0, "JFIF\0", 5)) tables.jfif = true;
  if (marker != 0xEE || body.size < 12 || !body.matches(0, "Adobe", 5)) return;
  tables.adobe = true;
  tables.adobe_transform = body.u8(11);
}

template <class Memory>
Status decode_frame(const Bytes& in, Tables* tables, const Sink& out, Memory& memory) {
  Frame frame;
  int scans = 0;
  for (Index at = 2;;) {
    const std::uint32_t marker = next_marker(in, at);
    if (marker == 0xD9) break;
    if (marker == 0) return Status::bad_value;
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) continue;
    const auto size = static_cast<Index>(in.be16(at));
    if (size < 2 || !in.has(at, size)) return Status::bad_value;
    const Bytes body = in.part(at + 2, size - 2);
    at += size;
    bool good = true;
    if (is_frame(marker)) {
      const Status status = start_frame(body, marker, frame, memory);
      if (status != Status::ok) return status;
    }
    if (marker == 0xC4) good = read_huffman(body, *tables);
    if (marker == 0xDB) good = read_quant(body, *tables);
    if (marker == 0xCC) good = read_conditioning(body, *tables);
    if (marker == 0xDD) tables->restart = static_cast<Index>(body.be16(0));
    if (marker >= 0xE0 && marker <= 0xEF) read_application(body, marker, *tables);
    if (marker == 0xDA) {
      Scan scan;
      good = frame.count != 0 && read_scan(body, frame, *tables, scan) && decode_scan(scan, in, at);
      // A real file has some ten scans; a hostile one could repeat a tiny scan without end.
      good = good && ++scans <= 1000;
    }
    if (!good) return Status::bad_value;
  }
  return scans > 0 ? put_image(frame, *tables, out, memory) : Status::bad_value;
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Memory& memory) {
  Tables* const tables = make<Tables>(memory);
  if (tables == nullptr) return Status::out_of_memory;
  return decode_frame(in, tables, out, memory);
}

// Reads the tables of an abbreviated stream, which holds nothing else.
inline bool read_tables(const Bytes& in, Tables& tables) {
  for (Index at = 2;;) {
    const std::uint32_t marker = next_marker(in, at);
    if (marker == 0 || marker == 0xD9) return true;
    const auto size = static_cast<Index>(in.be16(at));
    if (size < 2 || !in.has(at, size)) return false;
    const Bytes body = in.part(at + 2, size - 2);
    at += size;
    if (marker == 0xC4 && !read_huffman(body, tables)) return false;
    if (marker == 0xDB && !read_quant(body, tables)) return false;
  }
}

}  // namespace image::jpeg

}  // namespace onnxc
