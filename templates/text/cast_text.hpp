// cast_text.hpp - numbers to strings and back.
#pragma once

#include "runtime_min/heap.hpp"
#include "templates/text/decimal.hpp"

namespace onnxc {

// x: [count], y: [count] decimal forms.  s: count.
template <class S, class T>
Status text_from_numbers(S s, const T* x, Text* y, Heap& heap) {
  char* bytes = static_cast<char*>(heap.allocate(Extent(s.count) * kLongestNumber));
  if (bytes == nullptr) return Status::out_of_memory;
  for (Index i = 0; i < s.count; ++i) {
    char* const end = write_number(bytes, x[i]);
    y[i] = {bytes, end - bytes};
    bytes = end;
  }
  return Status::ok;
}

// x: [count] decimal forms, y: [count].  s: count.
template <class S, class T>
Status numbers_from_text(S s, const Text* x, T* y) {
  for (Index i = 0; i < s.count; ++i)
    if (!read_number(x[i], y[i])) return Status::bad_value;
  return Status::ok;
}

}  // namespace onnxc
