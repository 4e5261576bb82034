// image_jpeg_huffman.hpp - Huffman-coded blocks of JPEG: sequential (ITU-T T.81, annex F) and
// progressive (annex G).
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg_header.hpp"
#include "templates/image_codec/image_jpeg_scan.hpp"

namespace onnxc {

namespace image::jpeg {

struct BitReader {
  Bytes in;
  Index at;
  std::uint64_t bits = 0;  // the newest bit is the lowest
  int held = 0;
  bool failed = false;

  void start() {
    bits = 0;
    held = 0;
  }
  void fill() {
    while (held <= 48 && at < in.size) {
      const std::uint32_t b = in.data[at];
      if (b == 0xFF && in.u8(at + 1) != 0) return;
      at += b == 0xFF ? 2 : 1;
      bits = bits << 8 | b;
      held += 8;
    }
  }
  // Bits past the end of the data are zero; dropping them sets `failed`.
  int peek16() {
    if (held < 16) fill();
    return static_cast<int>((held >= 16 ? bits >> (held - 16) : bits << (16 - held)) & 0xFFFFU);
  }
  void drop(int count) {
    held -= count;
    if (held >= 0) return;
    failed = true;
    held = 0;
    bits = 0;
  }
  int read(int count) {
    const int v = count == 0 ? 0 : peek16() >> (16 - count);
    drop(count);
    return v;
  }
  int read(const Huffman& code) {
    const int next = peek16();
    const int entry = code.fast[next >> (16 - Huffman::kFast)];
    if (entry != 0) {
      drop(entry & 15);
      return entry >> 4;
    }
    int l = 1;
    while (l <= 16 && next >= code.past[l]) ++l;
    if (l > 16) {
      failed = true;
      return 0;
    }
    drop(l);
    return code.symbol[((next >> (16 - l)) + code.start[l]) & 255];
  }
  // Reads and extends a signed value of `count` bits (F.2.2.1): the lower half is negative.
  int read_signed(int count) {
    if (count == 0) return 0;
    const int v = read(count);
    return v < 1 << (count - 1) ? v - (1 << count) + 1 : v;
  }
};

inline void sequential_block(Scan& s, BitReader& in, Component& k, std::int16_t* block) {
  const Huffman &dc = s.tables->dc[k.dc_table], &ac = s.tables->ac[k.ac_table];
  const int size = in.read(dc);
  if (size > 15) in.failed = true;
  k.dc_predictor = narrow(k.dc_predictor + in.read_signed(size & 15));
  block[0] = narrow(k.dc_predictor);
  for (int i = 1; i < 64 && !in.failed; ++i) {
    const int symbol = in.read(ac), zeros = symbol >> 4, bits = symbol & 15;
    if (bits == 0 && zeros != 15) return;
    i += zeros;
    if (i > 63) {
      in.failed = true;
      return;
    }
    if (bits != 0) block[kZigzag[i]] = narrow(in.read_signed(bits));
  }
}

inline void first_dc(Scan& s, BitReader& in, Component& k, std::int16_t* block) {
  const int size = in.read(s.tables->dc[k.dc_table]);
  if (size > 15) in.failed = true;
  k.dc_predictor = narrow(k.dc_predictor + in.read_signed(size & 15));
  block[0] = scaled(k.dc_predictor, s.approx_low);
}

inline void first_ac(Scan& s, BitReader& in, Component& k, std::int16_t* block) {
  if (s.eob_run > 0) {
    --s.eob_run;
    return;
  }
  const Huffman& ac = s.tables->ac[k.ac_table];
  for (int i = s.spectral_begin; i <= s.spectral_end && !in.failed; ++i) {
    const int symbol = in.read(ac), zeros = symbol >> 4, bits = symbol & 15;
    if (bits == 0 && zeros < 15) {
      s.eob_run = (1 << zeros) - 1 + in.read(zeros);
      return;
    }
    i += zeros;
    if (i > 63) {
      in.failed = true;
      return;
    }
    if (bits != 0) block[kZigzag[i]] = scaled(in.read_signed(bits), s.approx_low);
  }
}

// Reads a correction bit of a non-zero coefficient.
inline void refine(Scan& s, BitReader& in, std::int16_t& v) {
  if (in.read(1) == 0) return;
  const int bit = 1 << s.approx_low;
  if (((v < 0 ? -v : v) & bit) == 0) v = narrow(v < 0 ? v - bit : v + bit);
}

inline void refine_ac(Scan& s, BitReader& in, Component& k, std::int16_t* block) {
  const Huffman& ac = s.tables->ac[k.ac_table];
  int i = s.spectral_begin;
  for (; s.eob_run == 0 && i <= s.spectral_end && !in.failed; ++i) {
    const int symbol = in.read(ac), bits = symbol & 15;
    int zeros = symbol >> 4, fresh = 0;
    if (bits != 0) {
      fresh = in.read(1) != 0 ? 1 << s.approx_low : -(1 << s.approx_low);
    } else if (zeros < 15) {
      s.eob_run = (1 << zeros) + in.read(zeros);
      break;
    }
    for (; i <= s.spectral_end && !in.failed; ++i) {
      std::int16_t& v = block[kZigzag[i]];
      if (v != 0) {
        refine(s, in, v);
      } else if (zeros-- == 0) {
        if (fresh != 0) v = narrow(fresh);
        break;
      }
    }
  }
  if (s.eob_run == 0) return;
  for (; i <= s.spectral_end && !in.failed; ++i)
    if (block[kZigzag[i]] != 0) refine(s, in, block[kZigzag[i]]);
  --s.eob_run;
}

inline void decode_block(Scan& s, BitReader& in, Component& k, Index y, Index x) {
  std::int16_t* const block = k.blocks + (y * k.blocks_x + x) * 64;
  if (!s.frame->progressive) return sequential_block(s, in, k, block);
  if (s.spectral_begin > 0)
    return s.approx_high == 0 ? first_ac(s, in, k, block) : refine_ac(s, in, k, block);
  if (s.approx_high == 0) return first_dc(s, in, k, block);
  if (in.read(1) != 0) block[0] = narrow(block[0] | 1 << s.approx_low);
}

}  // namespace image::jpeg

}  // namespace onnxc
