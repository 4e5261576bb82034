// word_piece_rows.hpp - pieces of the words of texts, as a ragged matrix of strings.
#pragma once

#include <cstdint>

#include "runtime_min/text.hpp"
#include "templates/text/word_pieces.hpp"

namespace onnxc {

namespace word_piece_rows_detail {

// Calls f(number) for the pieces of each text and g() where a row begins: at each text, or at those
// that `rows` names. s.unknown stands for what has no pieces.
template <class S, class F, class G>
void each_piece_of_rows(S s, const Text* x, const std::int64_t* rows, const PrefixTree& vocabulary,
                        const Text& prefix, F f, G g) {
  Index row = 0;
  for (Index i = 0; i < s.count; ++i) {
    if (s.rows == 0 || (row < s.rows && rows[row] == i)) {
      g();
      ++row;
    }
    for (const char *p = x[i].data, *end = p + x[i].size; p < end;) {
      const char* stop = p;
      while (stop < end && *stop != ' ') ++stop;
      const Text word{p, stop - p};
      p = stop + 1;
      if (word.size > 0) each_piece_or_unknown(s, vocabulary, prefix, word, f);
    }
  }
}

}  // namespace word_piece_rows_detail

// extents: the counts of pieces, of rows, and of rows and one. s: count, rows (0: each text is
// one), unknown, longest_word.
template <class S>
void word_piece_rows_extents(S s, const Text* x, const std::int64_t* rows, PrefixTree vocabulary,
                             const Text* prefix, Index* extents) {
  extents[0] = extents[1] = 0;
  word_piece_rows_detail::each_piece_of_rows(
      s, x, rows, vocabulary, *prefix, [&](std::int32_t) { ++extents[0]; }, [&] { ++extents[1]; });
  extents[2] = extents[1] + 1;
}

// words: what the numbers stand for; y: [pieces]; borders: [rows + 1] where rows begin in y, and
// the end; begins, ends: [rows]. Each may be null.
template <class S>
void word_piece_rows(S s, const Text* x, const std::int64_t* rows, PrefixTree vocabulary,
                     const Text* prefix, const Text* words, Text* y, std::int64_t* borders,
                     std::int64_t* begins, std::int64_t* ends) {
  std::int64_t count = 0, row = 0;
  const auto close = [&] {
    if (borders != nullptr) borders[row] = count;
    if (ends != nullptr && row > 0) ends[row - 1] = count;
  };
  word_piece_rows_detail::each_piece_of_rows(
      s, x, rows, vocabulary, *prefix,
      [&](std::int32_t id) {
        if (y != nullptr) y[count] = words[id];
        ++count;
      },
      [&] {
        close();
        if (begins != nullptr) begins[row] = count;
        ++row;
      });
  close();
}

}  // namespace onnxc
