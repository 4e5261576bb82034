// tf_idf.hpp - counts the n-grams of a pool in sequences of numbers or strings.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

namespace tf_idf_detail {

// Order of the n-gram in x, every `step`-th element, against one of the pool.
template <class T, class P>
int compare(const T* x, Index step, const P* gram, Index n) {
  for (Index k = 0; k < n; ++k) {
    const auto token = static_cast<P>(x[k * step]);
    if (token < gram[k]) return -1;
    if (gram[k] < token) return 1;
  }
  return 0;
}

// Counts every n-gram of the pool that equals the one in x. The pool's n-grams of length n are
// first .. last and sorted.
template <class T, class P>
void count_gram(const T* x, Index step, const P* tokens, Index n, Index first, Index last,
                std::int64_t* counts) {
  Index low = first, high = last;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (compare(x, step, tokens + (middle - first) * n, n) > 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < last && compare(x, step, tokens + (low - first) * n, n) == 0; ++low) ++counts[low];
}

}  // namespace tf_idf_detail

// x: [rows, columns], y: [rows, width]. Of the pool's n-grams, those of length n are numbers
// begin[n - 1] .. begin[n], their tokens start at tokens[token_begin[n - 1]]; places: the column of
// y that it counts in, weights: its weight. counts: [grams].
// s: rows, columns, width, grams, least, most (lengths), max_skips, binary, begin, token_begin.
template <class S, class T, class P>
void tf_idf(S s, const T* x, const P* tokens, const std::int64_t* places, const float* weights,
            float* y, std::int64_t* counts) {
  for (Index row = 0; row < s.rows; ++row, x += s.columns, y += s.width) {
    for (Index g = 0; g < s.grams; ++g) counts[g] = 0;
    for (Index n = s.least; n <= s.most; ++n) {
      const Index first = s.begin[n - 1], last = s.begin[n];
      // A single element has nothing to skip.
      const Index max_step = n == 1 ? 1 : s.max_skips + 1;
      for (Index step = 1; step <= max_step && first < last; ++step) {
        const Index starts = s.columns - (n - 1) * step;
        if (starts <= 0) break;
        for (Index i = 0; i < starts; ++i)
          tf_idf_detail::count_gram(x + i, step, tokens + s.token_begin[n - 1], n, first, last,
                                    counts);
      }
    }
    for (Index k = 0; k < s.width; ++k) y[k] = 0.0f;
    for (Index g = 0; g < s.grams; ++g) {
      if (counts[g] == 0) continue;
      y[places[g]] += weights[g] * (s.binary ? 1.0f : static_cast<float>(counts[g]));
    }
  }
}

}  // namespace onnxc
