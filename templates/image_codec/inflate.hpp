// inflate.hpp - decompresses a zlib stream (RFC 1950) of deflate blocks (RFC 1951) into memory of
// known size.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"

namespace onnxc {

namespace image::zlib {

// A canonical Huffman code. Codes of up to kFast bits are found by one table look-up.
struct Code {
  static constexpr int kFast = 9, kLongest = 15;
  std::uint16_t fast[1 << kFast];  // symbol << 4 | length, 0 where the code is longer
  std::uint16_t count[kLongest + 1], symbol[288];

  bool build(const std::uint8_t* length, int symbols) {
    std::memset(fast, 0, sizeof fast);
    std::memset(count, 0, sizeof count);
    for (int i = 0; i < symbols; ++i) ++count[length[i]];
    count[0] = 0;
    int left = 1, first[kLongest + 2] = {}, start[kLongest + 2] = {};
    for (int l = 1; l <= kLongest; ++l) {
      left = 2 * left - count[l];
      if (left < 0) return false;
      first[l + 1] = (first[l] + count[l]) * 2;
      start[l + 1] = start[l] + count[l];
    }
    for (int i = 0; i < symbols; ++i) {
      const int l = length[i];
      if (l == 0) continue;
      symbol[start[l]++] = static_cast<std::uint16_t>(i);
      const int code = first[l]++;
      if (l > kFast) continue;
      int turned = 0;
      for (int b = 0; b < l; ++b) turned |= (code >> b & 1) << (l - 1 - b);
      for (int at = turned; at < 1 << kFast; at += 1 << l)
        fast[at] = static_cast<std::uint16_t>(i << 4 | l);
    }
    return true;
  }
};

struct Inflater {
  Bytes in;
  Index at = 0;
  std::uint64_t bits = 0;
  int held = 0;
  std::uint8_t* out = nullptr;
  Index capacity = 0, done = 0;

  void fill() {
    while (held <= 48 && at < in.size) {
      bits |= std::uint64_t{in.data[at++]} << held;
      held += 8;
    }
  }
  // Returns -1 past the end of the data.
  int read(int count) {
    fill();
    if (held < count) return -1;
    const int v = static_cast<int>(bits & ((std::uint64_t{1} << count) - 1));
    bits >>= count;
    held -= count;
    return v;
  }
  int read(const Code& code) {
    fill();
    const int entry = code.fast[bits & ((1U << Code::kFast) - 1)];
    if (entry != 0) {
      if (held < (entry & 15)) return -1;
      bits >>= entry & 15;
      held -= entry & 15;
      return entry >> 4;
    }
    int value = 0, first = 0, index = 0;
    for (int l = 1; l <= Code::kLongest && l <= held; ++l) {
      value |= static_cast<int>(bits >> (l - 1) & 1U);
      const int n = code.count[l];
      if (value - n < first) {
        bits >>= l;
        held -= l;
        return code.symbol[index + value - first];
      }
      index += n;
      first = (first + n) * 2;
      value *= 2;
    }
    return -1;
  }
};

inline bool stored(Inflater& z) {
  z.read(z.held % 8);
  const int size = z.read(16), check = z.read(16);
  if (size < 0 || check < 0 || (size ^ check) != 0xFFFF) return false;
  for (int i = 0; i < size; ++i) {
    const int b = z.read(8);
    if (b < 0) return false;
    if (z.done < z.capacity) z.out[z.done++] = static_cast<std::uint8_t>(b);
  }
  return true;
}

constexpr std::uint16_t kLengthBase[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::uint8_t kLengthBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::uint16_t kDistanceBase[] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

// A block's symbols. Output beyond the capacity is decoded and dropped only up to its end.
inline bool symbols(Inflater& z, const Code& literals, const Code& distances) {
  while (z.done < z.capacity) {
    const int s = z.read(literals);
    if (s < 0 || s > 285) return false;
    if (s == 256) return true;
    if (s < 256) {
      z.out[z.done++] = static_cast<std::uint8_t>(s);
      continue;
    }
    const int more = z.read(kLengthBits[s - 257]);
    const int d = z.read(distances);
    if (more < 0 || d < 0 || d > 29) return false;
    const int far = z.read(d < 2 ? 0 : d / 2 - 1);
    if (far < 0) return false;
    const Index distance = kDistanceBase[d] + far;
    if (distance > z.done) return false;
    Index length = kLengthBase[s - 257] + more;
    if (length > z.capacity - z.done) length = z.capacity - z.done;
    for (Index i = 0; i < length; ++i, ++z.done) z.out[z.done] = z.out[z.done - distance];
  }
  return true;
}

inline bool read_codes(Inflater& z, Code& literals, Code& distances) {
  constexpr std::uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  const int n_literals = z.read(5) + 257, n_distances = z.read(5) + 1, n_codes = z.read(4) + 4;
  if (n_literals < 257 || n_literals > 286 || n_distances < 1 || n_distances > 30 || n_codes < 4)
    return false;
  std::uint8_t lengths[320] = {};
  for (int i = 0; i < n_codes; ++i) {
    const int l = z.read(3);
    if (l < 0) return false;
    lengths[order[i]] = static_cast<std::uint8_t>(l);
  }
  if (!literals.build(lengths, 19)) return false;
  std::memset(lengths, 0, sizeof lengths);
  for (int i = 0; i < n_literals + n_distances;) {
    const int s = z.read(literals);
    if (s < 0 || s > 18 || (s == 16 && i == 0)) return false;
    if (s < 16) {
      lengths[i++] = static_cast<std::uint8_t>(s);
      continue;
    }
    const int extra = z.read(s == 16 ? 2 : s == 17 ? 3 : 7);
    if (extra < 0) return false;
    const std::uint8_t value = s == 16 ? lengths[i - 1] : std::uint8_t{0};
    int repeats = extra + (s == 18 ? 11 : 3);
    if (repeats > n_literals + n_distances - i) return false;
    for (; repeats > 0; --repeats) lengths[i++] = value;
  }
  return lengths[256] != 0 && literals.build(lengths, n_literals) &&
         distances.build(lengths + n_literals, n_distances);
}

inline bool fixed_codes(Code& literals, Code& distances) {
  std::uint8_t lengths[288];
  for (int i = 0; i < 288; ++i)
    lengths[i] = static_cast<std::uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
  const bool good = literals.build(lengths, 288);
  std::memset(lengths, 5, 30);
  return distances.build(lengths, 30) && good;
}

// Returns whether the stream is valid and fills `out`: [size]; data beyond that is ignored.
inline bool inflate(const Bytes& in, std::uint8_t* out, Index size) {
  Inflater z{in};
  z.out = out;
  z.capacity = size;
  const int method = z.read(8), flags = z.read(8);
  if (method < 0 || flags < 0 || method % 16 != 8 || (method * 256 + flags) % 31 != 0 ||
      (flags & 32) != 0)
    return false;
  Code literals, distances;
  for (bool last = false; !last && z.done < size;) {
    last = z.read(1) == 1;
    const int kind = z.read(2);
    bool good = false;
    if (kind == 0) good = stored(z);
    if (kind == 1) good = fixed_codes(literals, distances) && symbols(z, literals, distances);
    if (kind == 2) good = read_codes(z, literals, distances) && symbols(z, literals, distances);
    if (!good) return false;
  }
  return z.done == size;
}

}  // namespace image::zlib

}  // namespace onnxc
