// The rules of SentencePiece's normalizers, as tokenizer.json holds them in a "Precompiled" one.
#pragma once

#include "compiler/tokenizer/json_fields.hpp"

namespace onnxc::ops {

// `field` is the member precompiled_charsmap: base64 of the bytes of a trie, little-endian, the
// trie itself, a double array of words, and the texts, each with a zero byte after it. Of rules of
// which one begins like another, the shorter one alone: no text gets to the longer one.
TextRules read_precompiled_map(const TokenizerField& field);

// Characters by which texts divide into those that readers see (Unicode Annex 29), as far as that
// matters for clusters of less than 6 bytes: flags and emoji are longer.
struct ClusterSets {
  CharacterSetTable joins;  // belong to what is before them
  CharacterSetTable leads;  // belong to what is after them
  CharacterSetTable alone;  // stand alone
};
ClusterSets cluster_sets();

}  // namespace onnxc::ops
