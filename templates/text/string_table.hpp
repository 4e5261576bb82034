// string_table.hpp - looks strings up in tables, or vectors of integers that stand for strings.
#pragma once

#include "runtime_min/text.hpp"
#include "templates/text/prefix_tree.hpp"

namespace onnxc {

// x: [count], rows: [entries + 1, width], the last for strings that are not in the tree;
// y: [count, width].  s: count, entries, width.
template <class S>
void string_to_vector(S s, const Text* x, PrefixTree tree, const std::int64_t* rows,
                      std::int64_t* y) {
  for (Index i = 0; i < s.count; ++i) {
    const std::int32_t found = number_of(tree, x[i]);
    const std::int64_t* const row = rows + (found < 0 ? s.entries : Index{found}) * s.width;
    for (Index k = 0; k < s.width; ++k) y[i * s.width + k] = row[k];
  }
}

// x: [count, width], rows: [entries, width] in order, words: [entries + 1], the last for vectors
// that are not among the rows; y: [count].  s: count, entries, width.
template <class S>
void vector_to_string(S s, const std::int64_t* x, const std::int64_t* rows, const Text* words,
                      Text* y) {
  const auto order = [&](const std::int64_t* a, const std::int64_t* b) {
    for (Index k = 0; k < s.width; ++k)
      if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
  };
  for (Index i = 0; i < s.count; ++i) {
    const std::int64_t* const wanted = x + i * s.width;
    Index low = 0, high = s.entries;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (order(rows + middle * s.width, wanted) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    const bool found = low < s.entries && order(rows + low * s.width, wanted) == 0;
    y[i] = words[found ? low : s.entries];
  }
}

// x, y: [count]; words: what the strings of the tree become, others stay.  s: count.
template <class S>
void string_mapping(S s, const Text* x, PrefixTree tree, const Text* words, Text* y) {
  for (Index i = 0; i < s.count; ++i) {
    const std::int32_t found = number_of(tree, x[i]);
    y[i] = found < 0 ? x[i] : words[found];
  }
}

}  // namespace onnxc
