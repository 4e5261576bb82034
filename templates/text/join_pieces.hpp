// join_pieces.hpp - token ids of a vocabulary as text.
#pragma once

#include <cstring>

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/piece_bits.hpp"
#include "templates/text/rewrite.hpp"

namespace onnxc {

namespace join_pieces_detail {

// Calls f(part) for the parts of the text of a row.
template <class S, class F>
void each_part(S s, const std::int64_t* ids, const Text* pieces, const std::uint8_t* bits, F f) {
  bool after_special = false;
  for (Index i = 0; i < s.columns; ++i) {
    const bool known = ids[i] >= 0 && ids[i] < s.entries;
    const bool special = known && (bits[ids[i]] & kSpecialPiece) != 0;
    if (s.skip_special && (special || !known)) {
      after_special = after_special || special;
      continue;
    }
    if (s.blanks && special && i > 0 && !after_special) f(text(" "));
    f(pieces[known ? ids[i] : s.entries]);
    if (s.blanks && special && i + 1 < s.columns) f(text(" "));
    after_special = special;
  }
}

// Calls f(part) for words and the blanks between them.
template <class S, class F>
void each_word(S s, const std::int64_t* ids, Index count, const Text* pieces,
               const std::uint8_t* bits, F f) {
  bool any = false, blank = false;
  for (Index i = 0; i < count; ++i) {
    const bool known = ids[i] >= 0 && ids[i] < s.entries;
    const int kind = known ? bits[ids[i]] : kBlankBefore | kBlankAfter;
    if (s.skip_special && (kind & kSpecialPiece) != 0) continue;
    if (!any && (kind & kInnerPiece) != 0) continue;
    const bool separate = !known || !s.clean || (blank && (kind & kBlankBefore) != 0);
    if (any && (kind & kInnerPiece) == 0 && separate) f(text(" "));
    f(pieces[known ? ids[i] : s.entries]);
    any = true;
    if (known) blank = (kind & kBlankAfter) != 0;
  }
}

// Writes the rows that `each(row, f)` gives in parts.
template <class F>
Status write_rows(Index rows, Text* y, Heap& heap, F each) {
  Extent bytes = 1;
  for (Index i = 0; i < rows; ++i) each(i, [&](const Text& part) { bytes = bytes + part.size; });
  char* to = static_cast<char*>(heap.allocate(bytes));
  if (to == nullptr) return Status::out_of_memory;
  for (Index i = 0; i < rows; ++i) {
    char* const start = to;
    each(i, [&](const Text& part) { to = write_text(part, to); });
    y[i] = {start, to - start};
  }
  return Status::ok;
}

}  // namespace join_pieces_detail

// ids: [rows, columns], pieces: [entries + 1], the last for other numbers; bits: [entries]; y:
// [rows]. s: rows, columns, entries, skip_special, blanks.
template <class S>
Status join_pieces(S s, const std::int64_t* ids, const Text* pieces, const std::uint8_t* bits,
                   Text* y, Heap& heap) {
  return join_pieces_detail::write_rows(s.rows, y, heap, [&](Index row, auto f) {
    join_pieces_detail::each_part(s, ids + row * s.columns, pieces, bits, f);
  });
}

// ids: [columns]; ranges: [rows, 2] of them, or null: one text of all. y: [rows].
// s: rows, columns, entries, skip_special, clean.
template <class S>
Status join_words(S s, const std::int64_t* ids, const std::int64_t* ranges, const Text* pieces,
                  const std::uint8_t* bits, Text* y, Heap& heap) {
  for (Index row = 0; ranges != nullptr && row < s.rows; ++row)
    if (ranges[2 * row] < 0 || ranges[2 * row] > ranges[2 * row + 1] ||
        ranges[2 * row + 1] > s.columns)
      return Status::bad_index;
  return join_pieces_detail::write_rows(s.rows, y, heap, [&](Index row, auto f) {
    const std::int64_t begin = ranges != nullptr ? ranges[2 * row] : 0;
    const std::int64_t end = ranges != nullptr ? ranges[2 * row + 1] : s.columns;
    join_pieces_detail::each_word(s, ids + begin, static_cast<Index>(end - begin), pieces, bits, f);
  });
}

}  // namespace onnxc
