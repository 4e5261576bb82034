// image_bmp.hpp - Windows and OS/2 bitmaps: palettes, bit fields and run lengths.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"

namespace onnxc {

namespace image::bmp {

enum Compression : std::uint32_t { plain = 0, rle8 = 1, rle4 = 2, fields = 3, alpha_fields = 6 };

struct Header {
  Extents extents;
  bool top_down = false;
  std::uint32_t bits = 0, compression = plain;
  Index pixels = 0;  // offset of the first
  Index palette = 0, colors = 0, color_bytes = 4;
  std::uint32_t mask[3] = {0, 0, 0};
};

inline bool matches(const Bytes& in) { return in.matches(0, "BM", 2); }

inline bool read_masks(const Bytes& in, Index header_size, Header& h) {
  const bool masked = h.compression == fields || h.compression == alpha_fields;
  if (h.bits == 16) h.mask[0] = 0x7C00, h.mask[1] = 0x3E0, h.mask[2] = 0x1F;
  if (h.bits == 32) h.mask[0] = 0xFF0000, h.mask[1] = 0xFF00, h.mask[2] = 0xFF;
  if (!masked) return true;
  if (h.bits != 16 && h.bits != 32) return false;
  for (Index i = 0; i < 3; ++i) h.mask[i] = in.le32(54 + 4 * i);
  if (header_size == 40) h.palette += h.compression == fields ? 12 : 16;
  return (h.mask[0] | h.mask[1] | h.mask[2]) != 0;
}

inline bool read_header(const Bytes& in, Header& h) {
  if (!matches(in) || !in.has(0, 26)) return false;
  const Index size = static_cast<Index>(in.le32(14));
  if (!in.has(14, size) || (size != 12 && size < 16) || size > 1024) return false;
  h.pixels = static_cast<Index>(in.le32(10));
  h.palette = 14 + size;
  if (size == 12) {
    h.extents = {static_cast<Index>(in.le16(20)), static_cast<Index>(in.le16(18))};
    h.bits = in.le16(24);
    h.color_bytes = 3;
  } else {
    const std::int64_t rows = static_cast<std::int32_t>(in.le32(22));
    h.top_down = rows < 0;
    h.extents.height = static_cast<Index>(rows < 0 ? -rows : rows);
    h.extents.width = static_cast<std::int32_t>(in.le32(18));
    h.bits = in.le16(28);
    h.compression = size >= 20 ? in.le32(30) : 0;
    h.colors = size >= 36 ? static_cast<Index>(in.le32(46)) : 0;
  }
  const std::uint32_t b = h.bits;
  if (b != 1 && b != 2 && b != 4 && b != 8 && b != 16 && b != 24 && b != 32) return false;
  if (h.compression > fields && h.compression != alpha_fields) return false;
  if ((h.compression == rle8 && b != 8) || (h.compression == rle4 && b != 4)) return false;
  if (b <= 8 && (h.colors <= 0 || h.colors > (Index{1} << b))) h.colors = Index{1} << b;
  if (!is_sensible(h.extents.height, h.extents.width)) return false;
  return read_masks(in, size, h);
}

inline bool read_extents(const Bytes& in, Extents& extents) {
  Header h;
  const bool good = read_header(in, h);
  extents = h.extents;
  return good;
}

// The bits under a mask, scaled to 8 bits.
inline std::uint32_t field(std::uint32_t pixel, std::uint32_t mask) {
  if (mask == 0) return 0;
  int shift = 0;
  while ((mask >> shift & 1U) == 0) ++shift;
  const std::uint64_t most = mask >> shift;
  return static_cast<std::uint32_t>(std::uint64_t{(pixel & mask) >> shift} * 255U / most);
}

inline void put_color(const Bytes& in, const Header& h, const Sink& out, Index row, Index x,
                      std::uint32_t index) {
  const Index y = h.top_down ? row : h.extents.height - 1 - row;
  if (static_cast<Index>(index) >= h.colors) return out.gray(y, x, 0);
  const Index at = h.palette + static_cast<Index>(index) * h.color_bytes;
  out.rgb(y, x, in.u8(at + 2), in.u8(at + 1), in.u8(at));
}

inline void put_row(const Bytes& in, const Header& h, const Sink& out, Index row, Index at) {
  const Index y = h.top_down ? row : h.extents.height - 1 - row;
  const std::uint32_t index_mask = h.bits <= 8 ? (1U << h.bits) - 1U : 0U;
  for (Index x = 0; x < h.extents.width; ++x) {
    const Index bit = x * static_cast<Index>(h.bits), p = at + bit / 8;
    if (h.bits <= 8) {
      const auto down = 8U - h.bits - static_cast<std::uint32_t>(bit % 8);
      put_color(in, h, out, row, x, in.u8(p) >> down & index_mask);
    } else if (h.bits == 24) {
      out.rgb(y, x, in.u8(p + 2), in.u8(p + 1), in.u8(p));
    } else {
      const std::uint32_t v = h.bits == 16 ? in.le16(p) : in.le32(p);
      out.rgb(y, x, field(v, h.mask[0]), field(v, h.mask[1]), field(v, h.mask[2]));
    }
  }
}

inline Status decode_plain(const Bytes& in, const Header& h, const Sink& out) {
  const Index stride = (h.extents.width * static_cast<Index>(h.bits) + 31) / 32 * 4;
  for (Index row = 0; row < h.extents.height; ++row) {
    const Index at = h.pixels + row * stride;
    // The padding of the last row may be missing.
    if (!in.has(at, (h.extents.width * static_cast<Index>(h.bits) + 7) / 8))
      return Status::bad_value;
    put_row(in, h, out, row, at);
  }
  return Status::ok;
}

// Pixels that the runs skip have color 0.
inline Status decode_runs(const Bytes& in, const Header& h, const Sink& out) {
  for (Index row = 0; row < h.extents.height; ++row)
    for (Index x = 0; x < h.extents.width; ++x) put_color(in, h, out, row, x, 0);
  const bool nibbles = h.compression == rle4;
  Index at = h.pixels, row = 0, x = 0;
  const auto put = [&](std::uint32_t index) {
    if (x < h.extents.width && row < h.extents.height) put_color(in, h, out, row, x, index);
    ++x;
  };
  while (row < h.extents.height) {
    if (!in.has(at, 2)) return Status::bad_value;
    const auto count = static_cast<Index>(in.u8(at));
    const std::uint32_t value = in.u8(at + 1);
    at += 2;
    if (count > 0) {
      for (Index i = 0; i < count; ++i)
        put(!nibbles ? value : i % 2 == 0 ? value >> 4 : value & 15U);
    } else if (value == 0) {
      x = 0, ++row;
    } else if (value == 1) {
      return Status::ok;
    } else if (value == 2) {
      if (!in.has(at, 2)) return Status::bad_value;
      x += static_cast<Index>(in.u8(at)), row += static_cast<Index>(in.u8(at + 1));
      at += 2;
    } else {
      const auto literal = static_cast<Index>(value);
      const Index bytes = nibbles ? (literal + 1) / 2 : literal;
      if (!in.has(at, bytes)) return Status::bad_value;
      for (Index i = 0; i < literal; ++i) {
        const std::uint32_t b = in.u8(nibbles ? at + i / 2 : at + i);
        put(!nibbles ? b : i % 2 == 0 ? b >> 4 : b & 15U);
      }
      at += bytes + bytes % 2;
    }
  }
  return Status::ok;
}

inline Status decode(const Bytes& in, const Sink& out) {
  Header h;
  if (!read_header(in, h)) return Status::bad_value;
  if (h.bits <= 8 && !in.has(h.palette, h.colors * h.color_bytes)) return Status::bad_value;
  if (h.compression == rle8 || h.compression == rle4) return decode_runs(in, h, out);
  return decode_plain(in, h, out);
}

}  // namespace image::bmp

}  // namespace onnxc
