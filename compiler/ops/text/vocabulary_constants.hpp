// Tables of tokenizers as constants of a program.
#pragma once

#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/vocabulary.hpp"

namespace onnxc::ops {

BufferId integers(Lower& n, const std::vector<std::int32_t>& values, const std::string& role);

// The texts of the pieces of a vocabulary, one more for unknown numbers; PieceBits of each.
struct PieceTexts {
  std::vector<std::string> texts;
  std::vector<std::uint8_t> bits;
};
// Adds both to the arguments of a call.
void add_pieces(Lower& n, Call& call, PieceTexts pieces);

// Adds a PrefixTree to the arguments of a call.
void add_tree(Lower& n, Call& call, const PrefixTreeTables& tree);

// Adds a PrefixTree of the words, and the mark before pieces inside of a word.
void add_word_pieces(Lower& n, Call& call, const Vocabulary& words, const std::string& mark);

}  // namespace onnxc::ops
