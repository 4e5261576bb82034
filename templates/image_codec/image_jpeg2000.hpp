// image_jpeg2000.hpp - JPEG 2000 part 1 (ITU-T T.800, ISO/IEC 15444-1), as a codestream or in the
// boxes of a JP2 file.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg2000_block.hpp"
#include "templates/image_codec/image_jpeg2000_codestream.hpp"
#include "templates/image_codec/image_jpeg2000_container.hpp"
#include "templates/image_codec/image_jpeg2000_packets.hpp"
#include "templates/image_codec/image_jpeg2000_samples.hpp"
#include "templates/image_codec/image_jpeg2000_tile.hpp"

namespace onnxc {

namespace image::jpeg2000 {

// A tile-part: where its header and its data are.
struct TilePart {
  Index tile = 0, header = 0, end = 0;
  Index next = -1;  // of the same tile
};

// Reads the header of the tile-part at `at`; `at` moves to the end of the tile-part.
inline bool read_tile_part(const Stream& s, Index& at, TilePart& part) {
  if (s.in.be16(at) != 0xFF90 || s.in.be16(at + 2) != 10 || !s.in.has(at, 12)) return false;
  part.tile = static_cast<Index>(s.in.be16(at + 4));
  auto size = static_cast<Index>(s.in.be32(at + 6));
  if (size == 0) {
    // The size of the last tile-part may be zero: it extends to the end.
    size = s.in.size - at;
    if (s.in.be16(s.in.size - 2) == 0xFFD9) size -= 2;
  }
  if (size < 14 || !s.in.has(at, size) || part.tile >= s.tiles_x() * s.tiles_y()) return false;
  part.header = at + 12;
  part.end = at + size;
  at = part.end;
  return true;
}

struct TileIndex {
  TilePart* parts = nullptr;
  Index* first = nullptr;  // part of each tile, -1 for none
};

template <class Memory>
bool read_tile_index(Decoder<Memory>& d, Index start, TileIndex& index) {
  const Stream& s = *d.stream;
  const Index tiles = static_cast<Index>(s.tiles_x() * s.tiles_y());
  Index count = 0;
  TilePart part;
  for (Index at = start; s.in.be16(at) == 0xFF90; ++count)
    if (!read_tile_part(s, at, part)) return false;
  index.parts = d.template allocate<TilePart>(count);
  index.first = d.template allocate<Index>(tiles);
  Index* const last = d.template allocate<Index>(tiles);
  if (index.parts == nullptr || index.first == nullptr || last == nullptr) return false;
  for (Index t = 0; t < tiles; ++t) index.first[t] = last[t] = -1;
  Index at = start;
  for (Index i = 0; i < count; ++i) {
    TilePart& p = index.parts[i];
    p = TilePart{};
    if (!read_tile_part(s, at, p)) return false;
    (last[p.tile] < 0 ? index.first[p.tile] : index.parts[last[p.tile]].next) = i;
    last[p.tile] = i;
  }
  return true;
}

// The headers of a tile's parts into its settings, their data into one range of bytes.
template <class Memory>
bool gather_tile(Decoder<Memory>& d, const TileIndex& index, Index t) {
  const Stream& s = *d.stream;
  Index total = 0, start = 0;
  int parts = 0;
  for (Index i = index.first[t]; i >= 0; i = index.parts[i].next, ++parts) {
    TilePart& p = index.parts[i];
    Index at = p.header;
    const int changes = d.tile->settings.changes;
    // A tile's own order replaces that of the main header.
    if (parts == 0) d.tile->settings.changes = 0;
    if (!read_markers(s, at, 0xFF93, d.tile->settings) || at + 2 > p.end) return false;
    if (parts == 0 && d.tile->settings.changes == 0) d.tile->settings.changes = changes;
    start = p.header = at + 2;
    total += p.end - start;
  }
  if (parts == 0) return false;
  d.tile->packets = s.in.part(start, total);
  if (parts == 1) return true;
  std::uint8_t* const all = d.template allocate<std::uint8_t>(total);
  if (all == nullptr) return false;
  Index done = 0;
  for (Index i = index.first[t]; i >= 0; i = index.parts[i].next) {
    const TilePart& p = index.parts[i];
    std::memcpy(all + done, s.in.data + p.header, static_cast<std::size_t>(p.end - p.header));
    done += p.end - p.header;
  }
  d.tile->packets = {all, total};
  return true;
}

inline Area tile_area(const Stream& s, Index t) {
  const Wide column = t % s.tiles_x(), row = t / s.tiles_x();
  const auto max = [](Wide a, Wide b) { return a > b ? a : b; };
  const auto min = [](Wide a, Wide b) { return a < b ? a : b; };
  const Wide x = s.tile_x + column * s.tile_width, y = s.tile_y + row * s.tile_height;
  return {max(x, s.image.x0), max(y, s.image.y0), min(x + s.tile_width, s.image.x1),
          min(y + s.tile_height, s.image.y1)};
}

template <class Memory>
bool decode_tile(Decoder<Memory>& d, const TileIndex& index, Index t, const Settings& main,
                 bool palette) {
  Tile& tile = *d.tile;
  const int components = d.stream->components;
  tile.settings = main;
  // The tile's defaults come before the components' settings of the main header.
  for (Coding& k : tile.settings.coding) k.has_coc = k.has_qcc = false;
  tile.area = tile_area(*d.stream, t);
  if (!gather_tile(d, index, t)) return false;
  for (int c = 0; c < components; ++c)
    if (!make_component(d, c)) return false;
  if (!read_packets(d)) return false;
  std::uint8_t* const work = d.template allocate<std::uint8_t>(tile.packets.size);
  if (work == nullptr) return false;
  for (int c = 0; c < components; ++c)
    if (!decode_component(d, tile.component[c], work)) return false;
  if (!inverse_component_transform(tile, components)) return false;
  for (int c = 0; c < components; ++c)
    put_samples(tile.component[c], d.stream->component[c], palette);
  return true;
}

inline std::uint32_t sample_at(const Stream& s, int c, Index y, Index x) {
  const Component& k = s.component[c];
  const auto place = [](Wide v, Wide step, Wide from, Wide to) {
    const Wide at = v / step;
    return static_cast<Index>((at < from ? from : at >= to ? to - 1 : at) - from);
  };
  const Index row = place(s.image.y0 + y, k.subsampling_y, k.area.y0, k.area.y1);
  const Index column = place(s.image.x0 + x, k.subsampling_x, k.area.x0, k.area.x1);
  return k.samples[row * k.area.width() + column];
}

inline void put_pixel(const Stream& s, const File& file, const Palette& palette, Index y, Index x,
                      const Sink& out) {
  const std::uint32_t first = sample_at(s, 0, y, x);
  if (palette.entries > 0) {
    const auto last = static_cast<std::uint32_t>(palette.entries - 1);
    const auto row = static_cast<Index>(first < last ? first : last);
    const auto color = [&](int i) {
      return file.palette.u8(palette.colors + row * palette.columns + palette.column[i]);
    };
    return out.rgb(y, x, color(0), color(1), color(2));
  }
  if (s.components < 3) return out.gray(y, x, first);
  const std::uint32_t second = sample_at(s, 1, y, x), third = sample_at(s, 2, y, x);
  if (file.colors != 18) return out.rgb(y, x, first, second, third);
  // Luma and chroma, as in JPEG.
  const int luma = static_cast<int>(first) * 65536 + 32768;
  const int cb = static_cast<int>(second) - 128, cr = static_cast<int>(third) - 128;
  const auto clamped = [](int v) {
    const int whole = v >> 16;
    return static_cast<std::uint32_t>(whole < 0 ? 0 : whole > 255 ? 255 : whole);
  };
  out.rgb(y, x, clamped(luma + 91881 * cr), clamped(luma - 46802 * cr - 22554 * cb),
          clamped(luma + 116130 * cb));
}

template <class Memory>
bool decode_tiles(Decoder<Memory>& d, bool palette) {
  Stream& s = *d.stream;
  Settings* const main = make<Settings>(*d.memory);
  if (main == nullptr) {
    d.status = Status::out_of_memory;
    return false;
  }
  Index at = 4 + static_cast<Index>(s.in.be16(4));
  TileIndex index;
  if (!read_markers(s, at, 0xFF90, *main) || main->progression.layers == 0 ||
      !read_tile_index(d, at, index))
    return false;
  for (int c = 0; c < s.components && c < 3; ++c) {
    Component& k = s.component[c];
    k.samples = d.template allocate<std::uint8_t>(k.area.height() * k.area.width());
    if (k.samples == nullptr) return false;
  }
  for (Index t = 0; t < s.tiles_x() * s.tiles_y(); ++t)
    if (!decode_tile(d, index, t, *main, palette)) return false;
  return true;
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Memory& memory) {
  File file;
  Palette palette;
  Decoder<Memory> d{make<Stream>(memory), make<Tile>(memory), make<BlockCoder>(memory), &memory};
  if (d.stream == nullptr || d.tile == nullptr || d.coder == nullptr) return Status::out_of_memory;
  if (!read_file(in, file) || !read_size(file.stream, *d.stream) || !read_palette(file, palette))
    return Status::bad_value;
  if (!decode_tiles(d, palette.entries > 0)) return d.status;
  for (Index y = 0; y < out.extents.height; ++y)
    for (Index x = 0; x < out.extents.width; ++x) put_pixel(*d.stream, file, palette, y, x, out);
  return Status::ok;
}

}  // namespace image::jpeg2000

}  // namespace onnxc
