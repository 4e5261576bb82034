// image_jpeg_scan.hpp - the header of a JPEG scan (ITU-T T.81, annex B.2.3).
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg_header.hpp"

namespace onnxc {

namespace image::jpeg {

struct Scan {
  Frame* frame;
  Tables* tables;
  int count = 0;
  Component* component[4] = {};
  int spectral_begin = 0, spectral_end = 63, approx_high = 0, approx_low = 0;
  int eob_run = 0;  // blocks left in an end-of-band run
};

inline std::int16_t narrow(int v) { return static_cast<std::int16_t>(v); }
inline std::int16_t scaled(int v, int low) { return narrow(v * (1 << low)); }

inline bool check_progression(const Scan& s) {
  if (!s.frame->progressive) return true;
  if (s.spectral_begin > s.spectral_end || s.spectral_end > 63 || s.approx_low > 13 ||
      s.approx_high > 13)
    return false;
  if (s.spectral_begin == 0 && s.spectral_end != 0) return false;
  if (s.spectral_begin > 0 && s.count != 1) return false;
  return s.approx_high == 0 || s.approx_low == s.approx_high - 1;
}

inline bool check_tables(const Scan& s) {
  if (s.frame->arithmetic) return true;
  for (int c = 0; c < s.count; ++c) {
    const Component& k = *s.component[c];
    const bool sequential = !s.frame->progressive;
    if ((sequential || (s.spectral_begin == 0 && s.approx_high == 0)) &&
        !s.tables->dc[k.dc_table].defined)
      return false;
    if ((sequential || s.spectral_begin > 0) && !s.tables->ac[k.ac_table].defined) return false;
  }
  return true;
}

inline bool read_scan(const Bytes& body, Frame& frame, Tables& tables, Scan& s) {
  s.frame = &frame;
  s.tables = &tables;
  s.count = static_cast<int>(body.u8(0));
  if (s.count < 1 || s.count > frame.count || !body.has(0, 4 + 2 * s.count)) return false;
  for (int c = 0; c < s.count; ++c) {
    for (int i = 0; i < frame.count; ++i)
      if (frame.component[i].id == body.u8(1 + 2 * c)) s.component[c] = &frame.component[i];
    for (int i = 0; i < c; ++i)
      if (s.component[i] == s.component[c]) return false;
    if (s.component[c] == nullptr) return false;
    Component& k = *s.component[c];
    const std::uint32_t slots = body.u8(2 + 2 * c);
    if (slots >> 4 > 3 || (slots & 15) > 3) return false;
    k.dc_table = static_cast<int>(slots >> 4);
    k.ac_table = static_cast<int>(slots & 15);
    if (k.has_quant) continue;
    if (!tables.has_quant[k.table]) return false;
    std::memcpy(k.quant, tables.quant[k.table], sizeof k.quant);
    k.has_quant = true;
  }
  const Index at = 1 + 2 * s.count;
  s.spectral_begin = static_cast<int>(body.u8(at));
  s.spectral_end = static_cast<int>(body.u8(at + 1));
  s.approx_high = static_cast<int>(body.u8(at + 2) >> 4);
  s.approx_low = static_cast<int>(body.u8(at + 2) & 15);
  return check_progression(s) && check_tables(s);
}

}  // namespace image::jpeg

}  // namespace onnxc
