// image_jpeg2000_samples.hpp - from the code-blocks of a JPEG 2000 tile to its samples: regions of
// interest (ITU-T T.800, annex H), inverse wavelet and component transforms (annexes F and G).
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg2000_block.hpp"
#include "templates/image_codec/image_jpeg2000_codestream.hpp"
#include "templates/image_codec/image_jpeg2000_packets.hpp"
#include "templates/image_codec/image_jpeg2000_tile.hpp"
#include "templates/image_codec/image_jpeg2000_wavelet.hpp"

namespace onnxc {

namespace image::jpeg2000 {

// Decodes a code-block into the coder. work: as many bytes as the tile has.
inline bool decode_block(BlockCoder& coder, const Bytes& in, const CodeBlock& block,
                         const Band& band, const Coding& k, std::uint8_t* work) {
  start_block(coder, block.height, block.width, band.kind, k.style);
  BlockProgress progress;
  progress.bit_planes = block.bit_planes;
  progress.bit_plane = block.bit_planes + k.roi_shift;
  if (block.first == nullptr) return true;
  if (progress.bit_plane > 30) return false;
  const CodeBytes* p = block.first;
  while (p != nullptr) {
    Index size = 0;
    int passes = 0;
    do {
      std::memcpy(work + size, in.data + p->at, static_cast<std::size_t>(p->size));
      size += p->size;
      passes += p->passes;
      p = p->next;
    } while (p != nullptr && !p->starts_segment);
    decode_passes(coder, progress, {work, size}, passes);
  }
  return true;
}

// Coefficients of a region of interest are scaled above all others (max-shift).
inline std::int32_t undo_roi_shift(std::int32_t v, int shift) {
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
      const std::int32_t v = undo_roi_shift(coder.value[y * block.width + x], t.coding->roi_shift);
      const Index at = (block.y + y) * stride + block.x + x;
      if (t.data != nullptr)
        t.data[at] = v / 2;
      else
        t.real[at] = static_cast<float>(v) * (band.step * 0.5F);
    }
}

template <class Memory>
bool decode_component(Decoder<Memory>& d, TileComponent& t, std::uint8_t* work) {
  const Coding& k = *t.coding;
  if (k.roi_shift > 30) return false;
  for (int r = 0; r <= k.levels; ++r) {
    const Level& level = t.level[r];
    for (Index p = 0; p < precinct_count(level); ++p)
      for (int b = 0; b < level.bands; ++b) {
        const Precinct::Subband& part = level.precincts[p].part[b];
        for (Index i = 0; i < part.columns * part.rows; ++i) {
          const CodeBlock& block = part.blocks[i];
          if (block.first == nullptr) continue;
          if (!decode_block(*d.coder, d.tile->packets, block, level.band[b], k, work)) return false;
          put_block(*d.coder, block, level.band[b], t);
        }
      }
  }
  if (t.area.empty()) return true;
  const Index side = t.area.width() > t.area.height() ? t.area.width() : t.area.height();
  // One buffer serves both element types, which have the same size.
  void* const line = d.template allocate<std::int32_t>(8 * side);
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

// Undoes the reversible or the irreversible component transform.
inline bool inverse_component_transform(Tile& tile, int components) {
  if (!tile.settings.component_transform) return true;
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

// Rounds to nearest, ties to even, saturating at 30 bits.
inline std::int32_t round_to_int(float v) {
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

// Scales a sample to unsigned 8 bits. An index into a palette stays as it is.
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
      const std::int32_t v = t.data != nullptr ? t.data[from] : round_to_int(t.real[from]);
      const Index to =
          static_cast<Index>(y - k.area.y0) * k.area.width() + static_cast<Index>(x - k.area.x0);
      k.samples[to] = to_8_bits(k, v, index);
    }
}

}  // namespace image::jpeg2000

}  // namespace onnxc
