// What maps words to token ids: of tokenizer.json, and of operators that tokenize.
#pragma once

#include <map>
#include <optional>

#include "compiler/ops/text/vocabulary.hpp"

namespace onnxc::ops {

// The numbers of the pieces of a vocabulary.
using PieceNumbers = std::map<std::string, std::int32_t>;

struct TokenModel {
  enum class Kind : std::uint8_t { pairs, word_pieces, words, unigram };
  Kind kind = Kind::pairs;
  Vocabulary words;
  std::vector<PairRule> rules;
  std::vector<std::int32_t> bytes = std::vector<std::int32_t>(256, -1);  // see byte_pairs.hpp
  std::vector<double> scores;
  std::string inner_prefix, word_end;
  std::int64_t unknown = -1, longest_word = 100;
  bool by_bytes = false, whole_words = false, byte_fallback = false, fuse_unknown = false;

  // Makes `words` and `bytes` of a vocabulary whose pieces consist of characters that stand for
  // bytes. Bytes without a piece are -1.
  void set_byte_pieces(const PieceNumbers& numbers);
  // Adds the rule for a pair. fail(piece), for one that the vocabulary lacks, throws.
  template <class Fail>
  void add_rule(const std::string& left, const std::string& right, const PieceNumbers& numbers,
                Fail fail) {
    const bool inner = right.starts_with(inner_prefix);
    std::int32_t found[3];
    std::size_t i = 0;
    for (const std::string& piece :
         {left, right, left + (inner ? right.substr(inner_prefix.size()) : right)}) {
      const auto number = numbers.find(piece);
      if (number == numbers.end()) fail(piece);
      found[i++] = number->second;
    }
    rules.push_back({found[0], found[1], found[2]});
  }
  PairRuleTables rule_tables() const;
};

// Bytes for the characters that stand for them; false where one stands for none.
bool as_bytes(const std::string& piece, std::string& bytes);
// <0x41>: a byte.
std::optional<std::uint8_t> byte_of(const std::string& piece);

}  // namespace onnxc::ops
