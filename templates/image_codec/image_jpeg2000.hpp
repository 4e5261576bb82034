// image_jpeg2000.hpp - JPEG 2000 part 1, as a code stream or in the boxes of a JP2 file.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg2000_block.hpp"
#include "templates/image_codec/image_jpeg2000_wavelet.hpp"

namespace onnxc {

namespace image::jpeg2000 {

using Wide = std::int64_t;

constexpr int kMostComponents = 16, kMostLevels = 32;

constexpr Wide divide_up(Wide a, Wide b) { return (a + b - 1) / b; }
constexpr Wide shift_up(Wide a, int bits) { return (a + (Wide{1} << bits) - 1) >> bits; }

// How a component is coded: markers COD, COC, QCD, QCC and RGN.
struct Coding {
  int levels = 0, block_x = 6, block_y = 6;  // block sides as powers of two
  std::uint32_t style = 0;
  bool reversible = true;
  std::uint8_t precinct[kMostLevels + 1] = {};  // powers of two: y in the upper four bits
  std::uint32_t quantisation = 0;               // 0 none, 1 derived, 2 each band
  int guard = 0, region_shift = 0, steps = 0;
  std::uint16_t step[3 * kMostLevels + 1] = {};  // exponent in the upper five bits
  bool own_coding = false, own_steps = false;    // not from the default of all components
};

// The order of packets: a part of all of them.
struct Progression {
  std::uint32_t order = 0;
  Index layers = 0;
  int first_level = 0, past_level = kMostLevels + 1;
  int first_component = 0, past_component = kMostComponents;
};

struct Settings {
  Coding coding[kMostComponents];
  bool start_markers = false, end_markers = false, mixed = false;  // mixed: color transform
  Progression progression;
  static constexpr int kMostChanges = 32;
  Progression change[kMostChanges];
  int changes = 0;
};

struct Component {
  int bits = 8;
  bool is_signed = false;
  Wide step_x = 1, step_y = 1;
  Area area;
  std::uint8_t* samples = nullptr;  // in 8 bits
};

struct Stream {
  Bytes in{nullptr, 0};
  Area image;
  Wide tile_width = 0, tile_height = 0, tile_x = 0, tile_y = 0;
  int components = 0;
  Component component[kMostComponents];

  Wide tiles_x() const { return divide_up(image.x1 - tile_x, tile_width); }
  Wide tiles_y() const { return divide_up(image.y1 - tile_y, tile_height); }
};

// ---- boxes -------------------------------------------------------------------------------------

struct File {
  Bytes stream{nullptr, 0};
  std::uint32_t colors = 0;  // enumerated color space
  Bytes palette{nullptr, 0}, map{nullptr, 0};
};

inline bool is_stream(const Bytes& in) { return in.matches(0, "\xFF\x4F\xFF\x51", 4); }

inline bool matches(const Bytes& in) {
  return is_stream(in) || in.matches(0, "\0\0\0\x0CjP  \r\n\x87\n", 12);
}

struct Box {
  Bytes body{nullptr, 0};
  Index next = 0;
};

inline bool read_box(const Bytes& in, Index at, Box& box) {
  if (!in.has(at, 8)) return false;
  Index head = 8;
  std::uint64_t size = in.be32(at);
  if (size == 1) {
    if (!in.has(at, 16)) return false;
    size = std::uint64_t{in.be32(at + 8)} << 32 | in.be32(at + 12);
    head = 16;
  }
  if (size == 0) size = static_cast<std::uint64_t>(in.size - at);
  if (size < static_cast<std::uint64_t>(head) || size > static_cast<std::uint64_t>(in.size - at))
    return false;
  box.next = at + static_cast<Index>(size);
  box.body = in.part(at + head, static_cast<Index>(size) - head);
  return true;
}

inline void read_header_box(const Bytes& in, File& file) {
  Box box;
  for (Index at = 0; read_box(in, at, box); at = box.next) {
    if (in.matches(at + 4, "colr", 4) && box.body.u8(0) == 1 && file.colors == 0)
      file.colors = box.body.be32(3);
    if (in.matches(at + 4, "pclr", 4)) file.palette = box.body;
    if (in.matches(at + 4, "cmap", 4)) file.map = box.body;
  }
}

inline bool read_file(const Bytes& in, File& file) {
  if (is_stream(in)) {
    file.stream = in;
    return true;
  }
  Box box;
  for (Index at = 0; matches(in) && read_box(in, at, box); at = box.next) {
    if (in.matches(at + 4, "jp2h", 4)) read_header_box(box.body, file);
    if (!in.matches(at + 4, "jp2c", 4)) continue;
    file.stream = box.body;
    return is_stream(file.stream);
  }
  return false;
}

// ---- the main header ---------------------------------------------------------------------------

inline bool read_components(const Bytes& body, Stream& s) {
  for (int c = 0; c < s.components; ++c) {
    Component& k = s.component[c];
    const std::uint32_t depth = body.u8(38 + 3 * c);
    k.bits = static_cast<int>(depth & 127) + 1;
    k.is_signed = depth >> 7 != 0;
    k.step_x = static_cast<Wide>(body.u8(39 + 3 * c));
    k.step_y = static_cast<Wide>(body.u8(40 + 3 * c));
    if (k.bits > 24 || k.step_x == 0 || k.step_y == 0) return false;
    k.area = {divide_up(s.image.x0, k.step_x), divide_up(s.image.y0, k.step_y),
              divide_up(s.image.x1, k.step_x), divide_up(s.image.y1, k.step_y)};
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
  if (components < 1 || components > kMostComponents ||
      body.size < 38 + 3 * static_cast<Index>(components))
    return false;
  s.components = static_cast<int>(components);
  return read_components(body, s);
}

inline bool read_extents(const Bytes& in, Extents& extents) {
  File file;
  Stream s;
  if (!read_file(in, file) || !read_size(file.stream, s)) return false;
  extents = {s.image.height(), s.image.width()};
  return true;
}

// body: from the number of levels on.
inline bool read_coding(const Bytes& body, bool own_precincts, Coding& k) {
  k.levels = static_cast<int>(body.u8(0));
  k.block_x = static_cast<int>(body.u8(1) & 15) + 2;
  k.block_y = static_cast<int>(body.u8(2) & 15) + 2;
  k.style = body.u8(3);
  k.reversible = body.u8(4) == 1;
  if (body.size < 5 || k.levels > kMostLevels || body.u8(4) > 1) return false;
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
  k.quantisation = style & 31;
  k.guard = static_cast<int>(style >> 5);
  if (k.quantisation > 2 || body.size < 2) return false;
  const Index bytes = k.quantisation == 0 ? 1 : 2;
  Index count = (body.size - 1) / bytes;
  if (count > 3 * kMostLevels + 1) count = 3 * kMostLevels + 1;
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
  to.quantisation = from.quantisation, to.guard = from.guard, to.steps = from.steps;
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
  s.mixed = body.u8(4) != 0;
  for (int c = 0; c < components; ++c)
    if (!s.coding[c].own_coding) copy_coding(k, s.coding[c]);
  return s.progression.order <= 4 && s.progression.layers > 0;
}

inline bool read_default_steps(const Bytes& body, int components, Settings& s) {
  Coding k;
  if (!read_steps(body, k)) return false;
  for (int c = 0; c < components; ++c)
    if (!s.coding[c].own_steps) copy_steps(k, s.coding[c]);
  return true;
}

// Markers COC, QCC and RGN, which begin with the number of a component.
inline bool read_own(const Bytes& body, std::uint32_t marker, Settings& s, int components) {
  const std::uint32_t c = body.u8(0);
  if (c >= static_cast<std::uint32_t>(components) || body.size < 3) return false;
  Coding& k = s.coding[c];
  if (marker == 0xFF5E) {
    k.region_shift = static_cast<int>(body.u8(2));
    return body.u8(1) == 0;
  }
  if (marker == 0xFF53) {
    k.own_coding = true;
    return read_coding(body.part(2, body.size - 2), (body.u8(1) & 1) != 0, k);
  }
  k.own_steps = true;
  return read_steps(body.part(1, body.size - 1), k);
}

inline bool read_changes(const Bytes& body, Settings& s) {
  for (Index at = 0; at + 7 <= body.size; at += 7) {
    if (s.changes == Settings::kMostChanges) return false;
    Progression& p = s.change[s.changes++];
    p.first_level = static_cast<int>(body.u8(at));
    p.first_component = static_cast<int>(body.u8(at + 1));
    p.layers = static_cast<Index>(body.be16(at + 2));
    p.past_level = static_cast<int>(body.u8(at + 4));
    p.past_component = static_cast<int>(body.u8(at + 5));
    if (p.past_component == 0) p.past_component = kMostComponents;
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
      return read_own(body, marker, s, components);
    case 0xFF5F:
      return read_changes(body, s);
    case 0xFF60:
    case 0xFF61:
      return false;  // packed packet headers
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

// ---- the parts of a tile -----------------------------------------------------------------------

struct TagNode {
  std::int32_t value, low;
};

// A tree of minima over a grid of code blocks.
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

// What one packet brought of a code block.
struct Piece {
  Index at, size;
  int passes;
  bool fresh;  // starts a new stretch of code
  Piece* next;
};

struct CodeBlock {
  Index x, y, width, height;  // in the component's data
  int planes = 0, length_bits = 3;
  bool included = false;
  int stretch_passes = 0, stretch_most = 0;
  Piece *first = nullptr, *last = nullptr;
};

struct Precinct {
  struct Part {
    Index columns = 0, rows = 0;
    CodeBlock* blocks = nullptr;
    TagTree inclusion, empty_planes;
  } part[3];
  Index layers = 0;  // read so far
};

struct Band {
  int kind = 0;  // 0 LL, 1 HL, 2 LH, 3 HH
  Area area;
  Index x = 0, y = 0;  // in the component's data
  int planes = 0;
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
  Level level[kMostLevels + 1];
  std::int32_t* data = nullptr;
  float* real = nullptr;  // instead of data where the transform is not reversible
};

struct Tile {
  Area area;
  Settings settings;
  TileComponent component[kMostComponents];
  Bytes packets{nullptr, 0};
};

template <class Memory>
struct Decoder {
  Stream* stream;
  Tile* tile;
  BlockCoder* coder;
  Memory* memory;
  Status status = Status::bad_value;  // why it failed
  Piece* pieces = nullptr;
  Index pieces_left = 0;

  template <class T>
  T* room(Index count) {
    T* const p = take<T>(*memory, count);
    if (p == nullptr) status = Status::out_of_memory;
    return p;
  }
  Piece* new_piece() {
    constexpr Index together = 256;
    if (pieces_left == 0) {
      pieces = room<Piece>(together);
      pieces_left = pieces == nullptr ? 0 : together;
    }
    if (pieces_left == 0) return nullptr;
    --pieces_left;
    return pieces++;
  }
};

template <class Memory>
bool make_tree(Decoder<Memory>& d, TagTree& tree, Index width, Index height) {
  tree.width = width;
  tree.height = height;
  const Index size = TagTree::size(width, height);
  tree.nodes = d.template room<TagNode>(size);
  for (Index i = 0; tree.nodes != nullptr && i < size; ++i) tree.nodes[i] = {0x7FFFFFFF, 0};
  return tree.nodes != nullptr;
}

// The code blocks of one band in one precinct.
template <class Memory>
bool make_part(Decoder<Memory>& d, const Coding& k, const Level& level, const Band& band, Wide px,
               Wide py, Precinct::Part& part) {
  const int half = band.kind == 0 ? 0 : 1;
  const int size_x = level.precinct_x - half, size_y = level.precinct_y - half;
  const auto later = [](Wide a, Wide b) { return a > b ? a : b; };
  const auto sooner = [](Wide a, Wide b) { return a < b ? a : b; };
  const Area a{later(band.area.x0, px << size_x), later(band.area.y0, py << size_y),
               sooner(band.area.x1, (px + 1) << size_x), sooner(band.area.y1, (py + 1) << size_y)};
  part = Precinct::Part{};
  if (a.empty()) return true;
  const int bx = k.block_x < size_x ? k.block_x : size_x;
  const int by = k.block_y < size_y ? k.block_y : size_y;
  const Wide x0 = a.x0 >> bx, y0 = a.y0 >> by;
  part.columns = static_cast<Index>(shift_up(a.x1, bx) - x0);
  part.rows = static_cast<Index>(shift_up(a.y1, by) - y0);
  part.blocks = d.template room<CodeBlock>(part.columns * part.rows);
  if (part.blocks == nullptr) return false;
  for (Index i = 0; i < part.columns * part.rows; ++i) {
    const Wide cx = x0 + i % part.columns, cy = y0 + i / part.columns;
    const Area c{later(a.x0, cx << bx), later(a.y0, cy << by), sooner(a.x1, (cx + 1) << bx),
                 sooner(a.y1, (cy + 1) << by)};
    part.blocks[i] = CodeBlock{};
    part.blocks[i].x = band.x + static_cast<Index>(c.x0 - band.area.x0);
    part.blocks[i].y = band.y + static_cast<Index>(c.y0 - band.area.y0);
    part.blocks[i].width = c.width();
    part.blocks[i].height = c.height();
  }
  return make_tree(d, part.inclusion, part.columns, part.rows) &&
         make_tree(d, part.empty_planes, part.columns, part.rows);
}

inline float power_of_two(int exponent) {
  float v = 1;
  for (; exponent > 0; --exponent) v *= 2;
  for (; exponent < 0; ++exponent) v *= 0.5F;
  return v;
}

inline bool set_quantiser(const Coding& k, int index, int bits, Band& band) {
  if (k.quantisation != 1 && index >= k.steps) return false;
  const int entry = k.step[k.quantisation == 1 ? 0 : index];
  int exponent = entry >> 11;
  if (k.quantisation == 1 && index > 0) exponent -= (index - 1) / 3;
  if (exponent < 0) exponent = 0;
  band.planes = exponent + k.guard - 1;
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
    if (!set_quantiser(k, r == 0 ? 0 : 3 * (r - 1) + b + 1, bits, band)) return false;
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
  // Every packet has a byte at least: no more precincts than bytes.
  if (level.columns > d.tile->packets.size / level.rows) return false;
  const Index count = static_cast<Index>(level.columns * level.rows);
  level.precincts = d.template room<Precinct>(count);
  for (Index i = 0; level.precincts != nullptr && i < count; ++i) {
    level.precincts[i].layers = 0;
    for (int b = 0; b < level.bands; ++b)
      if (!make_part(d, k, level, level.band[b], x0 + i % level.columns, y0 + i / level.columns,
                     level.precincts[i].part[b]))
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
  t.area = {divide_up(a.x0, from.step_x), divide_up(a.y0, from.step_y),
            divide_up(a.x1, from.step_x), divide_up(a.y1, from.step_y)};
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
    t.data = d.template room<std::int32_t>(size);
    if (t.data == nullptr) return false;
    std::memset(t.data, 0, static_cast<std::size_t>(size) * sizeof(std::int32_t));
  } else {
    t.real = d.template room<float>(size);
    if (t.real == nullptr) return false;
    for (Index i = 0; i < size; ++i) t.real[i] = 0;
  }
  return true;
}

// ---- packets -----------------------------------------------------------------------------------

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

// Whether the value of a leaf is below `limit`.
inline bool is_below(HeaderReader& in, const TagTree& tree, Index x, Index y, std::int32_t limit) {
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

// The most passes of the next stretch of code.
inline int stretch_most(const CodeBlock& block, std::uint32_t style) {
  if ((style & terminate_all) != 0) return 1;
  if ((style & bypass) == 0) return 1000;
  if (block.first == nullptr) return 10;
  return block.stretch_most == 1 || block.stretch_most == 10 ? 2 : 1;
}

// Reads how much of a code block the packet has; the bytes follow the header.
template <class Memory>
bool read_contribution(Decoder<Memory>& d, HeaderReader& in, std::uint32_t style,
                       CodeBlock& block) {
  int passes = read_pass_count(in);
  while (in.bit() != 0)
    if (in.failed || ++block.length_bits > 32) return false;
  while (passes > 0) {
    const bool fresh = block.first == nullptr || block.stretch_passes >= block.stretch_most;
    if (fresh) {
      block.stretch_most = stretch_most(block, style);
      block.stretch_passes = 0;
    }
    const int room = block.stretch_most - block.stretch_passes;
    const int taken = passes < room ? passes : room;
    int bits = block.length_bits;
    for (int n = taken; n > 1; n /= 2) ++bits;
    if (bits > 31) return false;
    Piece* const piece = d.new_piece();
    if (piece == nullptr || in.failed) return false;
    // `at` is set when the header has been read.
    *piece = {-1, in.number(bits), taken, fresh, nullptr};
    (block.first == nullptr ? block.first : block.last->next) = piece;
    block.last = piece;
    block.stretch_passes += taken;
    passes -= taken;
  }
  return !in.failed;
}

template <class Memory>
bool read_block_header(Decoder<Memory>& d, HeaderReader& in, const Precinct::Part& part,
                       const Band& band, std::uint32_t style, Index layer, Index i) {
  CodeBlock& block = part.blocks[i];
  const Index x = i % part.columns, y = i / part.columns;
  if (block.included) {
    if (in.bit() == 0) return true;
  } else {
    if (!is_below(in, part.inclusion, x, y, static_cast<std::int32_t>(layer) + 1)) return true;
    std::int32_t empty = 1;
    while (!is_below(in, part.empty_planes, x, y, empty))
      if (in.failed || ++empty > 80) return false;
    block.included = true;
    block.planes = band.planes + 1 - empty;
  }
  return read_contribution(d, in, style, block);
}

// The bytes of all blocks that the header named.
inline bool read_body(const Bytes& in, const Precinct& precinct, int bands, Index& at) {
  for (int b = 0; b < bands; ++b) {
    const Precinct::Part& part = precinct.part[b];
    for (Index i = 0; i < part.columns * part.rows; ++i)
      for (Piece* p = part.blocks[i].last; p != nullptr && p->at < 0;) {
        // The first of this packet: all before it have their place.
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
      const Precinct::Part& part = precinct.part[b];
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

// One packet of each layer from the first that is missing, in order.
template <class Memory>
bool read_layer(Decoder<Memory>& d, int c, int r, Index precinct, Index layer, Index& at) {
  TileComponent& t = d.tile->component[c];
  Precinct& p = t.level[r].precincts[precinct];
  if (layer < p.layers) return true;  // an earlier progression had it
  p.layers = layer + 1;
  return read_packet(d, t, t.level[r], p, layer, at);
}

inline Index precinct_count(const Level& level) {
  return static_cast<Index>(level.columns * level.rows);
}

// Orders 0 and 1: by layer and level, or by level and layer.
template <class Memory>
bool read_by_layer(Decoder<Memory>& d, const Progression& p, Index& at) {
  const Index levels = p.past_level - p.first_level;
  for (Index i = 0; i < levels * p.layers; ++i) {
    const Index layer = p.order == 0 ? i / levels : i % p.layers;
    const int r = p.first_level + static_cast<int>(p.order == 0 ? i % levels : i / p.layers);
    for (int c = p.first_component; c < p.past_component; ++c) {
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
  if (!starts(y, k.step_y, level.precinct_y, tile.area.y0, level.area.y0) ||
      !starts(x, k.step_x, level.precinct_x, tile.area.x0, level.area.x0))
    return -1;
  const auto place = [down](Wide v, Wide step, int size, Wide level_start) {
    return (divide_up(v, step << down) >> size) - (level_start >> size);
  };
  const Wide row = place(y, k.step_y, level.precinct_y, level.area.y0);
  const Wide column = place(x, k.step_x, level.precinct_x, level.area.x0);
  if (row < 0 || column < 0 || row >= level.rows || column >= level.columns) return -1;
  return static_cast<Index>(row * level.columns + column);
}

constexpr Wide common_divisor(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// A step that meets all positions where precincts start.
inline Wide position_step(const Stream& s, const Tile& tile, const Progression& p, bool vertical) {
  Wide step = 0;
  for (int c = p.first_component; c < p.past_component; ++c) {
    const TileComponent& t = tile.component[c];
    for (int r = p.first_level; r < p.past_level && r <= t.coding->levels; ++r) {
      const int size = vertical ? t.level[r].precinct_y : t.level[r].precinct_x;
      const Wide unit = vertical ? s.component[c].step_y : s.component[c].step_x;
      step = common_divisor(unit << (size + t.coding->levels - r), step);
    }
  }
  return step;
}

// All layers at a position, of a range of components and levels.
template <class Memory>
bool read_at(Decoder<Memory>& d, const Progression& p, bool by_component, Wide y, Wide x,
             Index& at) {
  const Index levels = p.past_level - p.first_level;
  const Index components = p.past_component - p.first_component;
  for (Index i = 0; i < levels * components; ++i) {
    const Index n = by_component ? i / levels : i % components;
    const int c = p.first_component + static_cast<int>(n);
    const int r = p.first_level + static_cast<int>(by_component ? i % levels : i / components);
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
  // Steps that a hostile header makes tiny would only cost time: positions have precincts.
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
  if (p.past_component > d.stream->components) p.past_component = d.stream->components;
  if (p.layers > s.progression.layers) p.layers = s.progression.layers;
  int levels = 0;
  for (int c = 0; c < d.stream->components; ++c)
    if (s.coding[c].levels >= levels) levels = s.coding[c].levels + 1;
  if (p.past_level > levels) p.past_level = levels;
  if (p.first_level >= p.past_level || p.first_component >= p.past_component || p.layers == 0)
    return true;
  if (p.order <= 1) return read_by_layer(d, p, at);
  if (p.order == 2) {
    // By level, then position.
    for (int r = p.first_level; r < p.past_level; ++r) {
      Progression one = p;
      one.first_level = r;
      one.past_level = r + 1;
      if (!read_positions(d, one, false, at)) return false;
    }
    return true;
  }
  if (p.order == 3) return read_positions(d, p, true, at);
  for (int c = p.first_component; c < p.past_component; ++c) {
    Progression one = p;
    one.first_component = c;
    one.past_component = c + 1;
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

// ---- from code blocks to samples ---------------------------------------------------------------

// Decodes a block into the coder. gathered: room for the bytes of the tile.
inline bool decode_block(BlockCoder& coder, const Bytes& in, const CodeBlock& block,
                         const Band& band, const Coding& k, std::uint8_t* gathered) {
  start_block(coder, block.height, block.width, band.kind, k.style);
  BlockProgress progress;
  progress.planes = block.planes;
  progress.plane = block.planes + k.region_shift;
  if (block.first == nullptr) return true;
  if (progress.plane > 30) return false;
  const Piece* p = block.first;
  while (p != nullptr) {
    Index size = 0;
    int passes = 0;
    do {
      std::memcpy(gathered + size, in.data + p->at, static_cast<std::size_t>(p->size));
      size += p->size;
      passes += p->passes;
      p = p->next;
    } while (p != nullptr && !p->fresh);
    decode_passes(coder, progress, {gathered, size}, passes);
  }
  return true;
}

// Coefficients of a region of interest are shifted above all others.
inline std::int32_t without_shift(std::int32_t v, int shift) {
  if (shift == 0) return v;
  const std::int32_t size = v < 0 ? -v : v;
  if (size < std::int32_t{1} << shift) return v;
  return v < 0 ? -(size >> shift) : size >> shift;
}

inline void put_block(const BlockCoder& coder, const CodeBlock& block, const Band& band,
                      TileComponent& t) {
  const Index stride = t.area.width();
  for (Index y = 0; y < block.height; ++y)
    for (Index x = 0; x < block.width; ++x) {
      const std::int32_t v =
          without_shift(coder.value[y * block.width + x], t.coding->region_shift);
      const Index at = (block.y + y) * stride + block.x + x;
      if (t.data != nullptr)
        t.data[at] = v / 2;
      else
        t.real[at] = static_cast<float>(v) * (band.step * 0.5F);
    }
}

template <class Memory>
bool decode_component(Decoder<Memory>& d, TileComponent& t, std::uint8_t* gathered) {
  const Coding& k = *t.coding;
  if (k.region_shift > 30) return false;
  for (int r = 0; r <= k.levels; ++r) {
    const Level& level = t.level[r];
    for (Index p = 0; p < precinct_count(level); ++p)
      for (int b = 0; b < level.bands; ++b) {
        const Precinct::Part& part = level.precincts[p].part[b];
        for (Index i = 0; i < part.columns * part.rows; ++i) {
          const CodeBlock& block = part.blocks[i];
          if (block.first == nullptr) continue;
          if (!decode_block(*d.coder, d.tile->packets, block, level.band[b], k, gathered))
            return false;
          put_block(*d.coder, block, level.band[b], t);
        }
      }
  }
  if (t.area.empty()) return true;
  const Index side = t.area.width() > t.area.height() ? t.area.width() : t.area.height();
  // One buffer serves both kinds of numbers, which are as large.
  void* const line = d.template room<std::int32_t>(8 * side);
  if (line == nullptr) return false;
  for (int r = 1; r <= k.levels; ++r) {
    const Area &low = t.level[r - 1].area, &full = t.level[r].area;
    if (t.data != nullptr)
      restore_level(t.data, t.area.width(), low, full, static_cast<std::int32_t*>(line));
    else
      restore_level(t.real, t.area.width(), low, full, static_cast<float*>(line));
  }
  return true;
}

// The reversible and the irreversible color transforms.
inline bool unmix(Tile& tile, int components) {
  if (!tile.settings.mixed) return true;
  TileComponent* const t = tile.component;
  if (components < 3) return false;
  const bool reversible = t[0].data != nullptr;
  for (int c = 1; c < 3; ++c)
    if (t[c].area.width() != t[0].area.width() || t[c].area.height() != t[0].area.height() ||
        (t[c].data != nullptr) != reversible)
      return false;
  const Index count = t[0].area.empty() ? 0 : t[0].area.height() * t[0].area.width();
  for (Index i = 0; i < count; ++i) {
    if (reversible) {
      const std::int32_t y = t[0].data[i], u = t[1].data[i], v = t[2].data[i];
      const std::int32_t g = minus(y, plus(u, v) >> 2);
      t[0].data[i] = plus(v, g);
      t[1].data[i] = g;
      t[2].data[i] = plus(u, g);
    } else {
      const float y = t[0].real[i], u = t[1].real[i], v = t[2].real[i];
      t[0].real[i] = y + v * 1.402F;
      t[1].real[i] = y - u * 0.34413F - v * 0.71414F;
      t[2].real[i] = y + u * 1.772F;
    }
  }
  return true;
}

// Rounds to the nearest, ties to even, within 30 bits.
inline std::int32_t rounded(float v) {
  constexpr float most = 1073741824.0F;
  if (!(v > -most)) return -1073741824;
  if (v >= most) return 1073741824;
  auto i = static_cast<std::int32_t>(v);
  const float rest = v - static_cast<float>(i);
  const bool odd = i % 2 != 0;
  if (rest > 0.5F || (rest == 0.5F && odd)) ++i;
  if (rest < -0.5F || (rest == -0.5F && odd)) --i;
  return i;
}

// To 8 bits, zero at the least value. An index into a palette stays as it is.
inline std::uint8_t to_8_bits(const Component& k, std::int32_t v, bool index) {
  const std::int32_t half = std::int32_t{1} << (k.bits - 1), most = 2 * half - 1;
  v = plus(v, half);
  v = v < 0 ? 0 : v > most ? most : v;
  if (k.bits < 8) return static_cast<std::uint8_t>(index ? v : v << (8 - k.bits));
  if (k.bits == 8) return static_cast<std::uint8_t>(v);
  v = (v + (std::int32_t{1} << (k.bits - 9))) >> (k.bits - 8);
  return static_cast<std::uint8_t>(v > 255 ? 255 : v);
}

inline void put_samples(const TileComponent& t, Component& k, bool index) {
  if (k.samples == nullptr || t.area.empty()) return;
  for (Wide y = t.area.y0; y < t.area.y1; ++y)
    for (Wide x = t.area.x0; x < t.area.x1; ++x) {
      const Index from =
          static_cast<Index>(y - t.area.y0) * t.area.width() + static_cast<Index>(x - t.area.x0);
      const std::int32_t v = t.data != nullptr ? t.data[from] : rounded(t.real[from]);
      const Index to =
          static_cast<Index>(y - k.area.y0) * k.area.width() + static_cast<Index>(x - k.area.x0);
      k.samples[to] = to_8_bits(k, v, index);
    }
}

// ---- tiles -------------------------------------------------------------------------------------

// A tile-part: where its header and its data are.
struct TilePart {
  Index tile = 0, header = 0, end = 0;
  Index next = -1;  // of the same tile
};

// Reads the tile-part at `at`, which moves behind it.
inline bool read_tile_part(const Stream& s, Index& at, TilePart& part) {
  if (s.in.be16(at) != 0xFF90 || s.in.be16(at + 2) != 10 || !s.in.has(at, 12)) return false;
  part.tile = static_cast<Index>(s.in.be16(at + 4));
  auto size = static_cast<Index>(s.in.be32(at + 6));
  if (size == 0) {
    // The last one may leave its size open.
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
  index.parts = d.template room<TilePart>(count);
  index.first = d.template room<Index>(tiles);
  Index* const last = d.template room<Index>(tiles);
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

// The headers of a tile's parts into its settings, their data into one piece.
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
  std::uint8_t* const all = d.template room<std::uint8_t>(total);
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
  const auto later = [](Wide a, Wide b) { return a > b ? a : b; };
  const auto sooner = [](Wide a, Wide b) { return a < b ? a : b; };
  const Wide x = s.tile_x + column * s.tile_width, y = s.tile_y + row * s.tile_height;
  return {later(x, s.image.x0), later(y, s.image.y0), sooner(x + s.tile_width, s.image.x1),
          sooner(y + s.tile_height, s.image.y1)};
}

template <class Memory>
bool decode_tile(Decoder<Memory>& d, const TileIndex& index, Index t, const Settings& main,
                 bool palette) {
  Tile& tile = *d.tile;
  const int components = d.stream->components;
  tile.settings = main;
  // The tile's defaults come before the components' settings of the main header.
  for (Coding& k : tile.settings.coding) k.own_coding = k.own_steps = false;
  tile.area = tile_area(*d.stream, t);
  if (!gather_tile(d, index, t)) return false;
  for (int c = 0; c < components; ++c)
    if (!make_component(d, c)) return false;
  if (!read_packets(d)) return false;
  std::uint8_t* const gathered = d.template room<std::uint8_t>(tile.packets.size);
  if (gathered == nullptr) return false;
  for (int c = 0; c < components; ++c)
    if (!decode_component(d, tile.component[c], gathered)) return false;
  if (!unmix(tile, components)) return false;
  for (int c = 0; c < components; ++c)
    put_samples(tile.component[c], d.stream->component[c], palette);
  return true;
}

// ---- pixels ------------------------------------------------------------------------------------

// A palette: 8 bits a column, one column a channel.
struct Palette {
  Index entries = 0, columns = 0, colors = 0;
  Index column[3] = {0, 0, 0};
};

inline bool read_palette(const File& file, Palette& p) {
  if (file.palette.size == 0) return true;
  p.entries = static_cast<Index>(file.palette.be16(0));
  p.columns = static_cast<Index>(file.palette.u8(2));
  p.colors = 3 + p.columns;
  for (Index i = 0; i < p.columns; ++i)
    if (file.palette.u8(3 + i) != 7) return false;
  if (p.entries == 0 || p.columns == 0 || !file.palette.has(p.colors, p.entries * p.columns))
    return false;
  for (Index i = 0; i < 3 && p.columns >= 3; ++i)
    p.column[i] = 4 * i + 4 <= file.map.size ? static_cast<Index>(file.map.u8(4 * i + 3)) : i;
  return true;
}

inline std::uint32_t sample_at(const Stream& s, int c, Index y, Index x) {
  const Component& k = s.component[c];
  const auto place = [](Wide v, Wide step, Wide from, Wide to) {
    const Wide at = v / step;
    return static_cast<Index>((at < from ? from : at >= to ? to - 1 : at) - from);
  };
  const Index row = place(s.image.y0 + y, k.step_y, k.area.y0, k.area.y1);
  const Index column = place(s.image.x0 + x, k.step_x, k.area.x0, k.area.x1);
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
    k.samples = d.template room<std::uint8_t>(k.area.height() * k.area.width());
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
