// regex_replace.hpp - replaces what a regular expression matches.
#pragma once

#include <cstring>

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/regex_find.hpp"

namespace onnxc {

namespace regex_replace_detail {

// Calls f for the parts of the result, in order. `by` is one string for each group of the
// replacement: what is between references to the whole match.
template <class S, class F>
void each_part(S s, const Text& x, RegexSearch& search, const Text* by, F f) {
  std::int64_t done = 0, from = 0;
  bool after_match = false;  // an empty match right after another one is ignored
  for (;;) {
    const RegexMatch m = from <= x.size ? regex_find(search, x, from) : RegexMatch{-1, -1};
    if (m.begin < 0) break;
    if (m.end > m.begin || !(after_match && m.begin == done)) {
      f(Text{x.data + done, m.begin - done});
      for (Index i = 0; i < s.parts; ++i) {
        if (i > 0) f(Text{x.data + m.begin, m.end - m.begin});
        f(by[i]);
      }
      done = m.end;
      after_match = true;
      if (!s.all) break;
    }
    from = m.end > m.begin    ? m.end
           : m.begin < x.size ? m.begin + code_point_at(x.data + m.begin, x.data + x.size).bytes
                              : x.size + 1;
  }
  f(Text{x.data + done, x.size - done});
}

}  // namespace regex_replace_detail

// x, y: [count]; by: [parts], between which the whole match is put. work:
// regex_find_scratch(steps).  s: count, steps, parts, all.
template <class S>
Status regex_replace(S s, const Text* x, const std::int32_t* program, const Text* by, Text* y,
                     std::int64_t* work, Heap& heap) {
  for (Index i = 0; i < regex_find_scratch(s.steps); ++i) work[i] = 0;
  RegexSearch search{program, s.steps, work};
  Extent bytes = 1;
  for (Index i = 0; i < s.count; ++i)
    regex_replace_detail::each_part(s, x[i], search, by,
                                    [&](const Text& part) { bytes = bytes + part.size; });
  char* to = static_cast<char*>(heap.allocate(bytes));
  if (to == nullptr) return Status::out_of_memory;
  for (Index i = 0; i < s.count; ++i) {
    char* const start = to;
    regex_replace_detail::each_part(s, x[i], search, by, [&](const Text& part) {
      if (part.size > 0) std::memcpy(to, part.data, static_cast<std::size_t>(part.size));
      to += part.size;
    });
    y[i] = {start, to - start};
  }
  return Status::ok;
}

}  // namespace onnxc
