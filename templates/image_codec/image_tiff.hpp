// image_tiff.hpp - TIFF 6.0, strips or tiles: plain, PackBits, LZW, deflate, fax codes or JPEG.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_fax.hpp"
#include "templates/image_codec/image_jpeg.hpp"
#include "templates/image_codec/inflate.hpp"

namespace onnxc {

namespace image::tiff {

// The values of one tag.
struct Field {
  Index at = 0, count = 0, bytes = 0;
};

struct Header {
  Extents stored, extents;  // before and after the orientation
  bool big_endian = false;
  Index width = 0, height = 0, bits = 1, samples = 1, rows = 0, tile_width = 0, tile_height = 0;
  std::uint32_t compression = 1, photometric = 0, predictor = 1, orientation = 1, extra = 0,
                fax = 0, fill_order = 1, planar_configuration = 1, sample_format = 1;
  Field bit_depths, offsets, counts, colors, tables;

  bool planar() const { return planar_configuration == 2; }
  bool reversed() const { return fill_order == 2; }  // the first bit of a byte is its lowest
  bool tiled() const { return tile_width > 0; }
  Index chunk_width() const { return tiled() ? tile_width : stored.width; }
  Index chunk_height() const { return tiled() ? tile_height : rows; }
  Index across() const { return (stored.width + chunk_width() - 1) / chunk_width(); }
  Index down() const { return (stored.height + chunk_height() - 1) / chunk_height(); }
  Index samples_together() const { return planar() ? 1 : samples; }
  Index row_bytes() const { return (chunk_width() * samples_together() * bits + 7) / 8; }
  Index kept() const { return samples < 4 ? samples : 4; }
};

// The member of the header that a tag sets.
struct TagRule {
  std::uint32_t tag;
  Index Header::*extent = nullptr;
  std::uint32_t Header::*number = nullptr;
  Field Header::*field = nullptr;

  constexpr TagRule(std::uint32_t t, Index Header::*member) : tag(t), extent(member) {}
  constexpr TagRule(std::uint32_t t, std::uint32_t Header::*member) : tag(t), number(member) {}
  constexpr TagRule(std::uint32_t t, Field Header::*member) : tag(t), field(member) {}
};

constexpr TagRule kTags[] = {
    {256, &Header::width},
    {257, &Header::height},
    {258, &Header::bit_depths},
    {259, &Header::compression},
    {262, &Header::photometric},
    {266, &Header::fill_order},
    {273, &Header::offsets},  // of strips
    {274, &Header::orientation},
    {277, &Header::samples},
    {278, &Header::rows},
    {279, &Header::counts},  // of strips
    {284, &Header::planar_configuration},
    {292, &Header::fax},
    {317, &Header::predictor},
    {320, &Header::colors},
    {322, &Header::tile_width},
    {323, &Header::tile_height},
    {324, &Header::offsets},  // of tiles
    {325, &Header::counts},   // of tiles
    {338, &Header::extra},
    {339, &Header::sample_format},
    {347, &Header::tables},
};

inline bool matches(const Bytes& in) {
  return in.matches(0, "II*\0", 4) || in.matches(0, "MM\0*", 4);
}

inline std::uint32_t u16(const Bytes& in, const Header& h, Index at) {
  return h.big_endian ? in.be16(at) : in.le16(at);
}
inline std::uint32_t u32(const Bytes& in, const Header& h, Index at) {
  return h.big_endian ? in.be32(at) : in.le32(at);
}

inline std::uint32_t value(const Bytes& in, const Header& h, const Field& f, Index i) {
  if (i < 0 || i >= f.count) return 0;
  const Index at = f.at + i * f.bytes;
  return f.bytes == 1 ? in.u8(at) : f.bytes == 2 ? u16(in, h, at) : u32(in, h, at);
}

inline bool read_field(const Bytes& in, const Header& h, Index entry, Field& f) {
  const std::uint32_t type = u16(in, h, entry + 2), count = u32(in, h, entry + 4);
  f.bytes = type == 3 ? 2 : type == 4 ? 4 : 1;
  f.count = static_cast<Index>(count);
  if (type != 1 && type != 3 && type != 4 && type != 7) return false;
  if (f.count < 0 || f.count > in.size / f.bytes) return false;
  const Index bytes = f.count * f.bytes;
  f.at = bytes <= 4 ? entry + 8 : static_cast<Index>(u32(in, h, entry + 8));
  return in.has(f.at, bytes);
}

// Stores a directory entry in the header; other tags than kTags are ignored.
inline bool read_entry(const Bytes& in, Index entry, Header& h) {
  const std::uint32_t tag = u16(in, h, entry);
  for (const TagRule& rule : kTags) {
    if (rule.tag != tag) continue;
    Field f;
    if (!read_field(in, h, entry, f)) return false;
    const std::uint32_t v = value(in, h, f, 0);
    if (rule.extent != nullptr) h.*rule.extent = static_cast<Index>(v);
    if (rule.number != nullptr) h.*rule.number = v;
    if (rule.field != nullptr) h.*rule.field = f;
  }
  return true;
}

// All samples have the same number of bits.
inline bool read_bit_depths(const Bytes& in, Header& h) {
  const Field& f = h.bit_depths;
  if (f.bytes == 0) return true;  // left out: 1 bit
  const std::uint32_t bits = value(in, h, f, 0);
  h.bits = static_cast<Index>(bits);
  for (Index i = 1; i < f.count; ++i)
    if (value(in, h, f, i) != bits) return false;
  return true;
}

// Whether photometric interpretation, samples and bits go together.
inline bool check_samples(const Header& h) {
  const Index b = h.bits;
  if (b != 1 && b != 2 && b != 4 && b != 8 && b != 16) return false;
  if (h.samples < 1 || h.samples > 16 || h.sample_format != 1) return false;  // 1: unsigned
  switch (h.photometric) {
    case 0:
    case 1:
      return true;
    case 2:
      return h.samples >= 3;
    case 3:
      return b <= 8 && h.colors.count >= 3 * (Index{1} << b);
    case 5:
      return h.samples >= 4 && b >= 8;
    case 6:
      return h.samples == 3 && b == 8 && h.compression == 7;
    default:
      return false;
  }
}

inline bool check_chunks(Header& h) {
  const Index all = h.planar() ? h.samples : 1;
  if (h.rows <= 0 || h.rows > h.stored.height) h.rows = h.stored.height;
  if (h.tile_width < 0 || (h.tiled() && !is_sensible(h.tile_height, h.tile_width))) return false;
  const Index chunks = h.across() * h.down();
  if (h.offsets.count / all < chunks) return false;
  // Old writers leave out the byte counts of plain data.
  return h.counts.count / all >= chunks || (h.counts.count == 0 && h.compression == 1);
}

inline bool read_header(const Bytes& in, Header& h) {
  if (!matches(in)) return false;
  h.big_endian = in.u8(0) == 'M';
  const auto directory = static_cast<Index>(u32(in, h, 4));
  const auto entries = static_cast<Index>(u16(in, h, directory));
  if (entries == 0 || !in.has(directory, 2 + 12 * entries)) return false;
  for (Index i = 0; i < entries; ++i)
    if (!read_entry(in, directory + 2 + 12 * i, h)) return false;
  if (!read_bit_depths(in, h)) return false;
  h.extents = h.stored = {h.height, h.width};
  if (h.orientation < 1 || h.orientation > 8) h.orientation = 1;
  if (h.orientation >= 5) h.extents = {h.stored.width, h.stored.height};
  return is_sensible(h.stored.height, h.stored.width) && check_samples(h) && check_chunks(h);
}

inline bool read_extents(const Bytes& in, Extents& extents) {
  Header h;
  const bool good = read_header(in, h);
  extents = h.extents;
  return good;
}

inline bool unpack_bits(const Bytes& in, std::uint8_t* out, Index size) {
  Index done = 0;
  for (Index at = 0; done < size;) {
    if (!in.has(at, 2)) return false;
    const auto head = static_cast<Index>(in.u8(at++));
    if (head == 128) continue;
    Index count = head < 128 ? head + 1 : 257 - head;
    if (head < 128 && !in.has(at, count)) return false;
    const Index used = head < 128 ? count : 1;
    if (count > size - done) count = size - done;
    for (Index i = 0; i < count; ++i)
      out[done++] = static_cast<std::uint8_t>(in.u8(head < 128 ? at + i : at));
    at += used;
  }
  return true;
}

// The LZW dictionary: each string is an earlier one and a byte.
struct Dictionary {
  std::uint16_t before[4096], length[4096];
  std::uint8_t last[4096], first[4096];
};

// Adds string `previous` and the first byte of string `code`, which may be the new one itself.
inline void add_string(Dictionary& d, int next, int previous, int code) {
  d.before[next] = static_cast<std::uint16_t>(previous);
  d.first[next] = d.first[previous];
  d.last[next] = code == next ? d.first[previous] : d.first[code];
  d.length[next] = static_cast<std::uint16_t>(d.length[previous] + 1);
}

// Writes a string from its end to its start, clipped to `size` bytes; returns its length.
inline Index write_string(const Dictionary& d, int code, std::uint8_t* out, Index size) {
  const Index length = d.length[code];
  for (Index i = length - 1; i >= 0; --i) {
    if (i < size) out[i] = d.last[code];
    if (i > 0) code = d.before[code];
  }
  return length;
}

inline bool unpack_lzw(const Bytes& in, std::uint8_t* out, Index size, Dictionary& d) {
  constexpr int clear = 256, end = 257;
  for (int i = 0; i < 256; ++i) {
    d.length[i] = 1;
    d.last[i] = d.first[i] = static_cast<std::uint8_t>(i);
  }
  int width = 9, next = end + 1, previous = -1, held = 0;
  std::uint32_t bits = 0;
  Index done = 0, at = 0;
  while (done < size) {
    for (; held < width; held += 8) {
      if (at >= in.size) return false;
      bits = bits << 8 | in.data[at++];
    }
    const int code = static_cast<int>(bits >> (held - width) & ((1U << width) - 1U));
    held -= width;
    if (code == end) return false;
    if (code == clear) {
      width = 9, next = end + 1, previous = -1;
      continue;
    }
    if (code > next || (code == next && previous < 0) || (previous < 0 && code > 255)) return false;
    if (previous >= 0 && next < 4096)
      add_string(d, next++, previous, code);
    else if (code >= next)
      return false;
    done += write_string(d, code, out + done, size - done);
    previous = code;
    // The code width grows one code early.
    if (next + 1 >= 1 << width && width < 12) ++width;
  }
  return true;
}

inline void reverse_bits(std::uint8_t* bytes, Index count) {
  for (Index i = 0; i < count; ++i) {
    std::uint32_t reversed = 0;
    for (int b = 0; b < 8; ++b) reversed |= (std::uint32_t{bytes[i]} >> b & 1U) << (7 - b);
    bytes[i] = static_cast<std::uint8_t>(reversed);
  }
}

// Undoes horizontal differencing: adds each sample to that of the previous pixel.
inline void unpredict(const Header& h, std::uint8_t* row) {
  const Index step = h.samples_together(), count = h.chunk_width() * step;
  const int high = h.big_endian ? 0 : 1, low = 1 - high;
  for (Index i = step; i < count; ++i) {
    if (h.bits == 8) {
      row[i] = static_cast<std::uint8_t>(row[i] + row[i - step]);
      continue;
    }
    std::uint8_t *const p = row + 2 * i, *const q = row + 2 * (i - step);
    const int sum = (p[high] + q[high]) * 256 + p[low] + q[low];
    p[high] = static_cast<std::uint8_t>(sum >> 8);
    p[low] = static_cast<std::uint8_t>(sum);
  }
}

// Sample i of a row, in 8 bits unless it is an index.
inline std::uint8_t sample(const Header& h, const std::uint8_t* row, Index i) {
  if (h.bits == 8) return row[i];
  if (h.bits == 16) return row[2 * i + (h.big_endian ? 0 : 1)];
  const Index bit = i * h.bits;
  const int most = (1 << h.bits) - 1;
  const int v = row[bit / 8] >> (8 - h.bits - bit % 8) & most;
  return static_cast<std::uint8_t>(h.photometric == 3 ? v : v * 255 / most);
}

// A strip or tile: its corner, rows, the first sample of a pixel that it holds, its data.
struct Chunk {
  Index y, x, rows, plane;
  Bytes in;
};

inline void put_chunk(const Header& h, const Chunk& c, const std::uint8_t* bytes,
                      std::uint8_t* samples) {
  const Index step = h.samples_together(), kept = h.kept();
  if (c.plane >= kept) return;
  for (Index r = 0; r < c.rows && c.y + r < h.stored.height; ++r)
    for (Index i = 0; i < h.chunk_width() && c.x + i < h.stored.width; ++i)
      for (Index k = 0; k < step && k < kept; ++k)
        samples[((c.y + r) * h.stored.width + c.x + i) * kept + c.plane + k] =
            sample(h, bytes + r * h.row_bytes(), i * step + k);
}

template <class Memory>
Status decode_jpeg(const Header& h, const Bytes& in, const Chunk& c, std::uint8_t* samples,
                   Memory& memory) {
  jpeg::Tables* const tables = make<jpeg::Tables>(memory);
  if (tables == nullptr) return Status::out_of_memory;
  if (h.tables.count > 0 &&
      !jpeg::read_tables(in.part(h.tables.at, h.tables.count * h.tables.bytes), *tables))
    return Status::bad_value;
  tables->adobe = true;  // the directory gives the color space, as an Adobe marker would
  tables->adobe_transform = h.photometric == 6 ? 1 : 0;
  Extents e;
  if (h.planar() || h.samples == 2 || h.samples > 3 || !jpeg::read_extents(c.in, e) ||
      e.width != h.chunk_width() || e.height < c.rows || e.height > h.chunk_height())
    return Status::bad_value;
  std::uint8_t* const pixels = take<std::uint8_t>(memory, e.height * e.width * 3);
  if (pixels == nullptr) return Status::out_of_memory;
  const Status status = jpeg::decode_frame(c.in, tables, Sink{pixels, e, 0}, memory);
  if (status != Status::ok) return status;
  for (Index r = 0; r < c.rows && c.y + r < h.stored.height; ++r)
    for (Index i = 0; i < e.width && c.x + i < h.stored.width; ++i)
      for (Index k = 0; k < h.kept(); ++k)
        samples[((c.y + r) * h.stored.width + c.x + i) * h.kept() + k] =
            pixels[(r * e.width + i) * 3 + k];
  return Status::ok;
}

inline bool decode_fax(const Header& h, const Chunk& c, std::uint8_t* bytes, Index* work) {
  fax::Settings s;
  s.two_dimensional = h.compression == 4;
  s.ends_of_line = h.compression == 3;
  s.mixed = s.ends_of_line && (h.fax & 1) != 0;
  s.whole_bytes = h.compression == 2;
  s.reversed = h.reversed();
  return fax::decode(c.in, s, c.rows, h.chunk_width(), h.row_bytes(), bytes, work);
}

// Memory that all chunks use.
struct Work {
  std::uint8_t* bytes;    // of a chunk
  Dictionary* words;      // of LZW
  Index* changes;         // of fax codes
  std::uint8_t* samples;  // of the image
};

inline Status decode_chunk(const Header& h, const Chunk& c, const Work& w) {
  const Index size = c.rows * h.row_bytes();
  bool good = false;
  switch (h.compression) {
    case 1:
      good = c.in.size >= size;
      if (good) std::memcpy(w.bytes, c.in.data, static_cast<std::size_t>(size));
      if (good && h.reversed() && h.bits < 8) reverse_bits(w.bytes, size);
      break;
    case 2:
    case 3:
    case 4:
      good = decode_fax(h, c, w.bytes, w.changes);
      break;
    case 5:
      good = unpack_lzw(c.in, w.bytes, size, *w.words);
      break;
    case 8:
    case 32946:
      good = zlib::inflate(c.in, w.bytes, size);
      break;
    case 32773:
      good = unpack_bits(c.in, w.bytes, size);
      break;
    default:
      break;
  }
  if (!good) return Status::bad_value;
  for (Index r = 0; h.predictor == 2 && r < c.rows; ++r) unpredict(h, w.bytes + r * h.row_bytes());
  put_chunk(h, c, w.bytes, w.samples);
  return Status::ok;
}

inline void put_pixel(const Bytes& in, const Header& h, const std::uint8_t* p, Index y, Index x,
                      const Sink& out) {
  const Index lines = h.extents.height - 1, columns = h.extents.width - 1;
  const Index to_y = h.orientation >= 5 ? x : y, to_x = h.orientation >= 5 ? y : x;
  const std::uint32_t o = h.orientation;
  const Index v = o == 3 || o == 4 || o == 7 || o == 8 ? lines - to_y : to_y;
  const Index u = o == 2 || o == 3 || o == 6 || o == 7 ? columns - to_x : to_x;
  if (h.photometric == 0) return out.gray(v, u, 255U - p[0]);
  if (h.photometric == 1) return out.gray(v, u, p[0]);
  if (h.photometric == 5) return out.cmyk(v, u, p[0], p[1], p[2], p[3]);
  if (h.photometric == 3) {
    const Index colors = Index{1} << h.bits;
    const auto color = [&](Index c) { return value(in, h, h.colors, c * colors + p[0]) >> 8; };
    return out.rgb(v, u, color(0), color(1), color(2));
  }
  std::uint32_t c[3] = {p[0], p[1], p[2]};
  if (h.extra == 1 && h.kept() == 4) {
    // The colors are premultiplied by alpha.
    for (std::uint32_t& k : c) {
      k = p[3] != 0 ? k * 255U / p[3] : 0U;
      if (k > 255U) k = 255U;
    }
  }
  out.rgb(v, u, c[0], c[1], c[2]);
}

inline bool is_supported(const Header& h) {
  const std::uint32_t c = h.compression;
  if (h.predictor == 2 && h.bits < 8) return false;
  if (h.predictor > 2) return false;
  if (c >= 2 && c <= 4) return h.bits == 1 && h.samples_together() == 1;
  return c == 1 || c == 5 || c == 7 || c == 8 || c == 32773 || c == 32946;
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Memory& memory) {
  Header h;
  if (!read_header(in, h) || !is_supported(h)) return Status::bad_value;
  const bool is_fax = h.compression >= 2 && h.compression <= 4;
  const Work w{take<std::uint8_t>(memory, h.chunk_height() * h.row_bytes()),
               make<Dictionary>(memory),
               take<Index>(memory, is_fax ? fax::work_size(h.chunk_width()) : 0),
               take_zeroed<std::uint8_t>(memory, h.stored.height * h.stored.width * h.kept())};
  if (w.bytes == nullptr || w.words == nullptr || w.changes == nullptr || w.samples == nullptr)
    return Status::out_of_memory;
  const Index chunks = h.across() * h.down();
  for (Index i = 0; i < chunks * (h.planar() ? h.samples : 1); ++i) {
    const Index n = i % chunks, y = n / h.across() * h.chunk_height();
    Index rows = h.chunk_height();
    if (!h.tiled() && rows > h.stored.height - y) rows = h.stored.height - y;
    const auto from = static_cast<Index>(value(in, h, h.offsets, i));
    Index size =
        h.counts.count > 0 ? static_cast<Index>(value(in, h, h.counts, i)) : rows * h.row_bytes();
    if (h.compression == 1 && size > in.size - from) size = in.size - from;
    const Chunk c{y, n % h.across() * h.chunk_width(), rows, i / chunks, in.part(from, size)};
    const Status status =
        h.compression == 7 ? decode_jpeg(h, in, c, w.samples, memory) : decode_chunk(h, c, w);
    if (status != Status::ok) return status;
  }
  for (Index y = 0; y < h.stored.height; ++y)
    for (Index x = 0; x < h.stored.width; ++x)
      put_pixel(in, h, w.samples + (y * h.stored.width + x) * h.kept(), y, x, out);
  return Status::ok;
}

}  // namespace image::tiff

}  // namespace onnxc
