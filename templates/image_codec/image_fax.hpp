// image_fax.hpp - bilevel images in the facsimile codes of ITU-T T.4 (sections 4.1 and 4.2) and T.6
// (section 2), as in TIFF.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"

namespace onnxc {

namespace image::fax {

// A run-length code: the index is the length below 64, then each further one adds 64 pixels.
struct RunCode {
  std::uint8_t length, bits;
};
constexpr int kRunCodes = 104;
constexpr RunCode kRuns[2][kRunCodes] = {
    {{8, 0x35},  {6, 0x7},   {4, 0x7},   {4, 0x8},   {4, 0xB},   {4, 0xC},   {4, 0xE},
     {4, 0xF},   {5, 0x13},  {5, 0x14},  {5, 0x7},   {5, 0x8},   {6, 0x8},   {6, 0x3},
     {6, 0x34},  {6, 0x35},  {6, 0x2A},  {6, 0x2B},  {7, 0x27},  {7, 0xC},   {7, 0x8},
     {7, 0x17},  {7, 0x3},   {7, 0x4},   {7, 0x28},  {7, 0x2B},  {7, 0x13},  {7, 0x24},
     {7, 0x18},  {8, 0x2},   {8, 0x3},   {8, 0x1A},  {8, 0x1B},  {8, 0x12},  {8, 0x13},
     {8, 0x14},  {8, 0x15},  {8, 0x16},  {8, 0x17},  {8, 0x28},  {8, 0x29},  {8, 0x2A},
     {8, 0x2B},  {8, 0x2C},  {8, 0x2D},  {8, 0x4},   {8, 0x5},   {8, 0xA},   {8, 0xB},
     {8, 0x52},  {8, 0x53},  {8, 0x54},  {8, 0x55},  {8, 0x24},  {8, 0x25},  {8, 0x58},
     {8, 0x59},  {8, 0x5A},  {8, 0x5B},  {8, 0x4A},  {8, 0x4B},  {8, 0x32},  {8, 0x33},
     {8, 0x34},  {5, 0x1B},  {5, 0x12},  {6, 0x17},  {7, 0x37},  {8, 0x36},  {8, 0x37},
     {8, 0x64},  {8, 0x65},  {8, 0x68},  {8, 0x67},  {9, 0xCC},  {9, 0xCD},  {9, 0xD2},
     {9, 0xD3},  {9, 0xD4},  {9, 0xD5},  {9, 0xD6},  {9, 0xD7},  {9, 0xD8},  {9, 0xD9},
     {9, 0xDA},  {9, 0xDB},  {9, 0x98},  {9, 0x99},  {9, 0x9A},  {6, 0x18},  {9, 0x9B},
     {11, 0x8},  {11, 0xC},  {11, 0xD},  {12, 0x12}, {12, 0x13}, {12, 0x14}, {12, 0x15},
     {12, 0x16}, {12, 0x17}, {12, 0x1C}, {12, 0x1D}, {12, 0x1E}, {12, 0x1F}},
    {{10, 0x37}, {3, 0x2},   {2, 0x3},   {2, 0x2},   {3, 0x3},   {4, 0x3},   {4, 0x2},
     {5, 0x3},   {6, 0x5},   {6, 0x4},   {7, 0x4},   {7, 0x5},   {7, 0x7},   {8, 0x4},
     {8, 0x7},   {9, 0x18},  {10, 0x17}, {10, 0x18}, {10, 0x8},  {11, 0x67}, {11, 0x68},
     {11, 0x6C}, {11, 0x37}, {11, 0x28}, {11, 0x17}, {11, 0x18}, {12, 0xCA}, {12, 0xCB},
     {12, 0xCC}, {12, 0xCD}, {12, 0x68}, {12, 0x69}, {12, 0x6A}, {12, 0x6B}, {12, 0xD2},
     {12, 0xD3}, {12, 0xD4}, {12, 0xD5}, {12, 0xD6}, {12, 0xD7}, {12, 0x6C}, {12, 0x6D},
     {12, 0xDA}, {12, 0xDB}, {12, 0x54}, {12, 0x55}, {12, 0x56}, {12, 0x57}, {12, 0x64},
     {12, 0x65}, {12, 0x52}, {12, 0x53}, {12, 0x24}, {12, 0x37}, {12, 0x38}, {12, 0x27},
     {12, 0x28}, {12, 0x58}, {12, 0x59}, {12, 0x2B}, {12, 0x2C}, {12, 0x5A}, {12, 0x66},
     {12, 0x67}, {10, 0xF},  {12, 0xC8}, {12, 0xC9}, {12, 0x5B}, {12, 0x33}, {12, 0x34},
     {12, 0x35}, {13, 0x6C}, {13, 0x6D}, {13, 0x4A}, {13, 0x4B}, {13, 0x4C}, {13, 0x4D},
     {13, 0x72}, {13, 0x73}, {13, 0x74}, {13, 0x75}, {13, 0x76}, {13, 0x77}, {13, 0x52},
     {13, 0x53}, {13, 0x54}, {13, 0x55}, {13, 0x5A}, {13, 0x5B}, {13, 0x64}, {13, 0x65},
     {11, 0x8},  {11, 0xC},  {11, 0xD},  {12, 0x12}, {12, 0x13}, {12, 0x14}, {12, 0x15},
     {12, 0x16}, {12, 0x17}, {12, 0x1C}, {12, 0x1D}, {12, 0x1E}, {12, 0x1F}}};

struct Settings {
  bool two_dimensional = false;  // rows are coded relative to the row above
  bool mixed = false;            // a bit after each end of line selects the coding of the row
  bool ends_of_line = false, whole_bytes = false, reversed = false;
};

struct BitReader {
  Bytes in;
  bool reversed = false;  // the first bit of a byte is its lowest
  std::int64_t at = 0;

  int bit(std::int64_t i) const {
    const std::uint32_t byte = in.u8(static_cast<Index>(i / 8));
    const int place = static_cast<int>(i % 8);
    return static_cast<int>(byte >> (reversed ? place : 7 - place) & 1U);
  }
  int peek(int count) const {
    int v = 0;
    for (int i = 0; i < count; ++i) v = 2 * v + bit(at + i);
    return v;
  }
  bool ended() const { return at > std::int64_t{8} * in.size; }
};

// The length of a run of a color, 1 for black; -1 if there is no such code.
inline Index read_run(BitReader& in, int color) {
  constexpr int longest = 13;
  for (Index run = 0;;) {
    const int next = in.peek(longest);
    int code = 0;
    while (code < kRunCodes &&
           next >> (longest - kRuns[color][code].length) != kRuns[color][code].bits)
      ++code;
    if (code == kRunCodes) return -1;
    in.at += kRuns[color][code].length;
    if (code < 64) return run + code;
    run += 64 * (code - 63);
    if (in.ended()) return -1;
  }
}

// The changing elements of a row, which begins with white; three times the width ends the list.
struct Row {
  Index* changes;
  Index count = 0, width;

  // Two changes at one position cancel.
  void add(Index place) {
    if (count > 0 && changes[count - 1] == place)
      --count;
    else
      changes[count++] = place;
  }
  void close() {
    for (Index i = 0; i < 3; ++i) changes[count + i] = width;
  }
};

inline bool read_one_dimension(BitReader& in, Row& row) {
  Index place = 0;
  for (int color = 0; place < row.width; color = 1 - color) {
    const Index run = read_run(in, color);
    if (run < 0 || run > row.width - place || row.count > row.width) return false;
    place += run;
    row.add(place);
  }
  row.close();
  return true;
}

struct Mode {
  enum Kind { pass, horizontal, vertical } kind;
  int length, bits, offset;
};

inline bool read_mode(BitReader& in, Mode& mode) {
  constexpr Mode modes[] = {
      {Mode::vertical, 1, 1, 0},   {Mode::vertical, 3, 3, 1}, {Mode::vertical, 3, 2, -1},
      {Mode::horizontal, 3, 1, 0}, {Mode::pass, 4, 1, 0},     {Mode::vertical, 6, 3, 2},
      {Mode::vertical, 6, 2, -2},  {Mode::vertical, 7, 3, 3}, {Mode::vertical, 7, 2, -3}};
  const int next = in.peek(7);
  for (const Mode& m : modes) {
    if (next >> (7 - m.length) != m.bits) continue;
    in.at += m.length;
    mode = m;
    return true;
  }
  return false;
}

inline bool read_two_dimensions(BitReader& in, const Row& above, Row& row) {
  Index place = -1, b = 0;
  int color = 0;
  while (place < row.width) {
    // b1: the first changing element above, to the right of a0 and of the opposite color.
    while (b > 0 && above.changes[b - 1] > place) --b;
    while (above.changes[b] < row.width && (above.changes[b] <= place || b % 2 != color)) ++b;
    const Index from = place < 0 ? 0 : place;
    Mode mode;
    if (in.ended() || row.count > row.width || !read_mode(in, mode)) return false;
    if (mode.kind == Mode::pass) {
      place = above.changes[b] < row.width ? above.changes[b + 1] : row.width;
    } else if (mode.kind == Mode::vertical) {
      const Index to = above.changes[b] + mode.offset;
      if (to < from || to > row.width) return false;
      row.add(to);
      place = to;
      color = 1 - color;
    } else {
      const Index first = read_run(in, color), second = read_run(in, 1 - color);
      if (first < 0 || second < 0 || first > row.width - from || second > row.width - from - first)
        return false;
      row.add(from + first);
      row.add(from + first + second);
      place = from + first + second;
    }
  }
  row.close();
  return true;
}

// Skips fill bits and an end of line, if there is one.
inline bool skip_end_of_line(BitReader& in) {
  constexpr int zeros = 11;
  if (in.peek(zeros) != 0) return false;
  std::int64_t at = in.at + zeros;
  while (at < std::int64_t{8} * in.in.size && in.bit(at) == 0) ++at;
  in.at = at + 1;
  return true;
}

inline void put_row(const Row& row, std::uint8_t* out, Index row_bytes) {
  std::memset(out, 0, static_cast<std::size_t>(row_bytes));
  for (Index i = 0; i < row.count; i += 2)
    for (Index x = row.changes[i]; x < row.changes[i + 1]; ++x)
      out[x / 8] = static_cast<std::uint8_t>(out[x / 8] | 128 >> x % 8);
}

// Elements of scratch for the changing elements of two rows.
constexpr Index work_size(Index width) { return 2 * (width + 6); }

// Black is 1. work: [work_size(width)].
inline bool decode(const Bytes& in, const Settings& s, Index rows, Index width, Index row_bytes,
                   std::uint8_t* out, Index* work) {
  BitReader bits{in, s.reversed};
  Row above{work, 0, width}, row{work + width + 6, 0, width};
  above.close();
  for (Index y = 0; y < rows; ++y) {
    bool two = s.two_dimensional;
    if (s.whole_bytes) bits.at = (bits.at + 7) / 8 * 8;
    if (s.ends_of_line) {
      const bool ended = skip_end_of_line(bits);
      if (s.mixed && !ended) return false;
      if (s.mixed) two = bits.peek(1) == 0, ++bits.at;
    }
    row.count = 0;
    if (!(two ? read_two_dimensions(bits, above, row) : read_one_dimension(bits, row)) ||
        bits.ended())
      return false;
    put_row(row, out + y * row_bytes, row_bytes);
    Index* const spare = above.changes;
    above = row;
    row.changes = spare;
  }
  return true;
}

}  // namespace image::fax

}  // namespace onnxc
