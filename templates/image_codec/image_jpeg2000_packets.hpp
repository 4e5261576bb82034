// image_jpeg2000_packets.hpp - the packets of a JPEG 2000 tile (ITU-T T.800, annex B): their
// headers, and the five progression orders.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg2000_block.hpp"
#include "templates/image_codec/image_jpeg2000_codestream.hpp"
#include "templates/image_codec/image_jpeg2000_tile.hpp"

namespace onnxc {

namespace image::jpeg2000 {

// Bits of a packet header; after a byte of ones a bit is stuffed.
struct HeaderReader {
  Bytes in;
  Index at;
  std::uint32_t byte = 0;
  int left = 0;
  bool failed = false;

  int bit() {
    if (left == 0) {
      left = byte == 0xFF ? 7 : 8;
      failed = failed || at >= in.size;
      byte = in.u8(at++);
    }
    --left;
    return static_cast<int>(byte >> left & 1U);
  }
  int number(int bits) {
    int v = 0;
    for (; bits > 0; --bits) v = 2 * v + bit();
    return v;
  }
  void align() {
    if (byte == 0xFF) ++at;
    byte = 0;
    left = 0;
  }
};

// Decodes a tag tree until it is known whether the value of leaf (x, y) is below `limit`.
inline bool tag_tree_below(HeaderReader& in, const TagTree& tree, Index x, Index y,
                           std::int32_t limit) {
  TagNode* path[32];
  int depth = 0;
  TagNode* level = tree.nodes;
  for (Index w = tree.width, h = tree.height; depth < 32; w = (w + 1) / 2, h = (h + 1) / 2) {
    path[depth++] = level + y * w + x;
    if (w == 1 && h == 1) break;
    level += w * h;
    x /= 2;
    y /= 2;
  }
  std::int32_t low = 0;
  while (depth > 0) {
    TagNode& node = *path[--depth];
    if (node.low < low) node.low = low;
    low = node.low;
    while (low < limit && low < node.value && !in.failed) {
      if (in.bit() != 0)
        node.value = low;
      else
        ++low;
    }
    node.low = low;
  }
  return path[0]->value < limit;
}

inline int read_pass_count(HeaderReader& in) {
  if (in.bit() == 0) return 1;
  if (in.bit() == 0) return 2;
  int n = in.number(2);
  if (n < 3) return 3 + n;
  n = in.number(5);
  if (n < 31) return 6 + n;
  return 37 + in.number(7);
}

// The largest number of passes in the next codeword segment.
inline int segment_limit(const CodeBlock& block, std::uint32_t style) {
  if ((style & terminate_all) != 0) return 1;
  if ((style & bypass) == 0) return 1000;
  if (block.first == nullptr) return 10;
  return block.segment_limit == 1 || block.segment_limit == 10 ? 2 : 1;
}

// Reads the counts of passes and bytes that the packet adds to a code-block.
template <class Memory>
bool read_code_lengths(Decoder<Memory>& d, HeaderReader& in, std::uint32_t style,
                       CodeBlock& block) {
  int passes = read_pass_count(in);
  while (in.bit() != 0)
    if (in.failed || ++block.length_bits > 32) return false;
  while (passes > 0) {
    const bool starts_segment =
        block.first == nullptr || block.segment_passes >= block.segment_limit;
    if (starts_segment) {
      block.segment_limit = segment_limit(block, style);
      block.segment_passes = 0;
    }
    const int left = block.segment_limit - block.segment_passes;
    const int taken = passes < left ? passes : left;
    int bits = block.length_bits;
    for (int n = taken; n > 1; n /= 2) ++bits;
    if (bits > 31) return false;
    CodeBytes* const bytes = d.new_code_bytes();
    if (bytes == nullptr || in.failed) return false;
    // `at` is set when the header has been read.
    *bytes = {-1, in.number(bits), taken, starts_segment, nullptr};
    (block.first == nullptr ? block.first : block.last->next) = bytes;
    block.last = bytes;
    block.segment_passes += taken;
    passes -= taken;
  }
  return !in.failed;
}

template <class Memory>
bool read_block_header(Decoder<Memory>& d, HeaderReader& in, const Precinct::Subband& part,
                       const Band& band, std::uint32_t style, Index layer, Index i) {
  CodeBlock& block = part.blocks[i];
  const Index x = i % part.columns, y = i / part.columns;
  if (block.included) {
    if (in.bit() == 0) return true;
  } else {
    if (!tag_tree_below(in, part.inclusion, x, y, static_cast<std::int32_t>(layer) + 1))
      return true;
    std::int32_t empty = 1;
    while (!tag_tree_below(in, part.zero_bit_planes, x, y, empty))
      if (in.failed || ++empty > 80) return false;
    block.included = true;
    block.bit_planes = band.bit_planes + 1 - empty;
  }
  return read_code_lengths(d, in, style, block);
}

// Locates the bytes of all code-blocks that the header included.
inline bool read_body(const Bytes& in, const Precinct& precinct, int bands, Index& at) {
  for (int b = 0; b < bands; ++b) {
    const Precinct::Subband& part = precinct.part[b];
    for (Index i = 0; i < part.columns * part.rows; ++i)
      for (CodeBytes* p = part.blocks[i].last; p != nullptr && p->at < 0;) {
        // The first of this packet; those before it were located earlier.
        for (p = part.blocks[i].first; p->at >= 0;) p = p->next;
        for (; p != nullptr; p = p->next) {
          if (!in.has(at, p->size)) return false;
          p->at = at;
          at += p->size;
        }
      }
  }
  return true;
}

template <class Memory>
bool read_packet(Decoder<Memory>& d, const TileComponent& t, const Level& level, Precinct& precinct,
                 Index layer, Index& at) {
  const Bytes& in = d.tile->packets;
  if (d.tile->settings.start_markers && in.be16(at) == 0xFF91) at += 6;
  if (at >= in.size) return false;
  HeaderReader header{in, at};
  if (header.bit() != 0) {
    for (int b = 0; b < level.bands; ++b) {
      const Precinct::Subband& part = precinct.part[b];
      for (Index i = 0; i < part.columns * part.rows; ++i)
        if (!read_block_header(d, header, part, level.band[b], t.coding->style, layer, i))
          return false;
    }
  }
  header.align();
  if (header.failed) return false;
  at = header.at;
  if (d.tile->settings.end_markers && in.be16(at) == 0xFF92) at += 2;
  return read_body(in, precinct, level.bands, at);
}

// Reads the packet of a layer, unless an earlier progression had it.
template <class Memory>
bool read_layer(Decoder<Memory>& d, int c, int r, Index precinct, Index layer, Index& at) {
  TileComponent& t = d.tile->component[c];
  Precinct& p = t.level[r].precincts[precinct];
  if (layer < p.layers) return true;
  p.layers = layer + 1;
  return read_packet(d, t, t.level[r], p, layer, at);
}

inline Index precinct_count(const Level& level) {
  return static_cast<Index>(level.columns * level.rows);
}

// Orders 0 and 1: by layer and level, or by level and layer.
template <class Memory>
bool read_by_layer(Decoder<Memory>& d, const Progression& p, Index& at) {
  const Index levels = p.level_end - p.level_begin;
  for (Index i = 0; i < levels * p.layers; ++i) {
    const Index layer = p.order == 0 ? i / levels : i % p.layers;
    const int r = p.level_begin + static_cast<int>(p.order == 0 ? i % levels : i / p.layers);
    for (int c = p.component_begin; c < p.component_end; ++c) {
      if (r > d.tile->component[c].coding->levels) continue;
      const Index count = precinct_count(d.tile->component[c].level[r]);
      for (Index k = 0; k < count; ++k)
        if (!read_layer(d, c, r, k, layer, at)) return false;
    }
  }
  return true;
}

// The precinct whose packets come at a position, or -1.
inline Index precinct_at(const Stream& s, const Tile& tile, int c, int r, Wide y, Wide x) {
  const TileComponent& t = tile.component[c];
  if (r > t.coding->levels) return -1;
  const Level& level = t.level[r];
  if (level.area.empty()) return -1;
  const int down = t.coding->levels - r;
  const auto starts = [down](Wide v, Wide step, int size, Wide tile_start, Wide level_start) {
    if (v % (step << (size + down)) == 0) return true;
    return v == tile_start && (level_start << down) % (Wide{1} << (size + down)) != 0;
  };
  const Component& k = s.component[c];
  if (!starts(y, k.subsampling_y, level.precinct_y, tile.area.y0, level.area.y0) ||
      !starts(x, k.subsampling_x, level.precinct_x, tile.area.x0, level.area.x0))
    return -1;
  const auto place = [down](Wide v, Wide step, int size, Wide level_start) {
    return (divide_up(v, step << down) >> size) - (level_start >> size);
  };
  const Wide row = place(y, k.subsampling_y, level.precinct_y, level.area.y0);
  const Wide column = place(x, k.subsampling_x, level.precinct_x, level.area.x0);
  if (row < 0 || column < 0 || row >= level.rows || column >= level.columns) return -1;
  return static_cast<Index>(row * level.columns + column);
}

constexpr Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// The step of a walk over all positions where precincts start.
inline Wide position_step(const Stream& s, const Tile& tile, const Progression& p, bool vertical) {
  Wide step = 0;
  for (int c = p.component_begin; c < p.component_end; ++c) {
    const TileComponent& t = tile.component[c];
    for (int r = p.level_begin; r < p.level_end && r <= t.coding->levels; ++r) {
      const int size = vertical ? t.level[r].precinct_y : t.level[r].precinct_x;
      const Wide unit = vertical ? s.component[c].subsampling_y : s.component[c].subsampling_x;
      step = gcd(unit << (size + t.coding->levels - r), step);
    }
  }
  return step;
}

// All layers at a position, of a range of components and levels.
template <class Memory>
bool read_at(Decoder<Memory>& d, const Progression& p, bool by_component, Wide y, Wide x,
             Index& at) {
  const Index levels = p.level_end - p.level_begin;
  const Index components = p.component_end - p.component_begin;
  for (Index i = 0; i < levels * components; ++i) {
    const Index n = by_component ? i / levels : i % components;
    const int c = p.component_begin + static_cast<int>(n);
    const int r = p.level_begin + static_cast<int>(by_component ? i % levels : i / components);
    const Index k = precinct_at(*d.stream, *d.tile, c, r, y, x);
    for (Index layer = 0; k >= 0 && layer < p.layers; ++layer)
      if (!read_layer(d, c, r, k, layer, at)) return false;
  }
  return true;
}

template <class Memory>
bool read_positions(Decoder<Memory>& d, const Progression& p, bool by_component, Index& at) {
  const Area& a = d.tile->area;
  const Wide dy = position_step(*d.stream, *d.tile, p, true);
  const Wide dx = position_step(*d.stream, *d.tile, p, false);
  if (dx == 0 || dy == 0) return true;
  // Positions have precincts, so that tiny steps of a hostile header would only cost time.
  const Wide positions = (a.width() / dx + 1) * (a.height() / dy + 1);
  if (positions > 4096 + 64 * static_cast<Wide>(d.tile->packets.size)) return false;
  for (Wide y = a.y0; y < a.y1; y += dy - y % dy)
    for (Wide x = a.x0; x < a.x1; x += dx - x % dx)
      if (!read_at(d, p, by_component, y, x, at)) return false;
  return true;
}

template <class Memory>
bool read_progression(Decoder<Memory>& d, Progression p, Index& at) {
  const Settings& s = d.tile->settings;
  if (p.component_end > d.stream->components) p.component_end = d.stream->components;
  if (p.layers > s.progression.layers) p.layers = s.progression.layers;
  int levels = 0;
  for (int c = 0; c < d.stream->components; ++c)
    if (s.coding[c].levels >= levels) levels = s.coding[c].levels + 1;
  if (p.level_end > levels) p.level_end = levels;
  if (p.level_begin >= p.level_end || p.component_begin >= p.component_end || p.layers == 0)
    return true;
  if (p.order <= 1) return read_by_layer(d, p, at);
  if (p.order == 2) {
    // By level, then position.
    for (int r = p.level_begin; r < p.level_end; ++r) {
      Progression one = p;
      one.level_begin = r;
      one.level_end = r + 1;
      if (!read_positions(d, one, false, at)) return false;
    }
    return true;
  }
  if (p.order == 3) return read_positions(d, p, true, at);
  for (int c = p.component_begin; c < p.component_end; ++c) {
    Progression one = p;
    one.component_begin = c;
    one.component_end = c + 1;
    if (!read_positions(d, one, true, at)) return false;
  }
  return true;
}

template <class Memory>
bool read_packets(Decoder<Memory>& d) {
  const Settings& s = d.tile->settings;
  Wide packets = 0;
  for (int c = 0; c < d.stream->components; ++c)
    for (int r = 0; r <= s.coding[c].levels; ++r)
      packets += precinct_count(d.tile->component[c].level[r]);
  // Every packet has a byte at least.
  if (s.changes == 0 && packets * s.progression.layers > d.tile->packets.size) return false;
  Index at = 0;
  if (s.changes == 0) return read_progression(d, s.progression, at);
  for (int i = 0; i < s.changes; ++i)
    if (!read_progression(d, s.change[i], at)) return false;
  return true;
}

}  // namespace image::jpeg2000

}  // namespace onnxc
