// image_jpeg.hpp - baseline, extended and progressive JPEG (ITU-T T.81, ISO/IEC 10918-1), Huffman
// or arithmetic, 8 bits a sample.
#pragma once

#include <cstdint>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"
#include "templates/image_codec/image_jpeg_arithmetic.hpp"
#include "templates/image_codec/image_jpeg_header.hpp"
#include "templates/image_codec/image_jpeg_huffman.hpp"
#include "templates/image_codec/image_jpeg_qm_coder.hpp"
#include "templates/image_codec/image_jpeg_samples.hpp"
#include "templates/image_codec/image_jpeg_scan.hpp"

namespace onnxc {

namespace image::jpeg {

// All blocks of one MCU (minimum coded unit); in a scan of one component that is one block.
template <class Reader>
void decode_mcu(Scan& s, Reader& in, Index y, Index x) {
  if (s.count == 1) return decode_block(s, in, *s.component[0], y, x);
  for (int c = 0; c < s.count; ++c) {
    Component& k = *s.component[c];
    for (Index v = 0; v < k.v; ++v)
      for (Index h = 0; h < k.h; ++h) decode_block(s, in, k, y * k.v + v, x * k.h + h);
  }
}

template <class Reader>
void restart(Scan& s, Reader& in) {
  in.start();
  s.eob_run = 0;
  for (int c = 0; c < s.count; ++c) s.component[c]->dc_predictor = s.component[c]->context = 0;
}

// Skips a restart marker.
inline bool skip_restart(const Bytes& in, Index& at, Index number) {
  return next_marker(in, at) == 0xD0 + static_cast<std::uint32_t>(number % 8);
}

// Decodes the entropy-coded data at in.at; in.at moves to its end.
template <class Reader>
bool decode_scan(Scan& s, Reader& in) {
  Index columns = s.frame->mcus_x(), rows = s.frame->mcus_y();
  if (s.count == 1) {
    columns = (s.component[0]->width + 7) / 8;
    rows = (s.component[0]->height + 7) / 8;
  }
  restart(s, in);
  Index mcus = 0, restarts = 0;
  for (Index y = 0; y < rows; ++y)
    for (Index x = 0; x < columns; ++x, ++mcus) {
      if (s.tables->restart > 0 && mcus == s.tables->restart) {
        if (!skip_restart(in.in, in.at, restarts++)) return false;
        restart(s, in);
        mcus = 0;
      }
      decode_mcu(s, in, y, x);
      if (in.failed) return false;
    }
  return true;
}

inline bool decode_scan(Scan& s, const Bytes& data, Index& at) {
  BitReader huffman{data, at};
  ArithmeticReader arithmetic{data, at};
  const bool good = s.frame->arithmetic ? decode_scan(s, arithmetic) : decode_scan(s, huffman);
  at = s.frame->arithmetic ? arithmetic.at : huffman.at;
  return good;
}

template <class Memory>
Status put_image(Frame& frame, const Tables& tables, const Sink& out, Memory& memory) {
  std::uint8_t* rows[4] = {};
  int* const wide = take<int>(memory, frame.extents.width);
  if (wide == nullptr) return Status::out_of_memory;
  for (int c = 0; c < frame.count; ++c) {
    Component& k = frame.component[c];
    if (!k.has_quant) return Status::bad_value;
    k.samples = take<std::uint8_t>(memory, k.blocks_y * k.blocks_x * 64);
    rows[c] = take<std::uint8_t>(memory, frame.extents.width);
    if (k.samples == nullptr || rows[c] == nullptr) return Status::out_of_memory;
    inverse_dct(k);
  }
  const bool ycc = is_ycc(frame, tables);
  for (Index y = 0; y < frame.extents.height; ++y) {
    for (int c = 0; c < frame.count; ++c) upsample_row(frame, frame.component[c], y, wide, rows[c]);
    put_row(frame, ycc, rows, y, out);
  }
  return Status::ok;
}

template <class Memory>
Status start_frame(const Bytes& body, std::uint32_t marker, Frame& frame, Memory& memory) {
  if (frame.count != 0 || !read_frame(body, marker, frame)) return Status::bad_value;
  for (int c = 0; c < frame.count; ++c) {
    Component& k = frame.component[c];
    k.blocks = take_zeroed<std::int16_t>(memory, k.blocks_y * k.blocks_x * 64);
    if (k.blocks == nullptr) return Status::out_of_memory;
  }
  return Status::ok;
}

template <class Memory>
Status decode_frame(const Bytes& in, Tables* tables, const Sink& out, Memory& memory) {
  Frame frame;
  int scans = 0;
  for (Index at = 2;;) {
    const std::uint32_t marker = next_marker(in, at);
    if (marker == 0xD9) break;
    if (marker == 0) return Status::bad_value;
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) continue;
    const auto size = static_cast<Index>(in.be16(at));
    if (size < 2 || !in.has(at, size)) return Status::bad_value;
    const Bytes body = in.part(at + 2, size - 2);
    at += size;
    bool good = true;
    if (is_frame(marker)) {
      const Status status = start_frame(body, marker, frame, memory);
      if (status != Status::ok) return status;
    }
    if (marker == 0xC4) good = read_huffman(body, *tables);
    if (marker == 0xDB) good = read_quant(body, *tables);
    if (marker == 0xCC) good = read_conditioning(body, *tables);
    if (marker == 0xDD) tables->restart = static_cast<Index>(body.be16(0));
    if (marker >= 0xE0 && marker <= 0xEF) read_application(body, marker, *tables);
    if (marker == 0xDA) {
      Scan scan;
      good = frame.count != 0 && read_scan(body, frame, *tables, scan) && decode_scan(scan, in, at);
      // A real file has some ten scans; a hostile one could repeat a tiny scan without end.
      good = good && ++scans <= 1000;
    }
    if (!good) return Status::bad_value;
  }
  return scans > 0 ? put_image(frame, *tables, out, memory) : Status::bad_value;
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Memory& memory) {
  Tables* const tables = make<Tables>(memory);
  if (tables == nullptr) return Status::out_of_memory;
  return decode_frame(in, tables, out, memory);
}

// Reads the tables of an abbreviated stream, which holds nothing else.
inline bool read_tables(const Bytes& in, Tables& tables) {
  for (Index at = 2;;) {
    const std::uint32_t marker = next_marker(in, at);
    if (marker == 0 || marker == 0xD9) return true;
    const auto size = static_cast<Index>(in.be16(at));
    if (size < 2 || !in.has(at, size)) return false;
    const Bytes body = in.part(at + 2, size - 2);
    at += size;
    if (marker == 0xC4 && !read_huffman(body, tables)) return false;
    if (marker == 0xDB && !read_quant(body, tables)) return false;
  }
}

}  // namespace image::jpeg

}  // namespace onnxc
