// image_jpeg_arithmetic.hpp - arithmetic-coded blocks of JPEG: sequential (ITU-T T.81, annex F) and
// progressive (annex G).
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg_header.hpp"
#include "templates/image_codec/image_jpeg_qm_coder.hpp"
#include "templates/image_codec/image_jpeg_scan.hpp"

namespace onnxc {

namespace image::jpeg {

// The magnitude of a value above 1. Each doubling has its own context from `k` on; the bits below
// the highest one share the context 14 further on.
inline int read_size(ArithmeticReader& in, QmContext* k, int size) {
  while (in.bit(*k) != 0) {
    size *= 2;
    ++k;
    if (size >= 0x8000) {
      in.failed = true;
      return 0;
    }
  }
  int v = size;
  for (int bit = size / 2; bit > 0; bit /= 2)
    if (in.bit(k[14]) != 0) v |= bit;
  return v;
}

inline int highest_bit(int v) {
  int bit = v > 0 ? 1 : 0;
  while (bit > 0 && bit * 2 <= v) bit *= 2;
  return bit;
}

// The difference of a block's DC coefficient from its predictor.
inline int read_dc_difference(Scan& s, ArithmeticReader& in, Component& k) {
  QmContext* const table = in.dc[k.dc_table];
  QmContext* const here = table + k.context;
  k.context = 0;
  if (in.bit(here[0]) == 0) return 0;
  const int sign = in.bit(here[1]);
  const int size = in.bit(here[2 + sign]) == 0 ? 0 : read_size(in, table + 20, 1);
  const int highest = highest_bit(size);
  if (highest > 1 << s.tables->dc_upper[k.dc_table] >> 1)
    k.context = 12 + 4 * sign;
  else if (highest >= 1 << s.tables->dc_lower[k.dc_table] >> 1)
    k.context = 4 + 4 * sign;
  return sign != 0 ? -size - 1 : size + 1;
}

inline void arithmetic_dc(Scan& s, ArithmeticReader& in, Component& k, std::int16_t* block) {
  k.dc_predictor = narrow(k.dc_predictor + read_dc_difference(s, in, k));
  block[0] = scaled(k.dc_predictor, s.approx_low);
}

inline void arithmetic_ac(Scan& s, ArithmeticReader& in, Component& k, std::int16_t* block,
                          int from) {
  QmContext* const table = in.ac[k.ac_table];
  for (int i = from; i <= s.spectral_end && !in.failed; ++i) {
    if (in.bit(table[3 * (i - 1)]) != 0) return;
    while (in.bit(table[3 * (i - 1) + 1]) == 0) {
      if (++i <= s.spectral_end) continue;
      in.failed = true;
      return;
    }
    const int sign = in.fixed_bit();
    QmContext& more = table[3 * (i - 1) + 2];
    int size = in.bit(more);
    if (size != 0 && in.bit(more) != 0)
      size = read_size(in, table + (i <= s.tables->ac_low[k.ac_table] ? 189 : 217), 2);
    block[kZigzag[i]] = scaled(sign != 0 ? -size - 1 : size + 1, s.approx_low);
  }
}

inline void arithmetic_refine(Scan& s, ArithmeticReader& in, Component& k, std::int16_t* block) {
  QmContext* const table = in.ac[k.ac_table];
  const int bit = 1 << s.approx_low;
  int last = s.spectral_end;  // non-zero coefficient of the earlier scans
  while (last > 0 && block[kZigzag[last]] == 0) --last;
  for (int i = s.spectral_begin; i <= s.spectral_end; ++i) {
    if (i > last && in.bit(table[3 * (i - 1)]) != 0) return;
    for (;; ++i) {
      if (i > s.spectral_end) {
        in.failed = true;
        return;
      }
      QmContext* const here = table + 3 * (i - 1);
      std::int16_t& v = block[kZigzag[i]];
      if (v != 0) {
        if (in.bit(here[2]) != 0) v = narrow(v < 0 ? v - bit : v + bit);
        break;
      }
      if (in.bit(here[1]) == 0) continue;
      v = narrow(in.fixed_bit() != 0 ? -bit : bit);
      break;
    }
  }
}

inline void decode_block(Scan& s, ArithmeticReader& in, Component& k, Index y, Index x) {
  std::int16_t* const block = k.blocks + (y * k.blocks_x + x) * 64;
  if (!s.frame->progressive) {
    arithmetic_dc(s, in, k, block);
    return arithmetic_ac(s, in, k, block, 1);
  }
  if (s.spectral_begin > 0)
    return s.approx_high == 0 ? arithmetic_ac(s, in, k, block, s.spectral_begin)
                              : arithmetic_refine(s, in, k, block);
  if (s.approx_high == 0) return arithmetic_dc(s, in, k, block);
  if (in.fixed_bit() != 0) block[0] = narrow(block[0] | 1 << s.approx_low);
}

}  // namespace image::jpeg

}  // namespace onnxc
