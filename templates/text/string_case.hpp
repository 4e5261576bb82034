// string_case.hpp - strings in upper or lower case.
#pragma once

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/letter_case.hpp"

namespace onnxc {

namespace string_case_detail {

template <class S, class F>
void each_character(S s, const Text& x, F f) {
  for (const char *p = x.data, *end = p + x.size; p < end;) {
    const CodePoint c = code_point_at(p, end);
    f(s.upper ? to_upper(c.value) : to_lower(c.value));
    p += c.bytes;
  }
}

}  // namespace string_case_detail

// x, y: [count].  s: count, upper.
template <class S>
Status string_case(S s, const Text* x, Text* y, Heap& heap) {
  Extent bytes = 1;
  for (Index i = 0; i < s.count; ++i)
    string_case_detail::each_character(
        s, x[i], [&](std::int32_t c) { bytes = bytes + code_point_bytes(c); });
  char* to = static_cast<char*>(heap.allocate(bytes));
  if (to == nullptr) return Status::out_of_memory;
  for (Index i = 0; i < s.count; ++i) {
    char* const start = to;
    string_case_detail::each_character(s, x[i],
                                       [&](std::int32_t c) { to = put_code_point(to, c); });
    y[i] = {start, to - start};
  }
  return Status::ok;
}

}  // namespace onnxc
