// one_hot_encoder.hpp - one-hot rows: zeros with a one in the column of the category.
#pragma once

#include <algorithm>
#include <type_traits>

#include "runtime_min/text.hpp"
#include "templates/fn/cast.hpp"

namespace onnxc {

// x: [count]; keys: [entries], sorted, with their columns in places; y: [count, width]. Numbers are
// cast to integers. Without s.zeros an unknown category is an error.  s: count, entries, width,
// zeros.
template <class S, class T, class K>
Status one_hot_encoder(S s, const T* x, const K* keys, const std::int32_t* places, float* y) {
  for (Index i = 0; i < s.count; ++i, y += s.width) {
    const K* const end = keys + s.entries;
    K key{};
    if constexpr (std::is_same<T, K>::value)
      key = x[i];
    else
      key = fn::cast<K>(x[i]);
    const K* const at = std::lower_bound(keys, end, key);
    const bool known = at != end && *at == key;
    if (!known && !s.zeros) return Status::bad_value;
    std::fill(y, y + s.width, 0.0f);
    if (known) y[places[at - keys]] = 1.0f;
  }
  return Status::ok;
}

}  // namespace onnxc
