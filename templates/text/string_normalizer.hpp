// string_normalizer.hpp - removes stop words and changes the case of the others.
#pragma once

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/letter_case.hpp"

namespace onnxc {

namespace string_normalizer_detail {

// -1, 0, 1 as x in lower case is less than, equal to or greater than the word, which is in lower
// case.
inline int compare_lower(const Text& x, const Text& word) {
  const char *p = x.data, *p_end = p + x.size;
  const char *q = word.data, *q_end = q + word.size;
  while (p < p_end && q < q_end) {
    const CodePoint a = code_point_at(p, p_end), b = code_point_at(q, q_end);
    const std::int32_t lower = to_lower(a.value);
    if (lower != b.value) return lower < b.value ? -1 : 1;
    p += a.bytes;
    q += b.bytes;
  }
  return p < p_end ? 1 : q < q_end ? -1 : 0;
}

inline int compare_bytes(const Text& x, const Text& word) {
  return x == word ? 0 : x < word ? -1 : 1;
}

// words: [s.stop_words], sorted by the comparison.
template <class S>
bool is_stop_word(S s, const Text& x, const Text* words) {
  Index low = 0, high = s.stop_words;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    const int order =
        s.case_sensitive ? compare_bytes(x, words[middle]) : compare_lower(x, words[middle]);
    if (order == 0) return true;
    if (order > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

template <class S>
std::int32_t in_case(S s, std::int32_t c) {
  return s.upper ? to_upper(c) : s.lower ? to_lower(c) : c;
}

}  // namespace string_normalizer_detail

// How many of x: [count] stay; at least one, for an empty string where nothing is left.
// s: count, stop_words, case_sensitive.
template <class S>
void string_normalizer_extents(S s, const Text* x, const Text* words, Index* extents) {
  Index kept = 0;
  for (Index i = 0; i < s.count; ++i)
    kept += string_normalizer_detail::is_stop_word(s, x[i], words) ? 0 : 1;
  extents[0] = kept > 0 ? kept : 1;
}

// x: [count], y: as many as string_normalizer_extents found.
// s: count, stop_words, case_sensitive, upper, lower.
template <class S>
Status string_normalizer(S s, const Text* x, const Text* words, Text* y, Heap& heap) {
  Index kept = 0;
  Extent bytes = 1;
  y[0] = Text{};
  for (Index i = 0; i < s.count; ++i) {
    if (string_normalizer_detail::is_stop_word(s, x[i], words)) continue;
    y[kept++] = x[i];
    each_character(x[i], [&](std::int32_t c, const Text&) {
      bytes = bytes + code_point_bytes(string_normalizer_detail::in_case(s, c));
    });
  }
  if (!s.upper && !s.lower) return Status::ok;
  char* to = static_cast<char*>(heap.allocate(bytes));
  if (to == nullptr) return Status::out_of_memory;
  for (Index i = 0; i < kept; ++i) {
    char* const start = to;
    each_character(y[i], [&](std::int32_t c, const Text&) {
      to = put_code_point(to, string_normalizer_detail::in_case(s, c));
    });
    y[i] = {start, to - start};
  }
  return Status::ok;
}

}  // namespace onnxc
