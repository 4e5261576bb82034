// image_jpeg2000_codestream.hpp - the main header of a JPEG 2000 codestream (ITU-T T.800, annex A):
// image, tiles and components, how they are coded and quantized, and the order of packets.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"

namespace onnxc {

namespace image::jpeg2000 {

using Wide = std::int64_t;

constexpr int kMaxComponents = 16, kMaxLevels = 32;

constexpr Wide divide_up(Wide a, Wide b) { return (a + b - 1) / b; }
constexpr Wide shift_up(Wide a, int bits) { return (a + (Wide{1} << bits) - 1) >> bits; }

// A rectangle on the reference grid, or on that of a component or resolution level.
struct Area {
  std::int64_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  Index width() const { return static_cast<Index>(x1 - x0); }
  Index height() const { return static_cast<Index>(y1 - y0); }
  bool empty() const { return x1 <= x0 || y1 <= y0; }
};

// How a component is coded: markers COD, COC, QCD, QCC and RGN.
struct Coding {
  int levels = 0, block_x = 6, block_y = 6;  // log2 of the block sides
  std::uint32_t style = 0;
  bool reversible = true;
  std::uint8_t precinct[kMaxLevels + 1] = {};  // log2 sizes: y in the upper four bits
  std::uint32_t quantization = 0;              // 0 none, 1 derived, 2 each band
  int guard_bits = 0, roi_shift = 0, steps = 0;
  std::uint16_t step[3 * kMaxLevels + 1] = {};  // exponent in the upper five bits
  bool has_coc = false, has_qcc = false;        // set by COC, QCC
};

// A progression: an order of packets, for ranges of layers, levels and components.
struct Progression {
  std::uint32_t order = 0;
  Index layers = 0;
  int level_begin = 0, level_end = kMaxLevels + 1;
  int component_begin = 0, component_end = kMaxComponents;
};

struct Settings {
  Coding coding[kMaxComponents];
  bool start_markers = false, end_markers = false, component_transform = false;
  Progression progression;
  static constexpr int kMaxChanges = 32;
  Progression change[kMaxChanges];
  int changes = 0;
};

struct Component {
  int bits = 8;
  bool is_signed = false;
  Wide subsampling_x = 1, subsampling_y = 1;
  Area area;
  std::uint8_t* samples = nullptr;  // in 8 bits
};

struct Stream {
  Bytes in{nullptr, 0};
  Area image;
  Wide tile_width = 0, tile_height = 0, tile_x = 0, tile_y = 0;
  int components = 0;
  Component component[kMaxComponents];

  Wide tiles_x() const { return divide_up(image.x1 - tile_x, tile_width); }
  Wide tiles_y() const { return divide_up(image.y1 - tile_y, tile_height); }
};

inline bool is_stream(const Bytes& in) { return in.matches(0, "\xFF\x4F\xFF\x51", 4); }

inline bool read_components(const Bytes& body, Stream& s) {
  for (int c = 0; c < s.components; ++c) {
    Component& k = s.component[c];
    const std::uint32_t depth = body.u8(38 + 3 * c);
    k.bits = static_cast<int>(depth & 127) + 1;
    k.is_signed = depth >> 7 != 0;
    k.subsampling_x = static_cast<Wide>(body.u8(39 + 3 * c));
    k.subsampling_y = static_cast<Wide>(body.u8(40 + 3 * c));
    if (k.bits > 24 || k.subsampling_x == 0 || k.subsampling_y == 0) return false;
    k.area = {divide_up(s.image.x0, k.subsampling_x), divide_up(s.image.y0, k.subsampling_y),
              divide_up(s.image.x1, k.subsampling_x), divide_up(s.image.y1, k.subsampling_y)};
    if (k.area.empty()) return false;
  }
  return true;
}

inline bool read_size(const Bytes& in, Stream& s) {
  if (!is_stream(in)) return false;
  const auto size = static_cast<Index>(in.be16(4));
  const Bytes body = in.part(4, size);
  if (body.size < 41) return false;
  s.in = in;
  const auto word = [&body](Index at) { return static_cast<Wide>(body.be32(at)); };
  s.image = {word(12), word(16), word(4), word(8)};
  s.tile_width = word(20), s.tile_height = word(24);
  s.tile_x = word(28), s.tile_y = word(32);
  constexpr Wide most = Wide{1} << 31;
  if (s.image.x1 > most || s.image.y1 > most || s.image.empty()) return false;
  const Wide height = s.image.y1 - s.image.y0, width = s.image.x1 - s.image.x0;
  if (height > (Wide{1} << 24) || width > (Wide{1} << 24) ||
      !is_sensible(static_cast<Index>(height), static_cast<Index>(width)))
    return false;
  if (s.tile_width == 0 || s.tile_height == 0 || s.tile_x > s.image.x0 || s.tile_y > s.image.y0 ||
      s.tile_x + s.tile_width <= s.image.x0 || s.tile_y + s.tile_height <= s.image.y0)
    return false;
  if (s.tiles_x() * s.tiles_y() > 65535) return false;
  const std::uint32_t components = body.be16(36);
  if (components < 1 || components > kMaxComponents ||
      body.size < 38 + 3 * static_cast<Index>(components))
    return false;
  s.components = static_cast<int>(components);
  return read_components(body, s);
}

// The SPcod or SPcoc parameters. body: from the number of decomposition levels on.
inline bool read_coding(const Bytes& body, bool own_precincts, Coding& k) {
  k.levels = static_cast<int>(body.u8(0));
  k.block_x = static_cast<int>(body.u8(1) & 15) + 2;
  k.block_y = static_cast<int>(body.u8(2) & 15) + 2;
  k.style = body.u8(3);
  k.reversible = body.u8(4) == 1;
  if (body.size < 5 || k.levels > kMaxLevels || body.u8(4) > 1) return false;
  if (k.block_x > 10 || k.block_y > 10 || k.block_x + k.block_y > 12) return false;
  for (int r = 0; r <= k.levels; ++r) {
    k.precinct[r] = 0xFF;
    if (!own_precincts) continue;
    if (!body.has(5 + r, 1)) return false;
    k.precinct[r] = static_cast<std::uint8_t>(body.u8(5 + r));
    if (r > 0 && ((k.precinct[r] & 15) == 0 || k.precinct[r] >> 4 == 0)) return false;
  }
  return true;
}

inline bool read_steps(const Bytes& body, Coding& k) {
  const std::uint32_t style = body.u8(0);
  k.quantization = style & 31;
  k.guard_bits = static_cast<int>(style >> 5);
  if (k.quantization > 2 || body.size < 2) return false;
  const Index bytes = k.quantization == 0 ? 1 : 2;
  Index count = (body.size - 1) / bytes;
  if (count > 3 * kMaxLevels + 1) count = 3 * kMaxLevels + 1;
  k.steps = static_cast<int>(count);
  for (Index i = 0; i < count; ++i)
    k.step[i] =
        static_cast<std::uint16_t>(bytes == 1 ? body.u8(1 + i) >> 3 << 11 : body.be16(1 + 2 * i));
  return count > 0;
}

inline void copy_coding(const Coding& from, Coding& to) {
  to.levels = from.levels, to.block_x = from.block_x, to.block_y = from.block_y;
  to.style = from.style, to.reversible = from.reversible;
  std::memcpy(to.precinct, from.precinct, sizeof to.precinct);
}

inline void copy_steps(const Coding& from, Coding& to) {
  to.quantization = from.quantization, to.guard_bits = from.guard_bits, to.steps = from.steps;
  std::memcpy(to.step, from.step, sizeof to.step);
}

inline bool read_default_coding(const Bytes& body, int components, Settings& s) {
  const std::uint32_t style = body.u8(0);
  Coding k;
  if (!read_coding(body.part(5, body.size - 5), (style & 1) != 0, k)) return false;
  s.start_markers = (style & 2) != 0;
  s.end_markers = (style & 4) != 0;
  s.progression.order = body.u8(1);
  s.progression.layers = static_cast<Index>(body.be16(2));
  s.component_transform = body.u8(4) != 0;
  for (int c = 0; c < components; ++c)
    if (!s.coding[c].has_coc) copy_coding(k, s.coding[c]);
  return s.progression.order <= 4 && s.progression.layers > 0;
}

inline bool read_default_steps(const Bytes& body, int components, Settings& s) {
  Coding k;
  if (!read_steps(body, k)) return false;
  for (int c = 0; c < components; ++c)
    if (!s.coding[c].has_qcc) copy_steps(k, s.coding[c]);
  return true;
}

// Markers COC, QCC and RGN, which begin with the number of a component.
inline bool read_component_marker(const Bytes& body, std::uint32_t marker, Settings& s,
                                  int components) {
  const std::uint32_t c = body.u8(0);
  if (c >= static_cast<std::uint32_t>(components) || body.size < 3) return false;
  Coding& k = s.coding[c];
  if (marker == 0xFF5E) {
    k.roi_shift = static_cast<int>(body.u8(2));
    return body.u8(1) == 0;
  }
  if (marker == 0xFF53) {
    k.has_coc = true;
    return read_coding(body.part(2, body.size - 2), (body.u8(1) & 1) != 0, k);
  }
  k.has_qcc = true;
  return read_steps(body.part(1, body.size - 1), k);
}

inline bool read_order_changes(const Bytes& body, Settings& s) {
  for (Index at = 0; at + 7 <= body.size; at += 7) {
    if (s.changes == Settings::kMaxChanges) return false;
    Progression& p = s.change[s.changes++];
    p.level_begin = static_cast<int>(body.u8(at));
    p.component_begin = static_cast<int>(body.u8(at + 1));
    p.layers = static_cast<Index>(body.be16(at + 2));
    p.level_end = static_cast<int>(body.u8(at + 4));
    p.component_end = static_cast<int>(body.u8(at + 5));
    if (p.component_end == 0) p.component_end = kMaxComponents;
    p.order = body.u8(at + 6);
    if (p.order > 4) return false;
  }
  return true;
}

// A marker segment of the main header or a tile's.
inline bool read_marker(const Bytes& body, std::uint32_t marker, Settings& s, int components) {
  switch (marker) {
    case 0xFF52:
      return read_default_coding(body, components, s);
    case 0xFF5C:
      return read_default_steps(body, components, s);
    case 0xFF53:
    case 0xFF5D:
    case 0xFF5E:
      return read_component_marker(body, marker, s, components);
    case 0xFF5F:
      return read_order_changes(body, s);
    case 0xFF60:
    case 0xFF61:
      return false;  // PPM, PPT: packed packet headers
    default:
      return true;
  }
}

// Reads segments until a marker `stop`; `at` then points to it.
inline bool read_markers(const Stream& s, Index& at, std::uint32_t stop, Settings& settings) {
  for (;;) {
    const std::uint32_t marker = s.in.be16(at);
    if (marker == stop) return true;
    const auto size = static_cast<Index>(s.in.be16(at + 2));
    if (marker < 0xFF4F || size < 2 || !s.in.has(at + 2, size)) return false;
    if (!read_marker(s.in.part(at + 4, size - 2), marker, settings, s.components)) return false;
    at += 2 + size;
  }
}

}  // namespace image::jpeg2000

}  // namespace onnxc
