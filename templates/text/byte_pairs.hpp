// byte_pairs.hpp - the pieces of a word by byte pair encoding.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/pair_merges.hpp"
#include "templates/text/prefix_tree.hpp"

namespace onnxc {

// The vocabulary; bytes: the piece of each byte, -1 where there is none. Where pieces of bytes have
// a mark at the end of a word, the pieces of bytes with that mark come after those.
struct PairModel {
  PrefixTree words;
  PairRules rules;
  const std::int32_t* bytes;
};

// Numbers of memory for the pieces of a word and for merging them.
template <class N>
constexpr N byte_pairs_scratch(N bytes) {
  return bytes + merge_pairs_scratch(bytes);
}

namespace byte_pairs_detail {

// Characters as the vocabulary has them, else as their bytes, else as the unknown piece; one that
// is known in no way is left out.
template <class S>
std::int32_t first_pieces(S s, const PairModel& model, const Text& word, std::int32_t* ids) {
  std::int32_t count = 0;
  const char* const end = word.data + word.size;
  for (const char* p = word.data; p < end;) {
    const Index bytes = code_point_at(p, end).bytes;
    std::int32_t node = p == word.data ? 0 : node_of(model.words, 0, s.inner_prefix());
    node = node_of(model.words, node, Text{p, bytes});
    if (p + bytes == end) node = node_of(model.words, node, s.word_end());
    const std::int32_t id = node < 0 ? -1 : model.words.value[node];
    bool known = s.byte_fallback;
    for (Index i = 0; i < bytes; ++i)
      known = known && model.bytes[static_cast<std::uint8_t>(p[i])] >= 0;
    if (id >= 0) {
      ids[count++] = id;
    } else if (known) {
      for (Index i = 0; i < bytes; ++i) ids[count++] = model.bytes[static_cast<std::uint8_t>(p[i])];
    } else if (s.unknown >= 0 && !(s.fuse_unknown && count > 0 && ids[count - 1] == s.unknown)) {
      ids[count++] = static_cast<std::int32_t>(s.unknown);
    }
    p += bytes;
  }
  return count;
}

}  // namespace byte_pairs_detail

// Writes the pieces of a word to ids, which has room for byte_pairs_scratch(bytes) numbers, and
// returns how many they are.  s: by_bytes (whether pieces begin as bytes or as characters),
// whole_words (whether a word of the vocabulary is one piece whatever the rules say), unknown,
// fuse_unknown, byte_fallback, inner_prefix(), word_end().
template <class S>
std::int32_t byte_pairs(S s, const PairModel& model, const Text& word, std::int32_t* ids) {
  if (s.whole_words) {
    ids[0] = number_of(model.words, word);
    if (ids[0] >= 0) return 1;
  }
  std::int32_t count = 0;
  if (s.by_bytes) {
    const bool has_mark = s.word_end().size > 0;
    for (std::int64_t i = 0; i < word.size; ++i) {
      const Index table = has_mark && i + 1 == word.size ? 256 : 0;
      const std::int32_t id = model.bytes[table + static_cast<std::uint8_t>(word.data[i])];
      if (id >= 0) ids[count++] = id;
    }
  } else {
    count = byte_pairs_detail::first_pieces(s, model, word, ids);
  }
  return merge_pairs(model.rules, ids, count, ids + word.size);
}

}  // namespace onnxc
