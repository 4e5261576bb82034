// image_decoder.hpp - decodes an encoded image of any supported format into 8-bit pixels.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bmp.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg.hpp"
#include "templates/image_codec/image_jpeg2000.hpp"
#include "templates/image_codec/image_png.hpp"
#include "templates/image_codec/image_pnm.hpp"
#include "templates/image_codec/image_tiff.hpp"
#include "templates/image_codec/image_webp.hpp"

namespace onnxc {

// Extents of an encoded image, from its headers only. data: [size], or null.
inline Status image_extents(const std::uint8_t* data, Index size, Index* height, Index* width) {
  const image::Bytes in{data, data != nullptr && size > 0 ? size : 0};
  image::Extents extents;
  bool good = false;
  if (image::bmp::matches(in)) good = image::bmp::read_extents(in, extents);
  if (image::pnm::matches(in)) good = image::pnm::read_extents(in, extents);
  if (image::jpeg::matches(in)) good = image::jpeg::read_extents(in, extents);
  if (image::tiff::matches(in)) good = image::tiff::read_extents(in, extents);
  if (image::webp::matches(in)) good = image::webp::read_extents(in, extents);
  if (image::jpeg2000::matches(in)) good = image::jpeg2000::read_extents(in, extents);
  if (image::png::matches(in)) good = image::png::read_extents(in, extents);
  if (!good) return Status::bad_value;
  *height = extents.height;
  *width = extents.width;
  return Status::ok;
}

// pixels: [height, width, channels] with the extents of image_extents.  s: format (0 RGB,
// 1 BGR, 2 grayscale). memory: allocate(bytes) gives memory aligned to 64, or null; its owner frees
// it.
template <class S, class Memory>
Status image_decode(S s, const std::uint8_t* data, Index size, std::uint8_t* pixels,
                    Memory& memory) {
  image::Extents extents;
  const Status known = image_extents(data, size, &extents.height, &extents.width);
  if (known != Status::ok) return known;
  const image::Bytes in{data, size};
  const image::Sink out{pixels, extents, s.format};
  if (image::bmp::matches(in)) return image::bmp::decode(in, out);
  if (image::pnm::matches(in)) return image::pnm::decode(in, out);
  if (image::jpeg::matches(in)) return image::jpeg::decode(in, out, memory);
  if (image::tiff::matches(in)) return image::tiff::decode(in, out, memory);
  if (image::webp::matches(in)) return image::webp::decode(in, out, memory);
  if (image::jpeg2000::matches(in)) return image::jpeg2000::decode(in, out, memory);
  return image::png::decode(in, out, memory);
}

namespace image {

// Memory from a block of fixed size.
struct Slab {
  std::uint8_t* from;
  Index left;

  void* allocate(Index bytes) {
    constexpr Index unit = 64;
    const auto over = static_cast<Index>(reinterpret_cast<std::uintptr_t>(from) % unit);
    const Index skip = over == 0 ? 0 : unit - over;
    if (bytes < 0 || skip > left || bytes > left - skip) return nullptr;
    void* const p = from + skip;
    from += skip + bytes;
    left -= skip + bytes;
    return p;
  }
};

}  // namespace image

// extents: height and width.  s: bytes.
template <class S>
Status image_size(S s, const std::uint8_t* data, Index* extents) {
  return image_extents(data, s.bytes, extents, extents + 1);
}

// As image_decode, with all memory from `work`: [capacity].  s: format, capacity.
template <class S>
Status image_decode_in(S s, const std::uint8_t* data, Index size, std::uint8_t* pixels,
                       std::uint8_t* work) {
  image::Slab memory{work, s.capacity};
  return image_decode(s, data, size, pixels, memory);
}

}  // namespace onnxc
