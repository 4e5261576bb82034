// rewrite.hpp - steps that change a text before it is divided. Each writes to memory of the caller
// and returns where it ended.
#pragma once

#include <cstring>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/letter_case.hpp"
#include "templates/text/regex_full_match.hpp"

namespace onnxc {

// As a regular expression has it: bits of the first characters, then ranges.
struct CharacterSet {
  const std::int32_t* words;
  Index ranges;
};
inline bool contains(const CharacterSet& set, std::int32_t c) {
  return regex_detail::in_set(set.words, set.ranges, c);
}

inline char* write_text(const Text& x, char* to) {
  if (x.size > 0) std::memcpy(to, x.data, static_cast<std::size_t>(x.size));
  return to + x.size;
}

// Small letters; takes up to twice the bytes.
inline char* write_small_letters(const Text& x, char* to) {
  each_character(x, [&](std::int32_t c, const Text&) {
    if (c == 0x130) {  // the only one with two characters
      *to++ = 'i';
      c = 0x307;
    } else {
      c = to_lower(c);
    }
    to = put_code_point(to, c);
  });
  return to;
}

// Without the characters of a set.
inline char* write_without(const Text& x, const CharacterSet& set, char* to) {
  each_character(x, [&](std::int32_t c, const Text& bytes) {
    if (!contains(set, c)) to = write_text(bytes, to);
  });
  return to;
}

// Blanks for white space; no characters of the set, no replacement characters.
inline char* write_clean(const Text& x, const CharacterSet& control, char* to) {
  each_character(x, [&](std::int32_t c, const Text& bytes) {
    if (c == 0 || c == 0xFFFD) return;
    if (is_white_space(c))
      *to++ = ' ';
    else if (!contains(control, c))
      to = write_text(bytes, to);
  });
  return to;
}

// The blocks of CJK characters that BERT takes as words.
inline bool is_ideograph(std::int32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
         (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B820 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

// Ideographs between blanks; takes up to twice the bytes.
inline char* write_separated(const Text& x, char* to) {
  each_character(x, [&](std::int32_t c, const Text& bytes) {
    const bool separate = is_ideograph(c);
    if (separate) *to++ = ' ';
    to = write_text(bytes, to);
    if (separate) *to++ = ' ';
  });
  return to;
}

// `by` in place of `from`, which is not empty.
inline char* write_replaced(const Text& x, const Text& from, const Text& by, char* to) {
  for (std::int64_t i = 0; i < x.size;) {
    const bool here = x.size - i >= from.size && Text{x.data + i, from.size} == from;
    to = here ? write_text(by, to) : write_text(Text{x.data + i, 1}, to);
    i += here ? from.size : 1;
  }
  return to;
}

// `first` followed by the text.
inline char* write_prefixed(const Text& first, const Text& x, char* to) {
  return write_text(x, write_text(first, to));
}

inline bool begins_with(const Text& x, const Text& first) {
  return x.size >= first.size && Text{x.data, first.size} == first;
}

// Without the white space at its ends.
inline Text stripped(Text x, bool left, bool right) {
  const char *begin = x.data, *end = x.data, *const stop = x.data + x.size;
  bool any = false;
  for (const char* p = x.data; p < stop;) {
    const CodePoint c = code_point_at(p, stop);
    if (!is_white_space(c.value)) {
      if (!any) begin = p;
      any = true;
      end = p + c.bytes;
    }
    p += c.bytes;
  }
  if (!left) begin = x.data;
  if (!right) end = stop;
  if (!any) return {x.data, 0};
  return {begin, end - begin};
}

}  // namespace onnxc
