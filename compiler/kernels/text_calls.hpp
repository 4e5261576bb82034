// text_calls.hpp - shapes passed to the kernels of this folder; the members are documented with the
// kernels.
#pragma once

#include "compiler/kernels/shape_struct.hpp"

namespace onnxc {

template <class N>
struct BertWordsShape {
  bool lower, strip_accents, han, punctuation, remove_control;
};

template <class N>
struct BertTokensShape {
  N count, most, begin, end, unknown, longest_word;
  bool words, lower, strip_accents, han, punctuation, remove_control;
};

template <class N>
struct BytePairTokensShape {
  N count, width, steps, padded, begin, end, padding;
};

template <class N>
struct JoinPiecesShape {
  N rows, columns, entries;
  bool skip_special, blanks;
};

template <class N>
struct JoinWordsShape {
  N rows, columns, entries;
  bool skip_special, clean;
};

template <class N>
struct RegexFullMatchShape {
  N count, steps;
};

template <class N>
struct RegexReplaceShape {
  N count, steps, parts;
  bool all;
};

template <class N>
struct SplitTokensExtentsShape {
  N count, programs, steps, least;
  bool characters, matched, mark;
};

template <class N>
struct SplitTokensShape {
  N count, programs, steps, least, width;
  bool characters, matched, mark;
};

template <class N>
struct SplitAtCharactersShape {
  N rows;
};

template <class N>
struct StringCaseShape {
  N count;
  bool upper;
};

template <class N>
struct StringConcatShape {
  N rank, count;
  ListOf<N> dims, strides;
};

template <class N>
struct StringJoinShape {
  N outer, joined, inner;
};

template <class N>
struct StringNormalizerExtentsShape {
  N count, stop_words;
  bool case_sensitive;
};

template <class N>
struct StringNormalizerShape {
  N count, stop_words;
  bool case_sensitive, upper, lower;
};

template <class N>
struct StringSplitExtentsShape {
  N count, max_splits;
};

template <class N>
struct StringSplitShape {
  N count, width, max_splits;
};

template <class N>
struct StringTableShape {
  N count, entries, width;
};

template <class N>
struct TfIdfShape {
  N rows, columns, width, grams, least, most, max_skips;
  bool binary;
  ListOf<N> begin, token_begin;
};

template <class N>
struct WordPieceRowsShape {
  N count, rows, unknown, longest_word;
};

}  // namespace onnxc
