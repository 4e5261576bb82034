// image_pnm.hpp - the portable bit, gray and pixel maps (P1 to P6), plain and raw.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"

namespace onnxc {

namespace image::pnm {

struct Header {
  Extents extents;
  std::uint32_t kind = 0, most = 1;  // the digit after P, the largest sample
  Index pixels = 0;
};

inline bool matches(const Bytes& in) {
  return in.has(0, 3) && in.u8(0) == 'P' && in.u8(1) >= '1' && in.u8(1) <= '6';
}

inline bool is_space(std::uint32_t c) { return c == ' ' || (c >= 9 && c <= 13); }

// Skips white space and comments.
inline Index skip(const Bytes& in, Index at) {
  bool comment = false;
  for (; at < in.size; ++at) {
    const std::uint32_t c = in.u8(at);
    if (comment) {
      comment = c != '\n' && c != '\r';
    } else if (c == '#') {
      comment = true;
    } else if (!is_space(c)) {
      break;
    }
  }
  return at;
}

// Reads a decimal number at or after `at`; `at` moves past it.
inline bool read_number(const Bytes& in, Index& at, std::uint32_t& value) {
  at = skip(in, at);
  const Index from = at;
  value = 0;
  for (; at < in.size && in.u8(at) >= '0' && in.u8(at) <= '9'; ++at) {
    value = value * 10 + (in.u8(at) - '0');
    if (value > (1U << 26)) return false;
  }
  return at > from;
}

inline bool read_header(const Bytes& in, Header& h) {
  if (!matches(in)) return false;
  h.kind = in.u8(1) - '0';
  Index at = 2;
  std::uint32_t width = 0, height = 0;
  if (!is_space(in.u8(at)) && in.u8(at) != '#') return false;
  if (!read_number(in, at, width) || !read_number(in, at, height)) return false;
  if (h.kind != 1 && h.kind != 4 && !read_number(in, at, h.most)) return false;
  h.extents = {static_cast<Index>(height), static_cast<Index>(width)};
  h.pixels = at + 1;  // one white space ends the header
  return is_space(in.u8(at)) && h.most >= 1 && h.most <= 65535 &&
         is_sensible(h.extents.height, h.extents.width);
}

inline bool read_extents(const Bytes& in, Extents& extents) {
  Header h;
  const bool good = read_header(in, h);
  extents = h.extents;
  return good;
}

inline std::uint32_t to_8_bits(const Header& h, std::uint32_t v) {
  if (v >= h.most) return 255;
  return h.most == 255 ? v : (v * 255U + h.most / 2) / h.most;
}

inline Status decode_plain(const Bytes& in, const Header& h, const Sink& out) {
  Index at = h.pixels;
  for (Index y = 0; y < h.extents.height; ++y)
    for (Index x = 0; x < h.extents.width; ++x) {
      std::uint32_t v[3] = {0, 0, 0};
      if (h.kind == 1) {
        // Digits of a bit map need no space between them.
        at = skip(in, at);
        if (in.u8(at) != '0' && in.u8(at) != '1') return Status::bad_value;
        out.gray(y, x, in.u8(at++) == '1' ? 0 : 255);
        continue;
      }
      for (int c = 0; c < (h.kind == 3 ? 3 : 1); ++c) {
        if (!read_number(in, at, v[c]) || v[c] > h.most) return Status::bad_value;
        v[c] = to_8_bits(h, v[c]);
      }
      h.kind == 3 ? out.rgb(y, x, v[0], v[1], v[2]) : out.gray(y, x, v[0]);
    }
  return Status::ok;
}

inline Status decode_bits(const Bytes& in, const Header& h, const Sink& out) {
  const Index stride = (h.extents.width + 7) / 8;
  if (!in.has(h.pixels, stride * h.extents.height)) return Status::bad_value;
  for (Index y = 0; y < h.extents.height; ++y)
    for (Index x = 0; x < h.extents.width; ++x) {
      const std::uint32_t byte = in.u8(h.pixels + y * stride + x / 8);
      out.gray(y, x, (byte >> (7 - x % 8) & 1U) != 0 ? 0 : 255);
    }
  return Status::ok;
}

inline Status decode_raw(const Bytes& in, const Header& h, const Sink& out) {
  const Index width = h.extents.width, channels = h.kind == 6 ? 3 : 1, bytes = h.most > 255 ? 2 : 1;
  if (!in.has(h.pixels, h.extents.height * width * channels * bytes)) return Status::bad_value;
  const auto sample = [&](Index i) {
    const Index at = h.pixels + i * bytes;
    return to_8_bits(h, bytes == 2 ? in.be16(at) : in.u8(at));
  };
  for (Index y = 0; y < h.extents.height; ++y)
    for (Index x = 0; x < width; ++x) {
      const Index i = (y * width + x) * channels;
      channels == 3 ? out.rgb(y, x, sample(i), sample(i + 1), sample(i + 2))
                    : out.gray(y, x, sample(i));
    }
  return Status::ok;
}

inline Status decode(const Bytes& in, const Sink& out) {
  Header h;
  if (!read_header(in, h)) return Status::bad_value;
  if (h.kind <= 3) return decode_plain(in, h, out);
  return h.kind == 4 ? decode_bits(in, h, out) : decode_raw(in, h, out);
}

}  // namespace image::pnm

}  // namespace onnxc
