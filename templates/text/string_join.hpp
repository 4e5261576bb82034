// string_join.hpp - joins strings along an axis.
#pragma once

#include <cstring>

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"

namespace onnxc {

namespace string_join_detail {

// Calls f(number of the result, part) for all that is joined, in order.
template <class S, class F>
void each_part(S s, const Text* x, const Text& separator, F f) {
  for (Index o = 0; o < s.outer; ++o)
    for (Index i = 0; i < s.inner; ++i)
      for (Index k = 0; k < s.joined; ++k) {
        if (k > 0) f(o * s.inner + i, separator);
        f(o * s.inner + i, x[(o * s.joined + k) * s.inner + i]);
      }
}

}  // namespace string_join_detail

// x: [outer, joined, inner], separator: one string, y: [outer, inner].  s: outer, joined, inner.
template <class S>
Status string_join(S s, const Text* x, const Text* separator, Text* y, Heap& heap) {
  Extent bytes = 1;
  string_join_detail::each_part(s, x, *separator,
                                [&](Index, const Text& part) { bytes = bytes + part.size; });
  char* to = static_cast<char*>(heap.allocate(bytes));
  if (to == nullptr) return Status::out_of_memory;
  for (Index i = 0; i < s.outer * s.inner; ++i) y[i] = Text{};
  string_join_detail::each_part(s, x, *separator, [&](Index i, const Text& part) {
    if (y[i].data == nullptr) y[i] = {to, 0};
    if (part.size > 0) std::memcpy(to, part.data, static_cast<std::size_t>(part.size));
    to += part.size;
    y[i].size += part.size;
  });
  return Status::ok;
}

}  // namespace onnxc
