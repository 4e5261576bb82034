// image_bytes.hpp - checked reading of an encoded image, and the writing of its pixels.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "runtime_min/types.hpp"

namespace onnxc {

namespace image {

// The encoded bytes. Reads outside give zero; `has` says whether bytes exist.
struct Bytes {
  const std::uint8_t* data;
  Index size;

  bool has(Index at, Index count) const {
    return at >= 0 && count >= 0 && at <= size && count <= size - at;
  }
  std::uint32_t u8(Index at) const { return at >= 0 && at < size ? data[at] : 0U; }
  std::uint32_t le16(Index at) const { return has(at, 2) ? u8(at) | u8(at + 1) << 8 : 0U; }
  std::uint32_t be16(Index at) const { return has(at, 2) ? u8(at) << 8 | u8(at + 1) : 0U; }
  std::uint32_t le32(Index at) const { return has(at, 4) ? le16(at) | le16(at + 2) << 16 : 0U; }
  std::uint32_t be32(Index at) const { return has(at, 4) ? be16(at) << 16 | be16(at + 2) : 0U; }
  bool matches(Index at, const char* text, Index count) const {
    return has(at, count) && std::memcmp(data + at, text, static_cast<std::size_t>(count)) == 0;
  }
  Bytes part(Index at, Index count) const {
    return has(at, count) ? Bytes{data + at, count} : Bytes{data, 0};
  }
};

struct Extents {
  Index height = 0, width = 0;
};

// A bound far above real images keeps every product of extents, channels and bytes in range.
inline bool is_sensible(Index height, Index width) {
  constexpr bool wide = sizeof(Index) >= 8;
  constexpr Index most = Index{1} << (wide ? 24 : 16);
  constexpr Index max_pixels = Index{1} << (wide ? 28 : 22);
  return height > 0 && width > 0 && height <= most && width <= most && height <= max_pixels / width;
}

// Where pixels go. format: 0 RGB, 1 BGR, 2 grayscale.
struct Sink {
  std::uint8_t* pixels;
  Extents extents;
  Index format;

  bool inside(Index y, Index x) const {
    return y >= 0 && x >= 0 && y < extents.height && x < extents.width;
  }
  void rgb(Index y, Index x, std::uint32_t r, std::uint32_t g, std::uint32_t b) const {
    const Index at = y * extents.width + x;
    if (format == 2) {
      // Luma of ITU-R BT.601 with 16 fraction bits.
      pixels[at] = static_cast<std::uint8_t>((r * 19595U + g * 38470U + b * 7471U + 32768U) >> 16);
      return;
    }
    std::uint8_t* const p = pixels + 3 * at;
    p[format == 1 ? 2 : 0] = static_cast<std::uint8_t>(r);
    p[1] = static_cast<std::uint8_t>(g);
    p[format == 1 ? 0 : 2] = static_cast<std::uint8_t>(b);
  }
  void gray(Index y, Index x, std::uint32_t l) const { rgb(y, x, l, l, l); }
  // Ink amounts, 255 for full.
  void cmyk(Index y, Index x, std::uint32_t c, std::uint32_t m, std::uint32_t ye,
            std::uint32_t k) const {
    const std::uint32_t paper = 255U - k;
    const auto left = [paper](std::uint32_t ink) {
      const std::uint32_t product = ink * paper + 128U;
      const std::uint32_t used = ((product >> 8) + product) >> 8;
      return used > paper ? 0U : paper - used;
    };
    rgb(y, x, left(c), left(m), left(ye));
  }
};

// Uninitialized memory for `count` elements, or null.
template <class T, class Memory>
T* take(Memory& memory, Index count) {
  constexpr Index most = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(T));
  if (count < 0 || count > most) return nullptr;
  return static_cast<T*>(
      memory.allocate((count > 0 ? count : Index{1}) * static_cast<Index>(sizeof(T))));
}

template <class T, class Memory>
T* take_zeroed(Memory& memory, Index count) {
  T* const p = take<T>(memory, count);
  if (p != nullptr) std::memset(p, 0, static_cast<std::size_t>(count) * sizeof(T));
  return p;
}

// One value-initialized object, or null.
template <class T, class Memory>
T* make(Memory& memory) {
  T* const p = take<T>(memory, 1);
  return p == nullptr ? nullptr : ::new (static_cast<void*>(p)) T();
}

}  // namespace image

}  // namespace onnxc
