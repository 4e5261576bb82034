// string_facts.hpp - lengths of strings in characters, whether strings are equal, strings without
// the white space around them.
#pragma once

#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"

namespace onnxc {

// x, y: [count].  s: count.
template <class S>
void string_length(S s, const Text* x, std::int64_t* y) {
  for (Index i = 0; i < s.count; ++i) y[i] = count_characters(x[i]);
}

// y: [dims], a and b walked with strides[operand * rank + axis] (0: broadcast).
// s: rank, count, dims[rank], strides[2 * rank].
template <class S>
void string_equal(S s, const Text* a, const Text* b, bool* y) {
  for (Index i = 0; i < s.count; ++i) {
    Index rest = i, at_a = 0, at_b = 0;
    for (Index axis = s.rank; axis-- > 0; rest /= s.dims[axis]) {
      const Index at = rest % s.dims[axis];
      at_a += at * s.strides[axis];
      at_b += at * s.strides[s.rank + axis];
    }
    y[i] = a[at_a] == b[at_b];
  }
}

// x, y: [count]; a string of white space alone stays.  s: count.
template <class S>
void string_strip(S s, const Text* x, Text* y) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (Index i = 0; i < s.count; ++i) {
    std::int64_t begin = 0, end = x[i].size;
    while (begin < end && is_space(x[i].data[begin])) ++begin;
    while (end > begin && is_space(x[i].data[end - 1])) --end;
    y[i] = begin == end ? x[i] : Text{x[i].data + begin, end - begin};
  }
}

}  // namespace onnxc
