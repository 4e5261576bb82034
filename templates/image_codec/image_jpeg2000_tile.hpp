// image_jpeg2000_tile.hpp - how a JPEG 2000 tile divides into components, resolution levels,
// subbands, precincts and code-blocks (ITU-T T.800, annex B), and its quantizer steps (annex E).
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg2000_block.hpp"
#include "templates/image_codec/image_jpeg2000_codestream.hpp"

namespace onnxc {

namespace image::jpeg2000 {

struct TagNode {
  std::int32_t value, low;
};

// A tag tree over a grid of code-blocks: every node holds the minimum of its children.
struct TagTree {
  TagNode* nodes = nullptr;
  Index width = 0, height = 0;

  static Index size(Index width, Index height) {
    Index all = 0;
    for (Index w = width, h = height; w > 0 && h > 0; w = (w + 1) / 2, h = (h + 1) / 2) {
      all += w * h;
      if (w == 1 && h == 1) break;
    }
    return all;
  }
};

// The bytes that one packet adds to a code-block.
struct CodeBytes {
  Index at, size;
  int passes;
  bool starts_segment;  // of a codeword
  CodeBytes* next;
};

struct CodeBlock {
  Index x, y, width, height;  // in the component's data
  int bit_planes = 0, length_bits = 3;
  bool included = false;
  int segment_passes = 0, segment_limit = 0;
  CodeBytes *first = nullptr, *last = nullptr;
};

struct Precinct {
  struct Subband {
    Index columns = 0, rows = 0;
    CodeBlock* blocks = nullptr;
    TagTree inclusion, zero_bit_planes;
  } part[3];
  Index layers = 0;  // already read
};

struct Band {
  int kind = 0;  // 0 LL, 1 HL, 2 LH, 3 HH
  Area area;
  Index x = 0, y = 0;  // in the component's data
  int bit_planes = 0;
  float step = 1;
};

struct Level {
  Area area;
  int precinct_x = 15, precinct_y = 15;
  Wide columns = 0, rows = 0;  // of precincts
  int bands = 0;
  Band band[3];
  Precinct* precincts = nullptr;
};

struct TileComponent {
  Area area;
  const Coding* coding = nullptr;
  Level level[kMaxLevels + 1];
  std::int32_t* data = nullptr;
  float* real = nullptr;  // instead of data, for the irreversible transform
};

struct Tile {
  Area area;
  Settings settings;
  TileComponent component[kMaxComponents];
  Bytes packets{nullptr, 0};
};

template <class Memory>
struct Decoder {
  Stream* stream;
  Tile* tile;
  BlockCoder* coder;
  Memory* memory;
  Status status = Status::bad_value;  // reason of a failure
  CodeBytes* chunk = nullptr;
  Index chunk_left = 0;

  template <class T>
  T* allocate(Index count) {
    T* const p = take<T>(*memory, count);
    if (p == nullptr) status = Status::out_of_memory;
    return p;
  }
  CodeBytes* new_code_bytes() {
    constexpr Index together = 256;
    if (chunk_left == 0) {
      chunk = allocate<CodeBytes>(together);
      chunk_left = chunk == nullptr ? 0 : together;
    }
    if (chunk_left == 0) return nullptr;
    --chunk_left;
    return chunk++;
  }
};

template <class Memory>
bool make_tree(Decoder<Memory>& d, TagTree& tree, Index width, Index height) {
  tree.width = width;
  tree.height = height;
  const Index size = TagTree::size(width, height);
  tree.nodes = d.template allocate<TagNode>(size);
  for (Index i = 0; tree.nodes != nullptr && i < size; ++i) tree.nodes[i] = {0x7FFFFFFF, 0};
  return tree.nodes != nullptr;
}

// The code-blocks of one subband in one precinct.
template <class Memory>
bool make_precinct_subband(Decoder<Memory>& d, const Coding& k, const Level& level,
                           const Band& band, Wide px, Wide py, Precinct::Subband& part) {
  const int half = band.kind == 0 ? 0 : 1;
  const int size_x = level.precinct_x - half, size_y = level.precinct_y - half;
  const auto max = [](Wide a, Wide b) { return a > b ? a : b; };
  const auto min = [](Wide a, Wide b) { return a < b ? a : b; };
  const Area a{max(band.area.x0, px << size_x), max(band.area.y0, py << size_y),
               min(band.area.x1, (px + 1) << size_x), min(band.area.y1, (py + 1) << size_y)};
  part = Precinct::Subband{};
  if (a.empty()) return true;
  const int bx = k.block_x < size_x ? k.block_x : size_x;
  const int by = k.block_y < size_y ? k.block_y : size_y;
  const Wide x0 = a.x0 >> bx, y0 = a.y0 >> by;
  part.columns = static_cast<Index>(shift_up(a.x1, bx) - x0);
  part.rows = static_cast<Index>(shift_up(a.y1, by) - y0);
  part.blocks = d.template allocate<CodeBlock>(part.columns * part.rows);
  if (part.blocks == nullptr) return false;
  for (Index i = 0; i < part.columns * part.rows; ++i) {
    const Wide cx = x0 + i % part.columns, cy = y0 + i / part.columns;
    const Area c{max(a.x0, cx << bx), max(a.y0, cy << by), min(a.x1, (cx + 1) << bx),
                 min(a.y1, (cy + 1) << by)};
    part.blocks[i] = CodeBlock{};
    part.blocks[i].x = band.x + static_cast<Index>(c.x0 - band.area.x0);
    part.blocks[i].y = band.y + static_cast<Index>(c.y0 - band.area.y0);
    part.blocks[i].width = c.width();
    part.blocks[i].height = c.height();
  }
  return make_tree(d, part.inclusion, part.columns, part.rows) &&
         make_tree(d, part.zero_bit_planes, part.columns, part.rows);
}

inline float power_of_two(int exponent) {
  float v = 1;
  for (; exponent > 0; --exponent) v *= 2;
  for (; exponent < 0; ++exponent) v *= 0.5F;
  return v;
}

inline bool set_quantizer(const Coding& k, int index, int bits, Band& band) {
  if (k.quantization != 1 && index >= k.steps) return false;
  const int entry = k.step[k.quantization == 1 ? 0 : index];
  int exponent = entry >> 11;
  if (k.quantization == 1 && index > 0) exponent -= (index - 1) / 3;
  if (exponent < 0) exponent = 0;
  band.bit_planes = exponent + k.guard_bits - 1;
  const float fraction = 1.0F + static_cast<float>(entry & 0x7FF) / 2048.0F;
  band.step = fraction * power_of_two(bits - exponent);
  return true;
}

inline bool make_bands(const TileComponent& t, int r, int bits, Level& level) {
  const Coding& k = *t.coding;
  level.bands = r == 0 ? 1 : 3;
  for (int b = 0; b < level.bands; ++b) {
    Band& band = level.band[b];
    band = Band{};
    band.kind = r == 0 ? 0 : b + 1;
    const int down = r == 0 ? k.levels : k.levels - r + 1;
    const Wide half = r == 0 ? 0 : Wide{1} << (down - 1);
    const Wide dx = (band.kind & 1) != 0 ? half : 0, dy = (band.kind & 2) != 0 ? half : 0;
    band.area = {shift_up(t.area.x0 - dx, down), shift_up(t.area.y0 - dy, down),
                 shift_up(t.area.x1 - dx, down), shift_up(t.area.y1 - dy, down)};
    if ((band.kind & 1) != 0) band.x = t.level[r - 1].area.width();
    if ((band.kind & 2) != 0) band.y = t.level[r - 1].area.height();
    if (!set_quantizer(k, r == 0 ? 0 : 3 * (r - 1) + b + 1, bits, band)) return false;
  }
  return true;
}

template <class Memory>
bool make_precincts(Decoder<Memory>& d, const Coding& k, Level& level) {
  const Area& a = level.area;
  level.columns = level.rows = 0;
  level.precincts = nullptr;
  if (a.empty()) return true;
  const Wide x0 = a.x0 >> level.precinct_x, y0 = a.y0 >> level.precinct_y;
  level.columns = shift_up(a.x1, level.precinct_x) - x0;
  level.rows = shift_up(a.y1, level.precinct_y) - y0;
  // Every packet has at least one byte, so that precincts cannot outnumber bytes.
  if (level.columns > d.tile->packets.size / level.rows) return false;
  const Index count = static_cast<Index>(level.columns * level.rows);
  level.precincts = d.template allocate<Precinct>(count);
  for (Index i = 0; level.precincts != nullptr && i < count; ++i) {
    level.precincts[i].layers = 0;
    for (int b = 0; b < level.bands; ++b)
      if (!make_precinct_subband(d, k, level, level.band[b], x0 + i % level.columns,
                                 y0 + i / level.columns, level.precincts[i].part[b]))
        return false;
  }
  return level.precincts != nullptr;
}

template <class Memory>
bool make_component(Decoder<Memory>& d, int c) {
  const Component& from = d.stream->component[c];
  TileComponent& t = d.tile->component[c];
  t.data = nullptr;
  t.real = nullptr;
  t.coding = &d.tile->settings.coding[c];
  const Area& a = d.tile->area;
  t.area = {divide_up(a.x0, from.subsampling_x), divide_up(a.y0, from.subsampling_y),
            divide_up(a.x1, from.subsampling_x), divide_up(a.y1, from.subsampling_y)};
  if (t.coding->steps == 0) return false;
  for (int r = 0; r <= t.coding->levels; ++r) {
    Level& level = t.level[r];
    const int down = t.coding->levels - r;
    level.area = {shift_up(t.area.x0, down), shift_up(t.area.y0, down), shift_up(t.area.x1, down),
                  shift_up(t.area.y1, down)};
    level.precinct_x = t.coding->precinct[r] & 15;
    level.precinct_y = t.coding->precinct[r] >> 4;
    if (!make_bands(t, r, from.bits, level) || !make_precincts(d, *t.coding, level)) return false;
  }
  const Index size = t.area.empty() ? 0 : t.area.height() * t.area.width();
  if (t.coding->reversible) {
    t.data = d.template allocate<std::int32_t>(size);
    if (t.data == nullptr) return false;
    std::memset(t.data, 0, static_cast<std::size_t>(size) * sizeof(std::int32_t));
  } else {
    t.real = d.template allocate<float>(size);
    if (t.real == nullptr) return false;
    for (Index i = 0; i < size; ++i) t.real[i] = 0;
  }
  return true;
}

}  // namespace image::jpeg2000

}  // namespace onnxc
