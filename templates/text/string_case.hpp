// string_case.hpp - strings in upper or lower case.
#pragma once

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/letter_case.hpp"

namespace onnxc {

// x, y: [count].  s: count, upper.
template <class S>
Status string_case(S s, const Text* x, Text* y, Heap& heap) {
  Extent bytes = 1;
  for (Index i = 0; i < s.count; ++i)
    each_character(x[i], [&](std::int32_t c, const Text&) {
      bytes = bytes + code_point_bytes(s.upper ? to_upper(c) : to_lower(c));
    });
  char* to = static_cast<char*>(heap.allocate(bytes));
  if (to == nullptr) return Status::out_of_memory;
  for (Index i = 0; i < s.count; ++i) {
    char* const start = to;
    each_character(x[i], [&](std::int32_t c, const Text&) {
      to = put_code_point(to, s.upper ? to_upper(c) : to_lower(c));
    });
    y[i] = {start, to - start};
  }
  return Status::ok;
}

}  // namespace onnxc
