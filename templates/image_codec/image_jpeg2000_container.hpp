// image_jpeg2000_container.hpp - the boxes of a JP2 file around a JPEG 2000 codestream (ITU-T
// T.800, annex I): color space and palette.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg2000_codestream.hpp"

namespace onnxc {

namespace image::jpeg2000 {

struct File {
  Bytes stream{nullptr, 0};
  std::uint32_t colors = 0;  // enumerated color space
  Bytes palette{nullptr, 0}, map{nullptr, 0};
};

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

inline bool read_extents(const Bytes& in, Extents& extents) {
  File file;
  Stream s;
  if (!read_file(in, file) || !read_size(file.stream, s)) return false;
  extents = {s.image.height(), s.image.width()};
  return true;
}

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

}  // namespace image::jpeg2000

}  // namespace onnxc
