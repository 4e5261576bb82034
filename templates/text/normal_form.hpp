// normal_form.hpp - the normal forms of Unicode: NFC, NFD, NFKC, NFKD, by the tables given.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"

namespace onnxc {

// keys: characters that decompose, in order; the parts of key i are parts[begins[i], begins[i +
// 1]). classes: first, last, combining class; composed: first, second, what they make, in order.
struct NormalFormTable {
  const std::int32_t *keys, *begins, *parts, *classes, *composed;
  std::int32_t key_count, class_count, composed_count;  // composed_count 0: nothing is composed
};

namespace normal_form_detail {

constexpr std::int32_t kHangul = 0xAC00, kL = 0x1100, kV = 0x1161, kT = 0x11A7;
constexpr std::int32_t kVs = 21, kTs = 28, kSyllables = 19 * kVs * kTs;

// The first of `count` rows for which `before` does not hold.
template <class F>
std::int32_t first_row(std::int32_t count, F before) {
  std::int32_t low = 0, high = count;
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    if (before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

inline std::int32_t class_of(const NormalFormTable& t, std::int32_t c) {
  if (c < 0x300) return 0;
  const std::int32_t row =
      first_row(t.class_count, [&](std::int32_t i) { return t.classes[3 * i + 1] < c; });
  return row < t.class_count && t.classes[3 * row] <= c ? t.classes[3 * row + 2] : 0;
}

// Calls f for the characters that c decomposes into.
template <class F>
void each_part(const NormalFormTable& t, std::int32_t c, F f) {
  if (c >= kHangul && c < kHangul + kSyllables) {
    const std::int32_t s = c - kHangul;
    f(kL + s / (kVs * kTs));
    f(kV + s % (kVs * kTs) / kTs);
    if (s % kTs != 0) f(kT + s % kTs);
    return;
  }
  const std::int32_t row = first_row(t.key_count, [&](std::int32_t i) { return t.keys[i] < c; });
  if (c < 0xA0 || row == t.key_count || t.keys[row] != c) return f(c);
  for (std::int32_t k = t.begins[row]; k < t.begins[row + 1]; ++k) f(t.parts[k]);
}

// What two characters compose to, -1 for nothing.
inline std::int32_t composed(const NormalFormTable& t, std::int32_t a, std::int32_t b) {
  if (a >= kL && a < kL + 19 && b >= kV && b < kV + kVs)
    return kHangul + ((a - kL) * kVs + (b - kV)) * kTs;
  if (a >= kHangul && a < kHangul + kSyllables && (a - kHangul) % kTs == 0 && b > kT &&
      b < kT + kTs)
    return a + (b - kT);
  const std::int32_t row = first_row(t.composed_count, [&](std::int32_t i) {
    const std::int32_t* const pair = t.composed + 3 * i;
    return pair[0] < a || (pair[0] == a && pair[1] < b);
  });
  const std::int32_t* const pair = t.composed + 3 * row;
  return row < t.composed_count && pair[0] == a && pair[1] == b ? pair[2] : -1;
}

// A character in the low bits, its combining class above them.
constexpr std::int32_t kClassShift = 21, kPointMask = (1 << kClassShift) - 1;

// Sorts [begin, end) by class, keeping the order within one: merges, with memory for as many.
inline void sort_by_class(std::int32_t* points, Index count, std::int32_t* other) {
  for (Index width = 1; width < count; width *= 2) {
    for (Index i = 0; i < count; ++i) other[i] = points[i];
    for (Index low = 0; low < count; low += 2 * width) {
      const Index middle = low + width < count ? low + width : count;
      const Index end = middle + width < count ? middle + width : count;
      for (Index a = low, b = middle, to = low; to < end; ++to) {
        const bool second =
            a == middle || (b < end && other[b] >> kClassShift < other[a] >> kClassShift);
        points[to] = second ? other[b++] : other[a++];
      }
    }
  }
}

// The characters of x, decomposed, marks in the order of their classes. Returns how many.
inline Index decompose(const NormalFormTable& t, const Text& x, std::int32_t* points,
                       std::int32_t* other) {
  Index count = 0, marks = 0;  // where the marks at the end begin
  const char* const end = x.data + x.size;
  for (const char* p = x.data; p < end;) {
    const CodePoint c = code_point_at(p, end);
    p += c.bytes;
    each_part(t, c.value, [&](std::int32_t part) {
      const std::int32_t kind = class_of(t, part);
      if (kind == 0) sort_by_class(points + marks, count - marks, other);
      points[count++] = part | kind << kClassShift;
      if (kind == 0) marks = count;
    });
  }
  sort_by_class(points + marks, count - marks, other);
  return count;
}

// Composes in place and returns how many characters are left.
inline Index compose(const NormalFormTable& t, std::int32_t* points, Index count) {
  Index to = 0, starter = -1;
  std::int32_t last_class = -1;  // of what stays between the starter and here; -1: nothing
  for (Index i = 0; i < count; ++i) {
    const std::int32_t kind = points[i] >> kClassShift, c = points[i] & kPointMask;
    const bool blocked = last_class >= 0 && (last_class == 0 || last_class >= kind);
    const std::int32_t pair =
        starter >= 0 && !blocked ? composed(t, points[starter] & kPointMask, c) : -1;
    if (pair >= 0) {
      points[starter] = pair;
      continue;
    }
    if (kind == 0) starter = to;
    last_class = kind == 0 ? -1 : kind;
    points[to++] = points[i];
  }
  return to;
}

}  // namespace normal_form_detail

// Writes the normal form of x and returns its bytes. points: twice as many as x can have characters
// when decomposed.
inline std::int64_t write_normal_form(const NormalFormTable& t, const Text& x, std::int32_t* points,
                                      Index most, char* to) {
  using namespace normal_form_detail;
  Index count = decompose(t, x, points, points + most);
  if (t.composed_count > 0) count = compose(t, points, count);
  const char* const begin = to;
  for (Index i = 0; i < count; ++i) to = put_code_point(to, points[i] & kPointMask);
  return to - begin;
}

}  // namespace onnxc
