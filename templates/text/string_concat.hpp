// string_concat.hpp - joins the strings of two broadcast tensors in pairs.
#pragma once

#include <cstring>

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"

namespace onnxc {

namespace string_concat_detail {

// Calls f(a's offset, b's offset) for the elements of dims[0 .. rank) in order.
template <class S, class F>
void each_pair(S s, F f) {
  for (Index i = 0; i < s.count; ++i) {
    Index rest = i, at_a = 0, at_b = 0;
    for (Index axis = s.rank; axis-- > 0; rest /= s.dims[axis]) {
      const Index at = rest % s.dims[axis];
      at_a += at * s.strides[axis];
      at_b += at * s.strides[s.rank + axis];
    }
    f(at_a, at_b, i);
  }
}

}  // namespace string_concat_detail

// y: [dims] = a followed by b, both walked with strides[operand * rank + axis] (0: broadcast).
// s: rank, count, dims[rank], strides[2 * rank].
template <class S>
Status string_concat(S s, const Text* a, const Text* b, Text* y, Heap& heap) {
  // A byte more, so that there is always something to take.
  Extent bytes = 1;
  string_concat_detail::each_pair(
      s, [&](Index i, Index j, Index) { bytes = bytes + a[i].size + b[j].size; });
  char* to = static_cast<char*>(heap.allocate(bytes));
  if (to == nullptr) return Status::out_of_memory;
  string_concat_detail::each_pair(s, [&](Index i, Index j, Index at) {
    const Text left = a[i], right = b[j];
    y[at] = {to, left.size + right.size};
    for (const Text& part : {left, right}) {
      if (part.size > 0) std::memcpy(to, part.data, static_cast<std::size_t>(part.size));
      to += part.size;
    }
  });
  return Status::ok;
}

}  // namespace onnxc
