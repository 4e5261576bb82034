// character_map.hpp - characters, and clusters of them, replaced by rules. Clusters are those of
// Unicode Annex 29, but for flags and emoji.
#pragma once

#include "templates/text/prefix_tree.hpp"
#include "templates/text/rewrite.hpp"

namespace onnxc {

// The text of rule k is [begin[k], begin[k + 1]) of `texts`. No key begins like another one.
struct CharacterMap {
  PrefixTree keys;
  const std::int32_t* begin;
  const std::uint8_t* texts;
  // Characters that belong to what is before them, that belong to what is after them, that are
  // alone.
  CharacterSet joins, leads, alone;
};

// Where Hangul syllables go on: L, V, T, and those made of L and V or of all three.
enum class HangulPart : std::uint8_t { none, l, v, t, lv, lvt };
inline HangulPart hangul_part(std::int32_t c) {
  const auto within = [c](std::int32_t first, std::int32_t last) {
    return first <= c && c <= last;
  };
  if (within(0xAC00, 0xD7A3)) return (c - 0xAC00) % 28 == 0 ? HangulPart::lv : HangulPart::lvt;
  if (within(0x1100, 0x115F) || within(0xA960, 0xA97C)) return HangulPart::l;
  if (within(0x1160, 0x11A7) || within(0xD7B0, 0xD7C6)) return HangulPart::v;
  if (within(0x11A8, 0x11FF) || within(0xD7CB, 0xD7FB)) return HangulPart::t;
  return HangulPart::none;
}
inline bool is_one_syllable(HangulPart a, HangulPart b) {
  if (a == HangulPart::l) return b != HangulPart::none && b != HangulPart::t;
  if (a == HangulPart::lv || a == HangulPart::v) return b == HangulPart::v || b == HangulPart::t;
  return (a == HangulPart::lvt || a == HangulPart::t) && b == HangulPart::t;
}

// Whether a reader sees one character in two that follow each other.
inline bool is_one_cluster(const CharacterMap& map, std::int32_t a, std::int32_t b) {
  if (a == '\r' && b == '\n') return true;
  if (contains(map.alone, a) || contains(map.alone, b)) return false;
  return contains(map.joins, b) || contains(map.leads, a) ||
         is_one_syllable(hangul_part(a), hangul_part(b));
}

// The first cluster of a text that is not empty.
inline Text first_cluster(const CharacterMap& map, const Text& x) {
  const char* const end = x.data + x.size;
  CodePoint c = code_point_at(x.data, end);
  const char* p = x.data + c.bytes;
  while (p < end) {
    const CodePoint next = code_point_at(p, end);
    if (!is_one_cluster(map, c.value, next.value)) break;
    p += next.bytes;
    c = next;
  }
  return {x.data, p - x.data};
}

// The rule whose key x begins with, -1 where there is none.
inline std::int32_t rule_of(const CharacterMap& map, const Text& x) {
  return longest_prefix(map.keys, 0, x).value;
}

inline char* write_rule(const CharacterMap& map, std::int32_t rule, char* to) {
  for (std::int32_t i = map.begin[rule]; i < map.begin[rule + 1]; ++i)
    *to++ = static_cast<char>(map.texts[i]);
  return to;
}

// As tokenizers have it: a cluster of less than 6 bytes that begins with a key becomes the text of
// the rule, all of it; of other clusters, each character.
inline char* write_mapped(Text x, const CharacterMap& map, char* to) {
  while (x.size > 0) {
    const Text cluster = first_cluster(map, x);
    const std::int32_t whole = cluster.size < 6 ? rule_of(map, cluster) : -1;
    if (whole >= 0) {
      to = write_rule(map, whole, to);
    } else {
      each_character(cluster, [&](std::int32_t, const Text& c) {
        const std::int32_t rule = rule_of(map, c);
        to = rule >= 0 ? write_rule(map, rule, to) : write_text(c, to);
      });
    }
    x = {cluster.data + cluster.size, x.size - cluster.size};
  }
  return to;
}

}  // namespace onnxc
