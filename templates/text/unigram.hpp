// unigram.hpp - the pieces of a word whose scores have the largest sum.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/prefix_tree.hpp"

namespace onnxc {

// Scores of the vocabulary, and of what it does not have.
struct UnigramModel {
  PrefixTree words;
  const double* scores;
  double unknown_score;
  const std::int32_t* bytes;  // the piece of each byte, -1 where there is none
};

// The best way to a place of the word: its score, where its last piece begins and what that is, -1
// for the unknown one.
struct UnigramPath {
  double score;
  std::int32_t begin, piece;
};

namespace unigram_detail {

inline void find_paths(const UnigramModel& model, const Text& word, UnigramPath* paths) {
  const char* const end = word.data + word.size;
  for (std::int64_t i = 0; i <= word.size; ++i) paths[i] = {0, -1, -1};
  const auto offer = [&](std::int64_t to, const UnigramPath& path) {
    if (paths[to].begin < 0 || path.score > paths[to].score) paths[to] = path;
  };
  for (const char* p = word.data; p < end;) {
    const auto begin = static_cast<std::int32_t>(p - word.data);
    const Index bytes = code_point_at(p, end).bytes;
    const double score = paths[begin].score;
    bool alone = false;  // whether the character is a piece
    std::int32_t node = 0;
    for (const char* q = p; q < end; ++q) {
      node = child_of(model.words, node, *q);
      if (node < 0) break;
      const std::int32_t piece = model.words.value[node];
      if (piece < 0) continue;
      offer(q + 1 - word.data, {score + model.scores[piece], begin, piece});
      alone = alone || q + 1 - p == bytes;
    }
    if (!alone) offer(begin + bytes, {score + model.unknown_score, begin, -1});
    p += bytes;
  }
}

}  // namespace unigram_detail

// Calls f(piece, its bytes) for the pieces in order; -1 is what the vocabulary does not have, as
// much of it as is next to each other. paths: [bytes + 1].
template <class F>
void each_unigram(const UnigramModel& model, const Text& word, UnigramPath* paths, F f) {
  unigram_detail::find_paths(model, word, paths);
  // Turns the way round: `begin` becomes where the piece ends.
  std::int32_t next = -1;
  for (auto at = static_cast<std::int32_t>(word.size); at > 0;) {
    const UnigramPath path = paths[at];
    paths[at].begin = next;
    next = at;
    at = path.begin;
  }
  for (std::int32_t begin = 0, end = next; end >= 0;) {
    const std::int32_t piece = paths[end].piece;
    std::int32_t after = paths[end].begin;
    while (piece < 0 && after >= 0 && paths[after].piece < 0) {
      end = after;
      after = paths[end].begin;
    }
    f(piece, Text{word.data + begin, end - begin});
    begin = end;
    end = after;
  }
}

}  // namespace onnxc
