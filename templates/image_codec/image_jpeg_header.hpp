// image_jpeg_header.hpp - the marker segments of JPEG (ITU-T T.81, annex B): frame, tables,
// application data.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"

namespace onnxc {

namespace image::jpeg {

struct Component {
  std::uint32_t id = 0;
  Index h = 1, v = 1;                // sampling factors
  std::uint32_t table = 0;           // for quantization
  Index width = 0, height = 0;       // samples that the image covers
  Index blocks_x = 0, blocks_y = 0;  // as stored: whole MCUs
  std::int16_t* blocks = nullptr;    // [blocks_y, blocks_x, 64], natural order
  std::uint8_t* samples = nullptr;   // [8 * blocks_y, 8 * blocks_x]
  std::uint16_t quant[64] = {};      // the table at the component's first scan
  bool has_quant = false;
  int dc_table = 0, ac_table = 0;  // of the current scan
  int dc_predictor = 0;
  int context = 0;  // of arithmetic coding, from the last DC difference
};

struct Frame {
  Extents extents;
  bool progressive = false, arithmetic = false;
  int count = 0;
  Component component[4];
  Index max_h = 1, max_v = 1;
  Index mcus_x() const { return (extents.width + 8 * max_h - 1) / (8 * max_h); }
  Index mcus_y() const { return (extents.height + 8 * max_v - 1) / (8 * max_v); }
};

struct Huffman {
  static constexpr int kFast = 9;
  bool defined = false;
  std::uint16_t fast[1 << kFast];  // symbol << 4 | length, 0 where the code is longer
  int past[18], start[17];         // by length: end of its codes, left-aligned; symbol offset
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
  // Conditioning of arithmetic coding: bounds L and U of small DC differences, Kx of low
  // frequencies.
  int dc_lower[4] = {0, 0, 0, 0}, dc_upper[4] = {1, 1, 1, 1}, ac_low[4] = {5, 5, 5, 5};
  bool jfif = false, adobe = false;
  std::uint32_t adobe_transform = 0;
};

constexpr std::uint8_t kZigzag[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

inline bool matches(const Bytes& in) { return in.matches(0, "\xFF\xD8\xFF", 3); }

// The next marker at or after `at`: returns its code, 0 at the end; `at` moves past it.
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

// body: a frame header without its length.
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
    frame.max_h = k.h > frame.max_h ? k.h : frame.max_h;
    frame.max_v = k.v > frame.max_v ? k.v : frame.max_v;
  }
  for (int c = 0; c < frame.count; ++c) {
    Component& k = frame.component[c];
    if (frame.max_h % k.h != 0 || frame.max_v % k.v != 0) return false;
    k.width = (frame.extents.width * k.h + frame.max_h - 1) / frame.max_h;
    k.height = (frame.extents.height * k.v + frame.max_v - 1) / frame.max_v;
    k.blocks_x = frame.mcus_x() * k.h;
    k.blocks_y = frame.mcus_y() * k.v;
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
      tables.ac_low[slot & 15] = static_cast<int>(value);
    } else {
      tables.dc_lower[slot] = static_cast<int>(value & 15);
      tables.dc_upper[slot] = static_cast<int>(value >> 4);
    }
  }
  return true;
}

inline void read_application(const Bytes& body, std::uint32_t marker, Tables& tables) {
  if (marker == 0xE0 && body.size >= 14 && body.matches(0, "JFIF\0", 5)) tables.jfif = true;
  if (marker != 0xEE || body.size < 12 || !body.matches(0, "Adobe", 5)) return;
  tables.adobe = true;
  tables.adobe_transform = body.u8(11);
}

}  // namespace image::jpeg

}  // namespace onnxc
