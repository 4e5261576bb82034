// image_png.hpp - PNG (ISO/IEC 15948): all color types and depths, interlaced or not. Alpha is
// dropped.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/inflate.hpp"

namespace onnxc {

namespace image::png {

struct Header {
  Extents extents;
  Index depth = 0, samples = 0;  // bits of a sample, samples of a pixel
  bool palette = false, interlaced = false;
};

inline bool matches(const Bytes& in) { return in.matches(0, "\x89PNG\r\n\x1a\n", 8); }

inline bool read_header(const Bytes& in, Header& h) {
  if (!matches(in) || !in.has(0, 33) || in.be32(8) != 13 || !in.matches(12, "IHDR", 4))
    return false;
  h.extents = {static_cast<Index>(in.be32(20)), static_cast<Index>(in.be32(16))};
  const std::uint32_t depth = in.u8(24), color = in.u8(25);
  if (depth != 1 && depth != 2 && depth != 4 && depth != 8 && depth != 16) return false;
  if (color > 6 || color == 1 || color == 5) return false;
  if ((color == 3 && depth == 16) || (color != 0 && color != 3 && depth < 8)) return false;
  if (in.u8(26) != 0 || in.u8(27) != 0 || in.u8(28) > 1) return false;
  constexpr Index samples[] = {1, 0, 3, 1, 2, 0, 4};
  h.depth = static_cast<Index>(depth);
  h.samples = samples[color];
  h.palette = color == 3;
  h.interlaced = in.u8(28) == 1;
  return is_sensible(h.extents.height, h.extents.width);
}

inline bool read_extents(const Bytes& in, Extents& extents) {
  Header h;
  const bool good = read_header(in, h);
  extents = h.extents;
  return good;
}

inline std::uint32_t crc(const Bytes& in, Index at, Index count) {
  std::uint32_t table[16];
  for (std::uint32_t i = 0; i < 16; ++i) {
    table[i] = i;
    for (int b = 0; b < 4; ++b)
      table[i] = table[i] >> 1 ^ ((table[i] & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  std::uint32_t c = 0xFFFFFFFFU;
  for (Index i = 0; i < count; ++i) {
    c ^= in.data[at + i];
    c = c >> 4 ^ table[c & 15U];
    c = c >> 4 ^ table[c & 15U];
  }
  return ~c;
}

// The contents of the chunks: the palette, and the size of the compressed data.
struct Chunks {
  Index palette = 0, colors = 0, data = 0;
};

// Walks the chunks; gathers the compressed data into `to` unless that is null.
inline bool walk(const Bytes& in, Chunks& chunks, std::uint8_t* to) {
  chunks.data = 0;
  for (Index at = 8; in.has(at, 12);) {
    const auto size = static_cast<Index>(in.be32(at));
    if (!in.has(at + 8, size) || !in.has(at + 8 + size, 4)) return false;
    const bool critical = (in.u8(at + 4) & 32U) == 0;
    if (critical && to == nullptr && crc(in, at + 4, size + 4) != in.be32(at + 8 + size))
      return false;
    if (in.matches(at + 4, "IEND", 4)) return chunks.data > 0;
    if (in.matches(at + 4, "PLTE", 4)) {
      chunks.palette = at + 8;
      chunks.colors = size / 3;
    }
    if (in.matches(at + 4, "IDAT", 4)) {
      if (to != nullptr)
        std::memcpy(to + chunks.data, in.data + at + 8, static_cast<std::size_t>(size));
      chunks.data += size;
    }
    at += 12 + size;
  }
  return false;
}

// One of the seven grids of an interlaced image, or the whole.
struct Pass {
  Index y, x, step_y, step_x;
  Index rows(const Header& h) const { return (h.extents.height - y + step_y - 1) / step_y; }
  Index columns(const Header& h) const { return (h.extents.width - x + step_x - 1) / step_x; }
  Index row_bytes(const Header& h) const { return (columns(h) * h.samples * h.depth + 7) / 8; }
  Index bytes(const Header& h) const {
    return columns(h) > 0 && rows(h) > 0 ? rows(h) * (row_bytes(h) + 1) : 0;
  }
};
constexpr Pass kPasses[] = {{0, 0, 1, 1}, {0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4},
                            {0, 2, 4, 4}, {2, 0, 4, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}};

inline int paeth(int a, int b, int c) {
  const int p = a + b - c;
  const int pa = p < a ? a - p : p - a, pb = p < b ? b - p : p - b, pc = p < c ? c - p : p - c;
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// Undoes the filter of a row; `above` is null on the first.
inline bool unfilter(int filter, std::uint8_t* row, const std::uint8_t* above, Index bytes,
                     Index step) {
  if (filter > 4) return false;
  for (Index i = 0; filter != 0 && i < bytes; ++i) {
    const int a = i >= step ? row[i - step] : 0, b = above != nullptr ? above[i] : 0;
    const int c = i >= step && above != nullptr ? above[i - step] : 0;
    const int guess = filter == 1   ? a
                      : filter == 2 ? b
                      : filter == 3 ? (a + b) / 2
                                    : paeth(a, b, c);
    row[i] = static_cast<std::uint8_t>(row[i] + guess);
  }
  return true;
}

inline std::uint32_t sample(const Header& h, const std::uint8_t* row, Index i) {
  if (h.depth == 8) return row[i];
  if (h.depth == 16) return row[2 * i];  // 16 bits are truncated to 8
  const Index bit = i * h.depth;
  const std::uint32_t most = (1U << h.depth) - 1U;
  return static_cast<std::uint32_t>(row[bit / 8]) >> (8 - h.depth - bit % 8) & most;
}

inline void put_row(const Bytes& in, const Header& h, const Chunks& chunks, const Pass& pass,
                    const Sink& out, Index row, const std::uint8_t* bytes) {
  const Index y = pass.y + row * pass.step_y, columns = pass.columns(h);
  const std::uint32_t stretch = h.depth < 8 ? 255U / ((1U << h.depth) - 1U) : 1U;
  for (Index i = 0; i < columns; ++i) {
    const Index x = pass.x + i * pass.step_x;
    const std::uint32_t v = sample(h, bytes, i * h.samples);
    if (h.palette) {
      const bool known = static_cast<Index>(v) < chunks.colors;
      const Index at = known ? chunks.palette + 3 * static_cast<Index>(v) : -4;
      out.rgb(y, x, in.u8(at), in.u8(at + 1), in.u8(at + 2));
    } else if (h.samples < 3) {
      out.gray(y, x, v * stretch);
    } else {
      out.rgb(y, x, v, sample(h, bytes, i * h.samples + 1), sample(h, bytes, i * h.samples + 2));
    }
  }
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Memory& memory) {
  Header h;
  Chunks chunks;
  if (!read_header(in, h) || !walk(in, chunks, nullptr)) return Status::bad_value;
  if (h.palette && chunks.colors == 0) return Status::bad_value;
  const int from = h.interlaced ? 1 : 0, to = h.interlaced ? 8 : 1;
  Index total = 0;
  for (int p = from; p < to; ++p) total += kPasses[p].bytes(h);
  // Deflate expands at most 1032 times, so that a small file cannot claim much memory.
  if (total / 1040 > chunks.data) return Status::bad_value;
  std::uint8_t* const packed = take<std::uint8_t>(memory, chunks.data);
  std::uint8_t* row = take<std::uint8_t>(memory, total);
  if (packed == nullptr || row == nullptr) return Status::out_of_memory;
  if (!walk(in, chunks, packed) || !zlib::inflate({packed, chunks.data}, row, total))
    return Status::bad_value;
  const Index step = (h.samples * h.depth + 7) / 8;
  for (int p = from; p < to; ++p) {
    const Pass& pass = kPasses[p];
    if (pass.bytes(h) == 0) continue;
    const std::uint8_t* above = nullptr;
    for (Index r = 0; r < pass.rows(h); ++r) {
      if (!unfilter(row[0], row + 1, above, pass.row_bytes(h), step)) return Status::bad_value;
      above = row + 1;
      put_row(in, h, chunks, pass, out, r, above);
      row += pass.row_bytes(h) + 1;
    }
  }
  return Status::ok;
}

}  // namespace image::png

}  // namespace onnxc
