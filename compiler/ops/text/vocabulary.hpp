// Vocabularies and rules of tokenizers as the tables that kernels read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace onnxc::ops {

using Vocabulary = std::vector<std::pair<std::string, std::int32_t>>;

// See templates/text/prefix_tree.hpp. Of equal strings the last counts; empty ones do not.
struct PrefixTreeTables {
  std::vector<std::int32_t> child;
  std::vector<std::uint8_t> byte;
  std::vector<std::int32_t> value;
};
PrefixTreeTables prefix_tree(Vocabulary words);

// A rule of byte pair encoding; its rank is its place.
struct PairRule {
  std::int32_t left, right, joined;
};

// See templates/text/pair_merges.hpp; `pieces`: more than the number of any piece. Of equal rules
// the first
// counts.
struct PairRuleTables {
  std::vector<std::int32_t> begin, rules;
};
PairRuleTables pair_rules(const std::vector<PairRule>& rules, std::int32_t pieces);

// The characters that stand for the 256 bytes in vocabularies of bytes, as GPT-2 has them.
std::vector<std::string> byte_alphabet();

}  // namespace onnxc::ops
