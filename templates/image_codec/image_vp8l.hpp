// image_vp8l.hpp - the lossless half of WebP (RFC 9649, section 3): prefix codes, back references,
// four transforms.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime_min/types.hpp"
#include "templates/image_codec/image_bytes.hpp"

namespace onnxc {

namespace image::vp8l {

using Argb = std::uint32_t;

constexpr int kLiterals = 256, kLengths = 24, kDistances = 40, kMaxCacheBits = 11;
constexpr int kMaxSymbols = kLiterals + kLengths + (1 << kMaxCacheBits);

struct BitReader {
  Bytes in;
  Index at = 0;
  std::uint64_t bits = 0;
  int held = 0;
  bool failed = false;

  void fill() {
    while (held <= 48 && at < in.size) {
      bits |= std::uint64_t{in.data[at++]} << held;
      held += 8;
    }
  }
  void drop(int count) {
    failed = failed || count > held;
    held = count > held ? 0 : held - count;
    bits >>= count;
  }
  // Bits past the end are zero.
  int read(int count) {
    fill();
    const int v = static_cast<int>(bits & ((std::uint64_t{1} << count) - 1));
    drop(count);
    return v;
  }
};

// A canonical prefix code. With one symbol its codes have no bits.
struct Code {
  static constexpr int kFast = 7, kLongest = 15;
  std::uint16_t fast[1 << kFast];  // symbol << 4 | length, 0 where the code is longer
  std::uint16_t count[kLongest + 1];
  std::uint16_t* symbol;
  bool single;

  int read(BitReader& in) const {
    if (single) return symbol[0];
    in.fill();
    const int entry = fast[in.bits & ((1U << kFast) - 1U)];
    if (entry != 0) {
      in.drop(entry & 15);
      return entry >> 4;
    }
    int value = 0, first = 0, index = 0;
    for (int l = 1; l <= kLongest; ++l) {
      value |= static_cast<int>(in.bits >> (l - 1) & 1U);
      const int n = count[l];
      if (value - n < first) {
        in.drop(l);
        return symbol[index + value - first];
      }
      index += n;
      first = (first + n) * 2;
      value *= 2;
    }
    in.failed = true;
    return 0;
  }
};

// symbols: room for those of a length.
inline bool build(Code& code, const std::uint8_t* length, int symbols, std::uint16_t* symbol) {
  std::memset(code.fast, 0, sizeof code.fast);
  std::memset(code.count, 0, sizeof code.count);
  code.symbol = symbol;
  int used = 0;
  for (int i = 0; i < symbols; ++i) {
    if (length[i] == 0) continue;
    ++code.count[length[i]];
    ++used;
    symbol[0] = static_cast<std::uint16_t>(i);
  }
  code.single = used == 1;
  if (used <= 1) return used == 1;
  int left = 1, first[Code::kLongest + 2] = {}, start[Code::kLongest + 2] = {};
  for (int l = 1; l <= Code::kLongest; ++l) {
    left = 2 * left - code.count[l];
    if (left < 0) return false;
    first[l + 1] = (first[l] + code.count[l]) * 2;
    start[l + 1] = start[l] + code.count[l];
  }
  for (int i = 0; i < symbols; ++i) {
    const int l = length[i];
    if (l == 0) continue;
    symbol[start[l]++] = static_cast<std::uint16_t>(i);
    const int value = first[l]++;
    if (l > Code::kFast) continue;
    int turned = 0;
    for (int b = 0; b < l; ++b) turned |= (value >> b & 1) << (l - 1 - b);
    for (int at = turned; at < 1 << Code::kFast; at += 1 << l)
      code.fast[at] = static_cast<std::uint16_t>(i << 4 | l);
  }
  return left == 0;  // the code is complete
}

// The codes of green (with lengths and the cache), red, blue, alpha and distances.
struct Group {
  Code code[5];
};

struct Scratch {
  std::uint8_t length[kMaxSymbols];
  std::uint16_t symbol[kMaxSymbols];
  Group unused;
};

inline bool read_lengths(BitReader& in, Scratch& s, int symbols) {
  constexpr std::uint8_t order[19] = {17, 18, 0, 1,  2,  3,  4,  5,  16, 6,
                                      7,  8,  9, 10, 11, 12, 13, 14, 15};
  std::uint8_t code_length[19] = {};
  std::uint16_t code_symbol[19];
  const int count = in.read(4) + 4;
  for (int i = 0; i < count; ++i) code_length[order[i]] = static_cast<std::uint8_t>(in.read(3));
  Code code;
  if (!build(code, code_length, 19, code_symbol)) return false;
  int codes = symbols;
  if (in.read(1) != 0) {
    const int bits = 2 + 2 * in.read(3);
    codes = 2 + in.read(bits);
    if (codes > symbols) return false;
  }
  std::uint8_t previous = 8;
  for (int i = 0; i < symbols && codes > 0; --codes) {
    const int c = code.read(in);
    if (in.failed) return false;
    if (c < 16) {
      s.length[i++] = static_cast<std::uint8_t>(c);
      if (c != 0) previous = static_cast<std::uint8_t>(c);
      continue;
    }
    const int repeats = c == 16 ? 3 + in.read(2) : c == 17 ? 3 + in.read(3) : 11 + in.read(7);
    if (repeats > symbols - i) return false;
    std::memset(s.length + i, c == 16 ? previous : 0, static_cast<std::size_t>(repeats));
    i += repeats;
  }
  return !in.failed;
}

// Leaves the lengths of the code's symbols in the scratch; returns how many have one, 0 if broken.
inline int read_code_lengths(BitReader& in, Scratch& s, int symbols) {
  std::memset(s.length, 0, sizeof s.length);
  if (in.read(1) != 0) {
    const int count = in.read(1) + 1, bits = in.read(1) != 0 ? 8 : 1;
    // A symbol beyond the alphabet (distances have 40) leaves the code broken or is not counted.
    s.length[in.read(bits)] = 1;
    if (count == 2) s.length[in.read(8)] = 1;
  } else if (!read_lengths(in, s, symbols)) {
    return 0;
  }
  int used = 0;
  for (int i = 0; i < symbols; ++i) used += s.length[i] != 0 ? 1 : 0;
  return in.failed ? 0 : used;
}

struct Size {
  Index height, width;
};

template <class Memory>
struct Decoder {
  BitReader in;
  Memory* memory;
  Scratch* scratch;
  Status status = Status::bad_value;  // reason of a failure

  template <class T>
  T* allocate(Index count) {
    T* const p = take<T>(*memory, count);
    if (p == nullptr) status = Status::out_of_memory;
    return p;
  }
};

template <class Memory>
bool read_group(Decoder<Memory>& d, int cache_size, bool used, Group& group) {
  for (int i = 0; i < 5; ++i) {
    int symbols = i == 0 ? kLiterals + kLengths + cache_size : i == 4 ? kDistances : kLiterals;
    const int count = read_code_lengths(d.in, *d.scratch, symbols);
    if (count == 0) return false;
    std::uint16_t* symbol = d.scratch->symbol;
    if (used) symbol = d.template allocate<std::uint16_t>(count);
    if (symbol == nullptr || !build(group.code[i], d.scratch->length, symbols, symbol))
      return false;
  }
  return true;
}

// The groups of prefix codes of an image, and which block of the image uses which.
struct Groups {
  Group** group = nullptr;
  Argb* map = nullptr;  // null if there is one group
  int bits = 0;
  Index width = 0;

  const Group& of(Index y, Index x) const {
    return map == nullptr ? *group[0] : *group[map[(y >> bits) * width + (x >> bits)]];
  }
};

constexpr Index reduced(Index extent, int bits) {
  return (extent + (Index{1} << bits) - 1) >> bits;
}

template <class Memory>
Argb* read_image(Decoder<Memory>& d, Size size, bool whole);

template <class Memory>
bool read_groups(Decoder<Memory>& d, Size size, int cache_size, bool whole, Groups& groups) {
  Index count = 1;
  if (whole && d.in.read(1) != 0) {
    groups.bits = 2 + d.in.read(3);
    const Size small{reduced(size.height, groups.bits), reduced(size.width, groups.bits)};
    groups.width = small.width;
    groups.map = read_image(d, small, false);
    if (groups.map == nullptr) return false;
    for (Index i = 0; i < small.height * small.width; ++i) {
      groups.map[i] = groups.map[i] >> 8 & 0xFFFFU;
      const Index past = static_cast<Index>(groups.map[i]) + 1;
      if (past > count) count = past;
    }
    groups.group = take_zeroed<Group*>(*d.memory, count);
    // Marked for now: groups that no block uses are read but not kept.
    for (Index i = 0; groups.group != nullptr && i < small.height * small.width; ++i)
      groups.group[groups.map[i]] = &d.scratch->unused;
  } else {
    groups.group = take<Group*>(*d.memory, 1);
    if (groups.group != nullptr) groups.group[0] = &d.scratch->unused;
  }
  if (groups.group == nullptr) {
    d.status = Status::out_of_memory;
    return false;
  }
  for (Index i = 0; i < count; ++i) {
    const bool used = groups.group[i] != nullptr;
    Group* const group = used ? d.template allocate<Group>(1) : &d.scratch->unused;
    if (group == nullptr || !read_group(d, cache_size, used, *group)) return false;
    if (used) groups.group[i] = group;
  }
  return true;
}

// The value of a prefix symbol of lengths and distances, with its extra bits.
inline Index read_amount(BitReader& in, int symbol) {
  if (symbol < 4) return symbol + 1;
  const int extra = (symbol - 2) >> 1;
  return (Index{2 + (symbol & 1)} << extra) + in.read(extra) + 1;
}

// Short distance codes point to pixels nearby, in two dimensions: each holds rows up and columns.
inline Index to_distance(Index width, Index code) {
  constexpr std::uint8_t near[120] = {
      24,  7,  23,  25,  40,  6,  39,  41,  22,  26,  38, 42, 56,  5,   55,  57,  21,  27,
      54,  58, 37,  43,  72,  4,  71,  73,  20,  28,  53, 59, 70,  74,  36,  44,  88,  69,
      75,  52, 60,  3,   87,  89, 19,  29,  86,  90,  35, 45, 68,  76,  85,  91,  51,  61,
      104, 2,  103, 105, 18,  30, 102, 106, 34,  46,  84, 92, 67,  77,  101, 107, 50,  62,
      120, 1,  119, 121, 83,  93, 17,  31,  100, 108, 66, 78, 118, 122, 33,  47,  117, 123,
      49,  63, 99,  109, 82,  94, 0,   116, 124, 65,  79, 16, 32,  98,  110, 48,  115, 125,
      81,  95, 64,  114, 126, 97, 111, 80,  113, 127, 96, 112};
  if (code > 120) return code - 120;
  const int packed = near[code - 1];
  const Index distance = (packed >> 4) * width + 8 - (packed & 15);
  return distance < 1 ? 1 : distance;
}

constexpr Index cache_slot(Argb pixel, int bits) {
  return static_cast<Index>((0x1E35A7BDU * pixel) >> (32 - bits));
}

inline bool read_pixels(BitReader& in, Size size, const Groups& groups, Argb* cache, int cache_bits,
                        Argb* pixels) {
  const Index total = size.height * size.width;
  for (Index at = 0; at < total;) {
    if (in.failed) return false;
    const Group& group = groups.of(at / size.width, at % size.width);
    const Index from = at;
    const int green = group.code[0].read(in);
    if (green < kLiterals) {
      const int red = group.code[1].read(in), blue = group.code[2].read(in);
      const int alpha = group.code[3].read(in);
      pixels[at++] = static_cast<Argb>(alpha) << 24 | static_cast<Argb>(red) << 16 |
                     static_cast<Argb>(green) << 8 | static_cast<Argb>(blue);
    } else if (green < kLiterals + kLengths) {
      const Index length = read_amount(in, green - kLiterals);
      const Index code = read_amount(in, group.code[4].read(in));
      const Index distance = to_distance(size.width, code);
      if (distance > at || length > total - at) return false;
      for (Index i = 0; i < length; ++i, ++at) pixels[at] = pixels[at - distance];
    } else {
      pixels[at++] = cache[green - kLiterals - kLengths];
    }
    for (Index i = from; cache_bits > 0 && i < at; ++i)
      cache[cache_slot(pixels[i], cache_bits)] = pixels[i];
  }
  return !in.failed;
}

// An entropy-coded image: the main one, or the data of a transform or of prefix code groups.
template <class Memory>
Argb* read_image(Decoder<Memory>& d, Size size, bool whole) {
  int cache_bits = 0;
  if (d.in.read(1) != 0) {
    cache_bits = d.in.read(4);
    if (cache_bits < 1 || cache_bits > kMaxCacheBits) return nullptr;
  }
  const int cache_size = cache_bits > 0 ? 1 << cache_bits : 0;
  Groups groups;
  if (!read_groups(d, size, cache_size, whole, groups)) return nullptr;
  Argb* const cache = take_zeroed<Argb>(*d.memory, cache_size);
  Argb* const pixels = d.template allocate<Argb>(size.height * size.width);
  if (cache == nullptr || pixels == nullptr) {
    d.status = Status::out_of_memory;
    return nullptr;
  }
  return read_pixels(d.in, size, groups, cache, cache_bits, pixels) ? pixels : nullptr;
}

// ---- transforms --------------------------------------------------------------------------------

struct Transform {
  enum Kind { predictor, color, subtract_green, palette } kind;
  int bits;
  Size size;   // of the image after the transform
  Argb* data;  // modes, multipliers or colors
};

constexpr Argb add(Argb a, Argb b) {
  return (((a & 0xFF00FF00U) + (b & 0xFF00FF00U)) & 0xFF00FF00U) |
         (((a & 0x00FF00FFU) + (b & 0x00FF00FFU)) & 0x00FF00FFU);
}
constexpr Argb average(Argb a, Argb b) { return (((a ^ b) & 0xFEFEFEFEU) >> 1) + (a & b); }
constexpr int channel(Argb a, int shift) { return static_cast<int>(a >> shift & 255U); }
constexpr int distance(int a, int b) { return a < b ? b - a : a - b; }

// Whichever of a and b is nearer to a + b - c.
inline Argb select(Argb a, Argb b, Argb c) {
  int to_b = 0, to_a = 0;
  for (int s = 0; s < 32; s += 8) {
    to_a += distance(channel(b, s), channel(c, s));
    to_b += distance(channel(a, s), channel(c, s));
  }
  return to_a <= to_b ? a : b;
}

template <class F>
Argb each_channel(F f) {
  Argb all = 0;
  for (int s = 0; s < 32; s += 8) {
    const int v = f(s);
    all |= static_cast<Argb>(v < 0 ? 0 : v > 255 ? 255 : v) << s;
  }
  return all;
}

// p: the pixel to predict; those before and above it are known.
inline Argb predicted(const Argb* p, Index width, int mode) {
  const Argb left = p[-1], top = p[-width], top_left = p[-width - 1], top_right = p[-width + 1];
  switch (mode) {
    case 1:
      return left;
    case 2:
      return top;
    case 3:
      return top_right;
    case 4:
      return top_left;
    case 5:
      return average(average(left, top_right), top);
    case 6:
      return average(left, top_left);
    case 7:
      return average(left, top);
    case 8:
      return average(top_left, top);
    case 9:
      return average(top, top_right);
    case 10:
      return average(average(left, top_left), average(top, top_right));
    case 11:
      return select(top, left, top_left);
    case 12:
      return each_channel(
          [&](int s) { return channel(left, s) + channel(top, s) - channel(top_left, s); });
    case 13: {
      const Argb mean = average(left, top);
      return each_channel(
          [&](int s) { return channel(mean, s) + (channel(mean, s) - channel(top_left, s)) / 2; });
    }
    default:
      return 0xFF000000U;
  }
}

inline void undo_predictor(const Transform& t, Argb* pixels) {
  const Index width = t.size.width, tiles = reduced(width, t.bits);
  for (Index y = 0; y < t.size.height; ++y)
    for (Index x = 0; x < width; ++x) {
      Argb* const p = pixels + y * width + x;
      Argb guess = 0xFF000000U;
      if (y == 0 && x > 0) guess = p[-1];
      if (y > 0 && x == 0) guess = p[-width];
      if (y > 0 && x > 0)
        guess = predicted(p, width, channel(t.data[(y >> t.bits) * tiles + (x >> t.bits)], 8) & 15);
      *p = add(*p, guess);
    }
}

// A product with a signed factor in units of 1/32.
constexpr int scaled(int factor, int value) {
  const int f = factor < 128 ? factor : factor - 256, v = value < 128 ? value : value - 256;
  return (f * v) >> 5;
}

inline void undo_color(const Transform& t, Argb* pixels) {
  const Index width = t.size.width, tiles = reduced(width, t.bits);
  for (Index y = 0; y < t.size.height; ++y)
    for (Index x = 0; x < width; ++x) {
      Argb& p = pixels[y * width + x];
      const Argb m = t.data[(y >> t.bits) * tiles + (x >> t.bits)];
      const int green = channel(p, 8);
      const int red = (channel(p, 16) + scaled(channel(m, 0), green)) & 255;
      const int blue =
          (channel(p, 0) + scaled(channel(m, 8), green) + scaled(channel(m, 16), red)) & 255;
      p = (p & 0xFF00FF00U) | static_cast<Argb>(red) << 16 | static_cast<Argb>(blue);
    }
}

inline void undo_subtract_green(const Transform& t, Argb* pixels) {
  for (Index i = 0; i < t.size.height * t.size.width; ++i) {
    const Argb green = pixels[i] >> 8 & 255U;
    pixels[i] = add(pixels[i], green << 16 | green);
  }
}

// With a small palette one green value holds several pixels.
inline void undo_palette(const Transform& t, const Argb* packed, Argb* pixels) {
  const Index packed_width = reduced(t.size.width, t.bits);
  const int bits = 8 >> t.bits;
  for (Index y = 0; y < t.size.height; ++y)
    for (Index x = 0; x < t.size.width; ++x) {
      const int byte = channel(packed[y * packed_width + (x >> t.bits)], 8);
      const int shift = static_cast<int>(x & ((Index{1} << t.bits) - 1)) * bits;
      pixels[y * t.size.width + x] = t.data[byte >> shift & ((1 << bits) - 1)];
    }
}

template <class Memory>
bool read_palette(Decoder<Memory>& d, Transform& t, Size& size) {
  const int colors = d.in.read(8) + 1;
  t.bits = colors > 16 ? 0 : colors > 4 ? 1 : colors > 2 ? 2 : 3;
  size.width = reduced(t.size.width, t.bits);
  const Argb* const differences = read_image(d, Size{1, colors}, false);
  t.data = take_zeroed<Argb>(*d.memory, 256);
  if (t.data == nullptr) d.status = Status::out_of_memory;
  if (differences == nullptr || t.data == nullptr) return false;
  for (int i = 0; i < colors; ++i)
    t.data[i] = i == 0 ? differences[0] : add(differences[i], t.data[i - 1]);
  return true;
}

// size: of the image as coded so far, which a palette makes narrower.
template <class Memory>
bool read_transform(Decoder<Memory>& d, Transform& t, Size& size) {
  t.size = size;
  t.bits = 0;
  t.data = nullptr;
  t.kind = static_cast<Transform::Kind>(d.in.read(2));
  if (t.kind == Transform::subtract_green) return true;
  if (t.kind == Transform::palette) return read_palette(d, t, size);
  t.bits = 2 + d.in.read(3);
  t.data = read_image(d, Size{reduced(size.height, t.bits), reduced(size.width, t.bits)}, false);
  return t.data != nullptr;
}

template <class Memory>
Argb* decode_pixels(Decoder<Memory>& d, Size size) {
  Transform transform[4];
  int count = 0;
  while (d.in.read(1) != 0) {
    if (count == 4 || !read_transform(d, transform[count], size)) return nullptr;
    for (int i = 0; i < count; ++i)
      if (transform[i].kind == transform[count].kind) return nullptr;
    ++count;
  }
  Argb* pixels = read_image(d, size, true);
  while (count > 0 && pixels != nullptr) {
    const Transform& t = transform[--count];
    if (t.kind == Transform::predictor) undo_predictor(t, pixels);
    if (t.kind == Transform::color) undo_color(t, pixels);
    if (t.kind == Transform::subtract_green) undo_subtract_green(t, pixels);
    if (t.kind != Transform::palette) continue;
    Argb* const wide = d.template allocate<Argb>(t.size.height * t.size.width);
    if (wide != nullptr) undo_palette(t, pixels, wide);
    pixels = wide;
  }
  return pixels;
}

inline bool read_extents(const Bytes& in, Extents& extents) {
  if (!in.has(0, 5) || in.u8(0) != 0x2F || in.u8(4) >> 5 != 0) return false;
  const std::uint32_t bits = in.le32(1);
  extents = {static_cast<Index>(bits >> 14 & 0x3FFFU) + 1, static_cast<Index>(bits & 0x3FFFU) + 1};
  return is_sensible(extents.height, extents.width);
}

template <class Memory>
Status decode(const Bytes& in, const Sink& out, Index top, Index left, Memory& memory) {
  Extents extents;
  if (!read_extents(in, extents)) return Status::bad_value;
  Decoder<Memory> d{{in.part(5, in.size - 5)}, &memory, make<Scratch>(memory)};
  if (d.scratch == nullptr) return Status::out_of_memory;
  const Argb* const pixels = decode_pixels(d, Size{extents.height, extents.width});
  if (pixels == nullptr) return d.status;
  for (Index y = 0; y < extents.height; ++y)
    for (Index x = 0; x < extents.width; ++x) {
      const Argb p = pixels[y * extents.width + x];
      if (out.inside(top + y, left + x))
        out.rgb(top + y, left + x, p >> 16 & 255U, p >> 8 & 255U, p & 255U);
    }
  return Status::ok;
}

}  // namespace image::vp8l

}  // namespace onnxc
