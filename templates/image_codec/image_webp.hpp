// image_webp.hpp - the container of WebP (RFC 9649, section 2). Alpha is dropped; an animation
// gives its first frame.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_vp8.hpp"
#include "templates/image_codec/image_vp8l.hpp"

namespace onnxc {

namespace image::webp {

struct Picture {
  Extents canvas;
  Index top = 0, left = 0;
  Bytes frame{nullptr, 0};
  bool lossless = false, part = false;  // the frame may be smaller than the canvas
};

inline bool matches(const Bytes& in) {
  return in.matches(0, "RIFF", 4) && in.matches(8, "WEBP", 4);
}

inline Index u24(const Bytes& in, Index at) {
  return static_cast<Index>(in.le16(at) | in.u8(at + 2) << 16);
}

// Finds the first frame among the chunks; those of an animation hold chunks themselves.
inline bool find_frame(Bytes in, Picture& picture) {
  bool extended = false;
  for (Index at = 0; in.has(at, 8);) {
    const auto size = static_cast<Index>(in.le32(at + 4));
    const Index body = at + 8;
    const bool lossless = in.matches(at, "VP8L", 4);
    if (lossless || in.matches(at, "VP8 ", 4)) {
      if (!in.has(body, size)) return false;
      picture.frame = in.part(body, size);
      picture.lossless = lossless;
      return true;
    }
    if (in.matches(at, "VP8X", 4) && !extended && at == 0) {
      if (size < 10 || !in.has(body, 10)) return false;
      picture.canvas = {u24(in, body + 7) + 1, u24(in, body + 4) + 1};
      extended = true;
    }
    if (in.matches(at, "ANMF", 4) && !picture.part) {
      if (!in.has(body, size) || size < 16) return false;
      picture.left = 2 * u24(in, body);
      picture.top = 2 * u24(in, body + 3);
      picture.part = true;
      in = in.part(body + 16, size - 16);
      at = 0;
      continue;
    }
    if (size > in.size - body) return false;
    at = body + size + size % 2;
  }
  return false;
}

inline bool read_header(const Bytes& in, Picture& picture) {
  if (!matches(in) || !find_frame(in.part(12, in.size - 12), picture)) return false;
  Extents frame;
  const bool good = picture.lossless ? vp8l::read_extents(picture.frame, frame)
                                     : vp8::read_extents(picture.frame, frame);
  if (!good) return false;
  if (picture.canvas.width == 0) picture.canvas = frame;
  const bool same = picture.canvas.height == frame.height && picture.canvas.width == frame.width;
  return (same || picture.part) && is_sensible(picture.canvas.height, picture.canvas.width);
}

inline bool read_extents(const Bytes& in, Extents& extents) {
  Picture picture;
  const bool good = read_header(in, picture);
  extents = picture.canvas;
  return good;
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Memory& memory) {
  Picture p;
  if (!read_header(in, p)) return Status::bad_value;
  for (Index y = 0; p.part && y < p.canvas.height; ++y)
    for (Index x = 0; x < p.canvas.width; ++x) out.gray(y, x, 0);
  return p.lossless ? vp8l::decode(p.frame, out, p.top, p.left, memory)
                    : vp8::decode(p.frame, out, p.top, p.left, memory);
}

}  // namespace image::webp

}  // namespace onnxc
