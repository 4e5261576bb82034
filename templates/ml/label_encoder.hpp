// label_encoder.hpp - maps elements through a table.
#pragma once

#include "runtime_min/types.hpp"

namespace onnxc {

// x, y: [count]. keys: [entries], each once and in order, NaN last; values: [entries] and then the
// one for everything else.  s: count, entries.
template <class S, class T, class V>
void label_encoder(S s, const T* x, const T* keys, const V* values, V* y) {
  // NaN equals itself and follows every number.
  const auto before = [](const T& a, const T& b) { return a < b || (a == a && !(b == b)); };
  for (Index i = 0; i < s.count; ++i) {
    Index low = 0, high = s.entries;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (before(keys[middle], x[i]))
        low = middle + 1;
      else
        high = middle;
    }
    const bool found = low < s.entries && !before(x[i], keys[low]);
    y[i] = values[found ? low : s.entries];
  }
}

}  // namespace onnxc
