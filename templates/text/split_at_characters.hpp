// split_at_characters.hpp - splits strings at any of some bytes, as a sparse matrix.
#pragma once

#include <cstring>

#include "runtime_min/text.hpp"

namespace onnxc {

namespace split_at_characters_detail {

// Calls f(row, column, part). Without separators each byte is a part; an empty string has none.
template <class S, class F>
void each_part(S s, const Text* x, const Text& separators, bool skip_empty, F f) {
  for (Index row = 0; row < s.rows; ++row) {
    if (x[row].size == 0) continue;
    std::int64_t begin = 0, column = 0;
    for (std::int64_t i = 0; i <= x[row].size; ++i) {
      const bool at_end = i == x[row].size;
      if (separators.size == 0) {
        if (!at_end) f(row, column++, Text{x[row].data + i, 1});
        continue;
      }
      if (!at_end && std::memchr(separators.data, x[row].data[i],
                                 static_cast<std::size_t>(separators.size)) == nullptr)
        continue;
      if (i > begin || !skip_empty) f(row, column++, Text{x[row].data + begin, i - begin});
      begin = i + 1;
    }
  }
}

}  // namespace split_at_characters_detail

// The number of parts.  s: rows.
template <class S>
void split_at_characters_extents(S s, const Text* x, const Text* separators, const bool* skip_empty,
                                 Index* extents) {
  extents[0] = 0;
  split_at_characters_detail::each_part(s, x, *separators, *skip_empty,
                                        [&](Index, std::int64_t, const Text&) { ++extents[0]; });
}

// x: [rows]; places: [parts, 2] row and column of each part; y: [parts]; shape: rows and the most
// columns.  s: rows.
template <class S>
void split_at_characters(S s, const Text* x, const Text* separators, const bool* skip_empty,
                         std::int64_t* places, Text* y, std::int64_t* shape) {
  std::int64_t columns = 0;
  Index count = 0;
  const auto keep = [&](Index row, std::int64_t column, const Text& part) {
    if (places != nullptr) {
      places[2 * count] = row;
      places[2 * count + 1] = column;
    }
    if (y != nullptr) y[count] = part;
    ++count;
    if (column >= columns) columns = column + 1;
  };
  split_at_characters_detail::each_part(s, x, *separators, *skip_empty, keep);
  if (shape == nullptr) return;
  shape[0] = s.rows;
  shape[1] = columns;
}

}  // namespace onnxc
