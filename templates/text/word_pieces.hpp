// word_pieces.hpp - splits words into the longest pieces of a vocabulary.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/prefix_tree.hpp"

namespace onnxc {

inline std::int64_t count_characters(const Text& x) {
  std::int64_t count = 0;
  for (const char *p = x.data, *end = p + x.size; p < end; ++count)
    p += code_point_at(p, end).bytes;
  return count;
}

// Calls f(number, piece) for the pieces of a word; those after the first are looked up after
// `prefix`. False where the rest of the word begins with no piece, after those before it.
template <class F>
bool each_word_piece(const PrefixTree& tree, const Text& prefix, const Text& word, F f) {
  const std::int32_t inner = node_of(tree, 0, prefix);
  for (std::int64_t done = 0; done < word.size;) {
    const Text rest{word.data + done, word.size - done};
    const LongestPrefix piece = longest_prefix(tree, done == 0 ? 0 : inner, rest);
    if (piece.value < 0) return false;
    f(piece.value, Text{rest.data, piece.bytes});
    done += piece.bytes;
  }
  return true;
}

}  // namespace onnxc
