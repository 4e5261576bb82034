// word_pieces.hpp - splits words into the longest pieces of a vocabulary.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/prefix_tree.hpp"

namespace onnxc {

// Calls f(number) for the pieces of a word; those after the first are looked up after `prefix`.
// False for a word of more than s.longest_word characters, and, after the pieces before it, where
// the rest of the word begins with none.
template <class S, class F>
bool each_word_piece(S s, const PrefixTree& tree, const Text& prefix, const Text& word, F f) {
  if (count_characters(word) > s.longest_word) return false;
  const std::int32_t inner = node_of(tree, 0, prefix);
  for (std::int64_t done = 0; done < word.size;) {
    const Text rest{word.data + done, word.size - done};
    const LongestPrefix piece = longest_prefix(tree, done == 0 ? 0 : inner, rest);
    if (piece.value < 0) return false;
    f(piece.value);
    done += piece.bytes;
  }
  return true;
}

// The same; an unknown word or rest is one unknown piece.  s: longest_word, unknown.
template <class S, class F>
void each_piece_or_unknown(S s, const PrefixTree& tree, const Text& prefix, const Text& word, F f) {
  if (!each_word_piece(s, tree, prefix, word, f)) f(static_cast<std::int32_t>(s.unknown));
}

}  // namespace onnxc
