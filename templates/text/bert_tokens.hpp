// bert_tokens.hpp - texts as token ids of BERT: words, pieces of words, special ones around them.
#pragma once

#include <cstdint>
#include <limits>

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/bert_words.hpp"
#include "templates/text/word_pieces.hpp"

namespace onnxc {

namespace bert_tokens_detail {

// The token ids of x without special ones. Words between blanks without `s.words`.
template <class S, class F>
Status each_token(S s, const Text& x, const BertTables& tables, const PrefixTree& vocabulary,
                  const Text& prefix, Heap& heap, F f) {
  if (s.words)
    return each_bert_word(s, tables, x, heap, [&](const Text& word) {
      each_piece_or_unknown(s, vocabulary, prefix, word, f);
    });
  Text word{x.data, 0};
  for (std::int64_t i = 0; i <= x.size; ++i) {
    const bool blank = i < x.size && x.data[i] == ' ' && word.size > 0;
    if (i < x.size && !blank) {
      ++word.size;
      continue;
    }
    if (word.size > 0) each_piece_or_unknown(s, vocabulary, prefix, word, f);
    word = {x.data + i + 1, 0};
  }
  return Status::ok;
}

// Calls f(number, text) for all of up to two texts.
template <class S, class F>
Status each_of_all(S s, const Text* x, const BertTables& tables, const PrefixTree& vocabulary,
                   const Text& prefix, Heap& heap, F f) {
  f(static_cast<std::int32_t>(s.begin), 0);
  for (Index text = 0; text < s.count; ++text) {
    std::int64_t left =
        s.count == 1 && s.most > 0 ? s.most : std::numeric_limits<std::int64_t>::max();
    const auto keep = [&](std::int32_t id) {
      if (left-- > 0) f(id, text);
    };
    const Status status = each_token(s, x[text], tables, vocabulary, prefix, heap, keep);
    if (status != Status::ok) return status;
    f(static_cast<std::int32_t>(s.end), text);
  }
  return Status::ok;
}

}  // namespace bert_tokens_detail

// x: [count] one or two strings. extents: how many numbers they become.
// s: count, most (of one text; 0: any), begin, end, unknown, longest_word, words, and what
// each_bert_word takes.
template <class S>
Status bert_tokens_extents(S s, const Text* x, BertTables tables, PrefixTree vocabulary,
                           const Text* prefix, Heap& heap, Index* extents) {
  extents[0] = 0;
  return bert_tokens_detail::each_of_all(s, x, tables, vocabulary, *prefix, heap,
                                         [&](std::int32_t, Index) { ++extents[0]; });
}

// ids: the numbers; types: 0 for those of the first text, 1 for the second; mask: ones. Each may be
// null.
template <class S>
Status bert_tokens(S s, const Text* x, BertTables tables, PrefixTree vocabulary, const Text* prefix,
                   std::int64_t* ids, std::int64_t* types, std::int64_t* mask, Heap& heap) {
  Index at = 0;
  const auto keep = [&](std::int32_t id, Index text) {
    if (ids != nullptr) ids[at] = id;
    if (types != nullptr) types[at] = text;
    if (mask != nullptr) mask[at] = 1;
    ++at;
  };
  return bert_tokens_detail::each_of_all(s, x, tables, vocabulary, *prefix, heap, keep);
}

}  // namespace onnxc
